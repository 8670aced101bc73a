// Package checkers judges histories by rules stated in business terms: one
// charge for an order, no acknowledged charge lost, the same answer for every
// repeat.
//
//	checkers.Verify(t, run.History(), checkers.ExactlyOnce, checkers.SameAnswer)
//
// [Verify] fails a Go test with what happened; [Model] holds commands and looks
// that overlap against a [Machine]: [Register], [Ledger], [Lock], [Jobs] or one of
// your own. [Judge] is behind both and makes a [Report], with a [Case] for each
// case and its [Violation] list. [Catalogue] has the rules, a file each.
//
// # Verdicts
//
// A case passes, fails, or is inconclusive; the worst wins. Two promises rank
// above all: no false alarm on a sound service, and no pass that was not
// earned. A fault that did not fire, an effect that was never seen, a rule that
// could not judge or broke down: inconclusive, which fails a test, by name.
//
// # Bounds
//
// Operations are told apart by id, never by key. For each observer with expect
// e an operation must have e effects if one attempt was answered ok, and may
// have e for each (operation, key, life of the key) that has an attempt which
// was not refused. An unknown answer therefore costs nothing: it moves the upper
// bound and not the lower one, and no search is needed. [Calibrate] learns what a
// service shows from attempts without faults; a Go test learns it from its run.
//
// # Contracts
//
// What a service promises is judged, what it only seems to do is reported.
// Under a contract that is silent only these fail: too many effects, too few, no
// final answer within a stated claim, another operation's answer (in a Go test,
// one that names another thing).
//
// # Adding a rule
//
// A rule is a value of type [Rule]: a function over a [Group] (one operation, or
// all joined by a key), or over all groups of a case. It is linear in the
// attempts, gives witnesses, stands in Catalogue, and is held against an oracle.
package checkers
