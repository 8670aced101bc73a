package checkers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/idemcheck/idemcheck/history"
)

// oneHolder: no two calls of one operation are in flight at a provider at once.
// Two calls under one provider key do no harm, so it is judged only where the
// file says that there must be one at a time.
func oneHolder(g Group) (vs []Violation) {
	for i := range g.Operations {
		op := &g.Operations[i]
		for j := range g.Observers {
			o := &g.Observers[j]
			if e := atOnce(o, op); e != nil {
				vs = append(vs, holders(o, op, e))
			}
		}
	}
	return vs
}

func someOneAtATime(os []history.Observer) string {
	if slices.ContainsFunc(os, func(o history.Observer) bool { return o.OneAtATime }) {
		return ""
	}
	return "one-holder judges nothing: no provider says  one_at_a_time: true."
}

// atOnce is the first sign that calls of an operation overlapped at a provider.
func atOnce(o *history.Observer, op *history.Operation) *history.Event {
	if o.Kind != "provider" || !counts(o, op.Name) {
		return nil
	}
	for _, e := range op.Moments {
		if e.Name == o.Name && e.Attrs[history.AttrAtOnce] != "" {
			return e
		}
	}
	return nil
}

func holders(o *history.Observer, op *history.Operation, e *history.Event) Violation {
	v := Violation{Rule: "one-holder", Verdict: Note, Op: op.ID, Scope: op.Scope, Witnesses: []int64{e.Seq}}
	v.Reason = fmt.Sprintf("%s calls of %s were in flight at %s at once", e.Attrs[history.AttrAtOnce], called(op), o.Name)
	if !o.OneAtATime {
		v.Reason += ": not judged without  one_at_a_time: true  there."
		return v
	}
	if n, err := strconv.Atoi(e.Attrs[history.AttrAtOnce]); err == nil && n <= keysUnder(op) && o.Unique != "id" {
		v.Reason += ": they came under as many keys. If the id alone must protect, say  unique: id  at the observer."
		return v
	}
	v.Verdict = Fail
	v.Reason += fmt.Sprintf(". %s takes one at a time.", o.Name)
	v.Cause = "two workers both believed that they hold the operation."
	v.Cure = "claim the operation under a lock or a unique row before the call, and let the other wait or answer 409."
	return v
}

// keysUnder is under how many keys an operation was sent; each attempt without
// one is a key of its own.
func keysUnder(op *history.Operation) int {
	var keys few[key]
	for _, a := range op.Attempts {
		keys.add(keyOf(op, a))
	}
	return keys.size()
}
