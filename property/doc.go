// Package property states laws of code that must bear repeats, and searches for
// what breaks them: values, sequences and faults are drawn by pgregory.net/rapid,
// a failure is shrunk to the least that fails, and run again from its fail file.
//
//	func TestSlug(t *testing.T) {
//		property.Idempotent(t, rapid.StringOf(rapid.SampledFrom([]rune("aB -"))), Slug)
//	}
//
// # Laws
//
// Of functions: [Idempotent], [Commutes], [Associates]. Of a [Machine], which
// takes deliveries: [Repeats], [Reorders], [Monotone]. Of all that a test can do
// to a system while faults strike it: [UnderFaults], and [Follows], with a [Model]
// beside the system.
//
// Each takes a *testing.T, and then checks 100 cases (-rapid.checks), or a
// *rapid.T, and then is a part of the caller's own property: in rapid.Check, or
// under go test -fuzz by rapid.MakeFuzz. Differences are found and shown by
// go-cmp; its options fit.
//
// # What to draw
//
// Narrow alphabets, few ids, small numbers: what never meets finds nothing. Of
// 50 batches of 100, a mistake in a function on strings was found in 24 when they
// came from rapid.String(), in 50 when they were made of four letters. Where
// something is kept for a while, draw the time between deliveries from the
// boundaries of its life: [Gaps].
//
// # Virtual time
//
// [InBubble] gives each case a bubble of testing/synctest, in which a day passes
// in no time. The clock of a database (SQL now()) and real sockets do not follow:
// pass the time in, and use the clients of package inject, which are in memory.
package property
