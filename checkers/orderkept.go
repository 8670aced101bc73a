package checkers

import (
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// orderKept: of what an observer sees as it happens, no effect of an older
// version comes after one of a newer, if the older was acknowledged before the
// newer was sent. Of versions that were under way together any order is right.
func orderKept(g Group) []Violation {
	return g.versioned("order-kept", func(v *versions, o *history.Observer, es []*history.Event) []Violation {
		if !live(o) {
			return nil
		}
		before := map[int]*history.Event{} // the first effect of each version
		for _, e := range es {
			n := v.of(e.Attrs[history.AttrVersion])
			if n == 0 {
				return v.strange("order-kept", o, e)
			}
			for _, m := range v.sent {
				if newer := before[m]; m > n && newer != nil && v.ordered(n, m) {
					return []Violation{v.late(o, n, m, newer, e)}
				}
			}
			if before[n] == nil {
				before[n] = e
			}
		}
		return nil
	})
}

// ordered reports whether the older version was acknowledged before the newer
// was first sent.
func (v *versions) ordered(older, newer int) bool {
	ok, known := v.ok[older]
	return known && ok < v.begin[newer]
}

func (v *versions) late(o *history.Observer, older, newer int, first, then *history.Event) Violation {
	return Violation{Rule: "order-kept", Verdict: Fail, Op: v.op.ID, Scope: v.op.Scope,
		Witnesses: []int64{v.ok[older], v.begin[newer], first.Seq, then.Seq},
		Reason: fmt.Sprintf("%s saw version %d of %s before version %d, although version %d was acknowledged before version %d was sent.",
			o.Name, newer, called(v.op), older, older, newer),
		Cause: "effects of one entity travel by ways that overtake each other.",
		Cure:  "send the effects of one entity through one queue, or with a version that the receiver compares."}
}
