package checkers

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// moves are the names of what is the own id now and may be another one later.
var moves = regexp.MustCompile(`(?i)last|latest|newest|recent|current|prev|next`)

// mentions reports whether a value of the body is the id.
func mentions(body, id string) bool {
	return slices.ContainsFunc(scalars(body), func(s scalar) bool { return s.value == id })
}

// echoes are the places at which both answers repeat the id that was asked for.
func echoes(a, b history.Attempt) (pointers []string) {
	if a.Outcome() != history.OK || b.Outcome() != history.OK {
		return nil
	}
	var first []string
	for _, s := range scalars(a.End.Body) {
		if s.value == a.Begin.Op && !moves.MatchString(s.pointer) {
			first = append(first, s.pointer)
		}
	}
	for _, s := range scalars(b.End.Body) {
		if s.value == b.Begin.Op && slices.Contains(first, s.pointer) {
			pointers = append(pointers, s.pointer)
		}
	}
	return pointers
}

// strangers finds answers that repeat the id of another operation where their
// own belongs, and nowhere their own: it needs no field that names what was made,
// and sees also an answer that all have in common. seen are those with a leak already.
func strangers(groups []Group, seen map[string]bool) (vs []Violation) {
	byID := map[string]*history.Operation{}
	for i := range groups {
		ops := groups[i].Operations
		for j := range ops {
			byID[ops[j].ID] = &ops[j]
		}
	}
	if len(byID) < 2 {
		return nil
	}
	picker := newPicker()
	for i := range groups {
		g := &groups[i]
		for j := range g.Operations {
			op := &g.Operations[j]
			if echo := g.Calibration[op.Name].Echo; len(echo) > 0 && !seen[op.ID] && g.digest(j).ok > 0 {
				vs = append(vs, strange(op, echo, byID, picker)...)
			}
		}
	}
	return vs
}

// strange is the first answer to op that names another operation, which the
// request did not name.
func strange(op *history.Operation, echo []string, byID map[string]*history.Operation, p *picker) []Violation {
	for _, a := range op.Attempts {
		if a.Outcome() != history.OK {
			continue
		}
		values, n := p.pick(a.End.Body, echo)
		if n == len(echo) && len(slices.Compact(slices.Clone(values))) == 1 {
			v := values[0]
			other := byID[v]
			if v == op.ID || other == nil || look(other, op) || requested(a)[v] || mentions(a.End.Body, op.ID) {
				continue
			}
			cause, cure := whyMerged(other, op)
			return []Violation{{Rule: "separation", Verdict: Fail, Op: op.ID, Scope: op.Scope, Witnesses: []int64{a.Begin.Seq, a.End.Seq},
				Reason: fmt.Sprintf("%s was answered %s with %s at %s, which is the id of another operation.", called(op), a.End.Status, v, echo[0]),
				Cause:  cause, Cure: cure}}
		}
	}
	return nil
}
