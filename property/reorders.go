package property

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Reorders checks that the order of deliveries does not matter: a drawn sequence
// of operations ends in the same state in another order. It holds for counters,
// sets that only grow, and registers with versions; not where an operation is
// refused if it comes before another one.
func Reorders[S, Op any](t rapid.TB, ops *rapid.Generator[Op], m Machine[S, Op], opts ...cmp.Option) {
	t.Helper()
	k, c, drawn := keep[Op](), comparing(opts), shuffles(ops, m.Number)
	check(t, func(t *rapid.T) string {
		t.Helper()
		m.check(t, "property.Reorders")
		d := drawn.Draw(t, "deliveries")
		straight, accepted := m.play(t, "property.Reorders", k, d.ops, d.sent())
		mixed, _ := m.play(t, "property.Reorders", k, d.ops, d.order)
		if accepted == 0 {
			return refused
		}
		c.ends(t, "Reorders", "the order", "as sent", "reordered", straight, mixed)
		return c.moved(m.state(m.start()), straight)
	})
}

// shuffle is a sequence of operations and another order of it.
type shuffle[Op any] struct {
	ops   []Op
	order []delivery
}

// shuffles shrink to two operations that have changed places.
func shuffles[Op any](ops *rapid.Generator[Op], number func(Op, int) Op) *rapid.Generator[shuffle[Op]] {
	sequences := rapid.SliceOfN(ops, 2, -1)
	return rapid.Custom(func(t *rapid.T) shuffle[Op] {
		s := shuffle[Op]{ops: numbered(sequences.Draw(t, "operations"), number)}
		s.order = rapid.Permutation(s.sent()).Draw(t, "order")
		if n := len(s.order); slices.Equal(s.order, s.sent()) {
			s.order[n-2], s.order[n-1] = s.order[n-1], s.order[n-2]
		}
		return s
	})
}

func (s shuffle[Op]) sent() []delivery {
	all := make([]delivery, len(s.ops))
	for i := range all {
		all[i].op = i
	}
	return all
}

// GoString is what rapid prints of a drawn shuffle.
func (s shuffle[Op]) GoString() string {
	return tell(s.ops, s.sent()) + "; in another order: " + tell(s.ops, s.order)
}
