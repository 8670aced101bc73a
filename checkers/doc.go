// Package checkers judges histories by rules stated in business terms: one
// charge for an order, no acknowledged charge lost, the same answer for every
// repeat.
//
//	report := checkers.Judge(history, contract)
//	fmt.Println(report.Verdict())
//
// [Calibrate] learns from a run without faults; [Catalogue] has the rules, a file
// each; a [Report] has a [Case] for each case, and its [Violation] list.
//
// # Verdicts
//
// A case passes, fails, or is inconclusive; the worst wins. Two promises rank
// above all: no false alarm on a sound service, and no pass that was not
// earned. A fault that did not fire, an observer that saw nothing, a rule that
// could not judge or broke down: inconclusive, by name.
//
// # Bounds
//
// Operations are told apart by id, never by key. For each observer with expect
// e an operation must have e effects if one attempt was answered ok, and may
// have e for each (operation, key, life of the key) that has an attempt which
// was not refused. An unknown answer therefore costs nothing: it moves the upper
// bound and not the lower one, and no search is needed.
//
// # Contracts
//
// What a service promises is judged, what it only seems to do is reported.
// Under a contract that is silent only these fail: too many effects, too few,
// another operation's answer, no final answer within a stated claim.
//
// # Adding a rule
//
// A rule is a value of type Rule: a function over a Group (one operation, or
// all that were joined by a key), or over all groups of a case. It is linear in
// the attempts, gives witnesses, and stands in Catalogue; a test shows a history
// that it rejects, one that it accepts, and that it agrees with a slow oracle.
package checkers
