// Package inject does things to deliveries: it loses, delays, repeats, overlaps
// and changes them, over HTTP and in process.
//
// # In a Go test
//
// [Start] begins a [Run]: it gives ids to operations, strikes their attempts, and
// keeps the history that checkers.Verify judges.
//
//	run := inject.Start(t, inject.Repeat, inject.Overlap, inject.LoseAnswer)
//	client := run.Client(shop.NewAPI(run.Effect)) // it calls Effect(order) where money moves
//	for id := range run.IDs(20) {
//		pay(client, id)
//	}
//	checkers.Verify(t, run.History(), checkers.ExactlyOnce, checkers.SameAnswer)
//
// [Run.Client] and [Run.Requests] strike requests, [Run.Queue] messages, [Call]
// plain functions, package grpcinject unary calls. Effects are seen by [Run.Effect]
// and taken back by [Run.Undo]; without a line in the system by [Run.Transport],
// its way to a provider, and [Run.DB], its database. [Run.Process] kills for good.
// The rest works in a bubble of testing/synctest, and [Serve] is a server for one.
//
// # Values
//
// A [Fault] is a comparable value with one spelling, "lose-answer" or
// "delay: 50ms"; [Faults] is the catalogue and [ParseFault] reads one. A
// [Schedule] decides which delivery is struck, and is pure: one seed, one
// schedule, whatever the order in which goroutines ask. [Seeded] makes one from a
// seed, [Tape] one from a list.
//
// # The parts
//
// [Transport] strikes requests for a record of your own. [Dialer] is an HTTP/1.1
// client that can stop in the middle of a request, and makes copies overlap by
// holding back their last bytes ([Dialer.Together]). No carrier sends again by
// itself. [Provider] plays the payment provider that a service calls, with a
// ledger, keys, and faults on the nth call. [ChangeJSON], [ChangeForm] and
// [ReencodeJSON] change bodies.
package inject
