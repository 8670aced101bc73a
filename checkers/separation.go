package checkers

import (
	"fmt"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/history"
)

// separation: operations of one case do not take each other's place.
func separation(groups []Group) (vs []Violation) {
	vs = append(vs, leaks(groups)...)
	kin := sync.OnceValue(func() kin { return relations(groups) })
	for i := range groups {
		vs = append(vs, swallowed(&groups[i], kin)...)
		vs = append(vs, merged(&groups[i], kin)...)
	}
	return vs
}

// leaks finds the telling values of one operation in the answer to another.
func leaks(groups []Group) (vs []Violation) {
	type owner struct {
		op *history.Operation
		a  *history.Attempt
	}
	owners := map[string]owner{}
	var values []string
	for gi := range groups {
		g := &groups[gi]
		for i := range g.Operations {
			op := &g.Operations[i]
			tell := g.Calibration[op.Name].Telling
			if len(tell) == 0 {
				continue
			}
			last := ""
			for j := range op.Attempts {
				a := &op.Attempts[j]
				if a.Outcome() != history.OK || a.End.Answer != "" && a.End.Answer == last {
					continue
				}
				last = a.End.Answer
				var found int
				if values, found = pick(a.End.Body, tell, values); found < len(tell) {
					continue
				}
				id := identityOf(tell, values)
				was, known := owners[id]
				if !known {
					owners[id] = owner{op, a}
				} else if !sameOperation(was.op, op) && (was.op.Name == op.Name || shareKey(was.op, op)) {
					vs = append(vs, leak(g, was.op, was.a, op, a, values))
					break
				}
			}
		}
	}
	return vs
}

func identityOf(pointers, values []string) string {
	if len(pointers) == 1 {
		return pointers[0] + "\x00" + values[0]
	}
	var b strings.Builder
	for i, p := range pointers {
		b.WriteString(p)
		b.WriteByte(0)
		b.WriteString(values[i])
		b.WriteByte(0)
	}
	return b.String()
}

func sameOperation(a, b *history.Operation) bool { return a.ID == b.ID && a.Scope == b.Scope }

func shareKey(a, b *history.Operation) bool {
	return len(a.Attempts) > 0 && len(b.Attempts) > 0 && keyOf(a, a.Attempts[0]) == keyOf(b, b.Attempts[0])
}

func leak(g *Group, first *history.Operation, fa *history.Attempt, op *history.Operation, a *history.Attempt, values []string) Violation {
	// The one that was answered later was given what belongs to the other.
	if fa.End.Seq > a.End.Seq {
		first, fa, op, a = op, a, first, fa
	}
	v := Violation{Rule: "separation", Verdict: Fail, Op: op.ID, Scope: op.Scope, Witnesses: []int64{fa.End.Seq, a.Begin.Seq, a.End.Seq},
		Reason: fmt.Sprintf("%s was answered %s %s, which belongs to %s.", called(op), a.End.Status, strings.Join(values, " "), called(first))}
	if c := g.Contract; c.Scope.Judged() && c.Scope.Has("key") && shareKey(first, op) && first.Scope != op.Scope {
		v.Verdict = Note // the contract says that the key alone tells operations apart
	}
	v.Cause, v.Cure = whyMerged(first, op)
	return v
}

// whyMerged guesses why a service takes two operations for one.
func whyMerged(first, op *history.Operation) (cause, cure string) {
	switch {
	case shareKey(first, op) && first.Scope != op.Scope:
		return "the key is looked up without the tenant that it belongs to.", "make the tenant part of the key's unique index."
	case shareKey(first, op):
		return "both carried the same key.", "use a new key for each operation."
	case sharePayload(first, op):
		return "the two have the same content, and the service tells operations apart by it.", "tell operations apart by the caller's key."
	}
	return "", ""
}

func sharePayload(a, b *history.Operation) bool {
	return a.Attempts[0].Begin.Payload != "" && a.Attempts[0].Begin.Payload == b.Attempts[0].Begin.Payload
}
