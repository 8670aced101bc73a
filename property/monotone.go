package property

import "pgregory.net/rapid"

// Monotone checks that what is seen of a system never steps back, whatever is
// delivered again: after each delivery of a drawn sequence with repeats, as those
// of [Repeats], atMost(before, after) holds of two views of it. The view may be a
// version, a sum, a set; the order may be partial. It holds for merges of CRDTs
// and for projections that ignore what is older than what they show.
//
//	property.Monotone(t, events, machine, (*Stock).Version, func(before, after int) bool { return before <= after })
func Monotone[S, Op, V any](t rapid.TB, ops *rapid.Generator[Op], m Machine[S, Op], view func(S) V, atMost func(before, after V) bool) {
	t.Helper()
	k, views, same, drawn := keep[Op](), keep[V](), comparing(nil), sequences(ops, m.Number, m.Ordered, 0)
	check(t, func(t *rapid.T) string {
		t.Helper()
		m.check(t, "property.Monotone")
		seq := drawn.Draw(t, "deliveries")
		s, ops, accepted, moved := m.start(), seq.ops, 0, false
		before := views.seal(views.copy(view(s)))
		for _, d := range seq.repeated() {
			var err error
			if s, err = m.deliver(t, "property.Monotone", k, s, ops[d.op]); err == nil {
				accepted++
			}
			views.intact(t, "property.Monotone", "the system", before)
			after := views.seal(views.copy(view(s)))
			if !atMost(before.value, after.value) {
				t.Fatalf("property.Monotone: stepped back from %s to %s at %s", show(before.value), show(after.value), tell(ops, []delivery{d}))
			}
			moved = moved || !same.same(before.value, after.value)
			before = after
		}
		if accepted == 0 {
			return refused
		}
		if !moved {
			return "the view never changed: let it show what the operations change"
		}
		return ""
	})
}
