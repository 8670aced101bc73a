package property

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// delivery is one delivery of an operation of a sequence.
type delivery struct {
	op   int    // its place in the sequence
	kind string // first, again, late, reread
}

const (
	first  = ""
	again  = "again"  // right after its last delivery
	late   = "late"   // after newer ones
	reread = "reread" // in its turn, of a log that is read again
)

// step is one operation of a sequence and how it is repeated.
type step[Op any] struct {
	op    Op
	again int // how often right away; Ordered: how many operations are read again, it included
	late  int // 0, or after how many further operations it comes once more
}

// sequence is drawn. Each operation is a group of rapid, which shrinks by
// leaving it out, and by lowering its repeats.
type sequence[Op any] struct {
	steps   []step[Op]
	ops     []Op // theirs
	ordered bool
}

// sequences are drawn with a number of repeats at least.
func sequences[Op any](ops *rapid.Generator[Op], number func(Op, int) Op, ordered bool, least int) *rapid.Generator[sequence[Op]] {
	agains := rapid.IntRange(0, 2)
	lates := rapid.IntRange(0, 3)
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step[Op] {
		s := step[Op]{op: ops.Draw(t, "op"), again: agains.Draw(t, "again")}
		if !ordered {
			s.late = lates.Draw(t, "late")
		}
		return s
	}), 1, -1)
	return rapid.Custom(func(t *rapid.T) sequence[Op] {
		s := sequence[Op]{steps: steps.Draw(t, "steps"), ordered: ordered}
		for _, st := range s.steps {
			s.ops = append(s.ops, st.op)
		}
		s.ops = numbered(s.ops, number)
		if len(s.repeated()) < len(s.ops)+least {
			s.steps[len(s.steps)-1].again = least
		}
		return s
	})
}

// numbered gives each operation its number, if they have any.
func numbered[Op any](ops []Op, number func(Op, int) Op) []Op {
	for i := range ops {
		if number != nil {
			ops[i] = number(ops[i], i+1)
		}
	}
	return ops
}

// once delivers each operation one time.
func (s sequence[Op]) once() []delivery {
	all := make([]delivery, len(s.steps))
	for i := range all {
		all[i] = delivery{i, first}
	}
	return all
}

// repeated delivers each operation as its step says.
func (s sequence[Op]) repeated() (all []delivery) {
	last := len(s.steps) - 1
	for i, st := range s.steps {
		all = append(all, delivery{i, first})
		if s.ordered {
			for j := max(0, i+1-st.again); j <= i && st.again > 0; j++ {
				all = append(all, delivery{j, reread})
			}
			continue
		}
		for range st.again {
			all = append(all, delivery{i, again})
		}
		for j := range i + 1 {
			if due := min(j+s.steps[j].late, last); s.steps[j].late > 0 && due == i {
				all = append(all, delivery{j, lateOr(j, i)})
			}
		}
	}
	return all
}

// lateOr is late where there was something newer.
func lateOr(op, newest int) string {
	if op == newest {
		return again
	}
	return late
}

// GoString is what rapid prints of a drawn sequence.
func (s sequence[Op]) GoString() string { return tell(s.ops, s.repeated()) }

// tell is a list of deliveries as text.
func tell[Op any](ops []Op, order []delivery) string {
	var all []string
	for _, d := range order {
		all = append(all, strings.TrimSpace(show(ops[d.op])+" "+d.kind))
	}
	return strings.Join(all, ", ")
}

// repeats says in a few words what was delivered again.
func (s sequence[Op]) repeats() string {
	var more []delivery
	for _, d := range s.repeated() {
		if d.kind != first {
			more = append(more, d)
		}
	}
	if len(more) > 1 {
		return fmt.Sprintf("%d repeats", len(more))
	}
	what := show(s.ops[more[0].op])
	if more[0].kind == late {
		return "a late repeat of " + what
	}
	return "a repeat of " + what
}
