package checkers

import (
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// noStepBack: what an observer of state shows of an entity never goes from a
// newer version back to an older one, and in the end is not older than what was
// acknowledged.
func noStepBack(g Group) []Violation {
	return g.versioned("no-step-back", func(v *versions, o *history.Observer, es []*history.Event) []Violation {
		if live(o) {
			return nil // shows what happened, not what is: order-kept
		}
		var top *history.Event
		high, last := 0, 0
		for _, e := range es {
			n := v.of(e.Attrs[history.AttrVersion])
			switch {
			case n == 0:
				return v.strange("no-step-back", o, e)
			case n < high:
				return []Violation{v.back(o, fmt.Sprintf("%s of %s was at version %d, and went back to version %d", o.Name, called(v.op), high, n), top.Seq, e.Seq)}
			case n > high:
				high, top = n, e
			}
			last = n
		}
		return v.final(o, es[len(es)-1], last)
	})
}

// final judges the last reading.
func (v *versions) final(o *history.Observer, e *history.Event, last int) []Violation {
	if v.newest == nil || last >= v.top {
		return nil
	}
	mark := settled(v.op)
	switch {
	case e.Seq < lastOf(v.op) && mark == nil:
		return v.open(fmt.Sprintf("%s: the version that %s shows was not read after the last answer.", called(v.op), o.Name))
	case mark != nil && mark.Attrs["stable"] == "false":
		return v.open(fmt.Sprintf("%s: what %s shows was still changing when reading stopped.", called(v.op), o.Name))
	}
	return []Violation{v.back(o, fmt.Sprintf("%s shows version %d of %s, although version %d was acknowledged (%s)",
		o.Name, last, called(v.op), v.top, v.newest.End.Status), v.newest.End.Seq, e.Seq)}
}

func (v *versions) open(reason string) []Violation {
	return []Violation{{Rule: "no-step-back", Verdict: Inconclusive, Op: v.op.ID, Scope: v.op.Scope, Reason: reason}}
}

func (v *versions) back(o *history.Observer, reason string, witnesses ...int64) Violation {
	return Violation{Rule: "no-step-back", Verdict: Fail, Op: v.op.ID, Scope: v.op.Scope, Reason: reason + ".", Witnesses: witnesses,
		Cause: "a delivery was applied without a look at the version that was there already.",
		Cure:  "keep the version with the entity, and update only where the stored one is older."}
}
