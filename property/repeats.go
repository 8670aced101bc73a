package property

import (
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Repeats checks that repeats change nothing: a drawn sequence of operations,
// and the same one with each operation delivered one to three times and some of
// them once more, late, end in the same state.
//
// A late repeat comes after newer operations. That is what redelivery does, and
// what a register in which the last writer wins does not survive: set 1, set 2,
// and once more set 1. If your system is fed from a log in order, say so by
// Ordered. What m refuses, in either of the two, changes nothing and is not
// judged by itself; a sequence of which it takes nothing is no test.
//
// ops should draw from few accounts, few keys, small amounts: what never meets
// finds nothing.
func Repeats[S, Op any](t rapid.TB, ops *rapid.Generator[Op], m Machine[S, Op], opts ...cmp.Option) {
	t.Helper()
	k, c, drawn := keep[Op](), comparing(opts), sequences(ops, m.Number, m.Ordered, 1)
	check(t, func(t *rapid.T) string {
		t.Helper()
		m.check(t, "property.Repeats")
		seq := drawn.Draw(t, "deliveries")
		once, accepted := m.play(t, "property.Repeats", k, seq.ops, seq.once())
		again, _ := m.play(t, "property.Repeats", k, seq.ops, seq.repeated())
		if accepted == 0 {
			return refused
		}
		c.ends(t, "Repeats", seq.repeats(), "once", "repeated", once, again)
		return c.moved(m.state(m.start()), once)
	})
}
