package checkers

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/idemcheck/idemcheck/history"
)

// versions are those of one entity that were sent.
type versions struct {
	op     *history.Operation
	number map[string]int   // what only the body of one version holds: its number; 0: several do
	begin  map[int]int64    // place of the first attempt that carried it
	ok     map[int]int64    // place where it was first acknowledged
	sent   []int            // in ascending order
	newest *history.Attempt // that acknowledged the highest, first
	top    int              // its version
}

// versionsOf gathers the versions of an operation; nil if it has not two.
func versionsOf(op *history.Operation) *versions {
	v := &versions{op: op, number: map[string]int{}, begin: map[int]int64{}, ok: map[int]int64{}}
	for i := range op.Attempts {
		a := &op.Attempts[i]
		n, err := strconv.Atoi(a.Begin.Attrs[history.AttrVersion])
		if err != nil {
			continue
		}
		if _, known := v.begin[n]; !known {
			v.begin[n] = a.Begin.Seq
			v.sent = append(v.sent, n)
			v.learn(a.Begin.Body, n)
		}
		if a.Outcome() != history.OK {
			continue
		}
		if at, known := v.ok[n]; !known || a.End.Seq < at {
			v.ok[n] = a.End.Seq
		}
		if v.newest == nil || n > v.top {
			v.newest, v.top = a, n
		}
	}
	if slices.Sort(v.sent); len(v.sent) < 2 {
		return nil
	}
	return v
}

func (v *versions) learn(body string, n int) {
	walk(body, func(_ []byte, value string, _ bool) bool {
		if was, known := v.number[value]; known && was != n {
			v.number[value] = 0
		} else {
			v.number[value] = n
		}
		return true
	})
}

// of is the number of the version that an observer shows: by a value that only
// its body held ("cancelled"), else as the number itself; 0 if it is neither.
func (v *versions) of(shown string) int {
	if n := v.number[shown]; n != 0 {
		return n
	}
	if n, err := strconv.Atoi(shown); err == nil && slices.Contains(v.sent, n) {
		return n
	}
	return 0
}

// shows are the effects by which an observer of ids shows versions of an
// operation, in order.
func shows(o *history.Observer, op *history.Operation) (es []*history.Event) {
	if o.By == "key" || !counts(o, op.Name) {
		return nil
	}
	for _, e := range op.Effects {
		if e.Name == o.Name && e.Count > 0 && e.Attrs[history.AttrVersion] != "" && (e.Scope == "" || e.Scope == op.Scope) {
			es = append(es, e)
		}
	}
	return es
}

// versioned visits the operations of a group that have versions, each with the
// observers that show them. Where none does, nothing can be judged.
func (g *Group) versioned(rule string, visit func(*versions, *history.Observer, []*history.Event) []Violation) (vs []Violation) {
	for i := range g.Operations {
		if !g.digest(i).entry.versions {
			continue
		}
		op := &g.Operations[i]
		v := versionsOf(op)
		if v == nil {
			continue
		}
		seen := false
		for j := range g.Observers {
			if es := shows(&g.Observers[j], op); len(es) > 0 {
				seen = true
				vs = append(vs, visit(v, &g.Observers[j], es)...)
			}
		}
		if !seen && len(g.Observers) > 0 {
			vs = append(vs, Violation{Rule: rule, Verdict: Inconclusive, Op: op.ID, Scope: op.Scope,
				Reason: fmt.Sprintf("No observer shows which version of %s is in force. Let one show it: a column named version in its query, or  version: body /status  at a provider.", op.Name)})
		}
	}
	return vs
}

// strange says that a version was shown that nobody sent.
func (v *versions) strange(rule string, o *history.Observer, e *history.Event) []Violation {
	return []Violation{{Rule: rule, Verdict: Inconclusive, Op: v.op.ID, Scope: v.op.Scope, Witnesses: []int64{e.Seq},
		Reason: fmt.Sprintf("%s shows version %q of %s: neither the number of a version that was sent, nor a value that only one of them holds.",
			o.Name, e.Attrs[history.AttrVersion], called(v.op))}}
}
