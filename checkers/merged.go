package checkers

import (
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// kin finds operations of a case that a service may take for one another: by
// key, by payload, by id.
type kin struct {
	by       map[string][]*history.Operation // at most a few for each
	accepted map[[2]string]bool              // names and scopes of which some operation was accepted
	refused  map[[2]string][]*history.Operation
	odd      []*history.Operation // accepted under an id or key that was made to look like another; at most a few
}

// relations is linear: it keeps the first two operations of each trait, which
// is enough to find another one than oneself.
func relations(groups []Group) kin {
	k := kin{map[string][]*history.Operation{}, map[[2]string]bool{}, map[[2]string][]*history.Operation{}, nil}
	for gi := range groups {
		ops := groups[gi].Operations
		for i := range ops {
			kind := [2]string{ops[i].Name, ops[i].Scope}
			if accepted(&ops[i]) != nil {
				k.accepted[kind] = true
				if len(k.odd) < 8 && ops[i].Attempts[0].Begin.Attrs[history.AttrAlike] != "" {
					k.odd = append(k.odd, &ops[i])
				}
			} else if l := k.refused[kind]; len(l) < 3 {
				k.refused[kind] = append(l, &ops[i])
			}
			for _, t := range traits(&ops[i]) {
				if l := k.by[t]; len(l) < 2 {
					k.by[t] = append(l, &ops[i])
				}
			}
		}
	}
	return k
}

func traits(op *history.Operation) (ts [4]string) {
	if len(op.Attempts) == 0 {
		return ts
	}
	first := op.Attempts[0]
	ts[0] = "id\x00" + op.ID
	if k := sentKey(op, first); k != "" {
		ts[1] = "key\x00" + k
	}
	if first.Begin.Payload != "" {
		ts[2] = "body\x00" + op.Name + "\x00" + first.Begin.Payload
	}
	if like := first.Begin.Attrs[history.AttrAlike]; like != "" {
		ts[3] = "alike\x00" + like
	}
	return ts
}

// of is another operation that this one may be taken for.
func (k kin) of(op *history.Operation) *history.Operation {
	for _, t := range traits(op) {
		if t == "" {
			continue
		}
		for _, other := range k.by[t] {
			if !sameOperation(other, op) {
				return other
			}
		}
	}
	return nil
}

// control is an operation of the name and scope of op that shares nothing with
// another one and was not accepted either: then op tells nothing. nil if an
// operation like op was accepted, or none was sent alone.
func (k kin) control(op *history.Operation) *history.Operation {
	kind := [2]string{op.Name, op.Scope}
	if k.accepted[kind] {
		return nil
	}
	for _, c := range k.refused[kind] {
		if c != op && k.of(c) == nil {
			return c
		}
	}
	return nil
}

// swallowed finds operations that were acknowledged and have no effect, beside
// one that they may be taken for.
func swallowed(g *Group, k func() kin) (vs []Violation) {
	for i := range g.Observers {
		if g.fine(&g.Observers[i]) {
			continue
		}
		g.units(&g.Observers[i], func(u *unit) {
			if u.seen >= u.lower {
				return
			}
			op := u.blamed()
			other := k().of(op)
			if other == nil {
				return
			}
			v := u.lost("separation", op, u.seen)
			if v.Verdict == Fail {
				v.Reason += fmt.Sprintf(" It was taken for %s.", called(other))
				v.Cause, v.Cure = whyMerged(other, op)
				if c := g.Contract; c.Scope.Judged() && c.Scope.Has("key") && shareKey(other, op) && other.Scope != op.Scope {
					v.Verdict = Note
				}
			}
			vs = append(vs, v)
		})
	}
	return vs
}

// merged finds operations that were refused beside one that they may be taken
// for, where the like was accepted alone.
func merged(g *Group, k func() kin) (vs []Violation) {
	for i := range g.Operations {
		op := &g.Operations[i]
		if d := g.digest(i); d.refused < d.all || status(op.Attempts[0]) == "429" || status(op.Attempts[0]) == "unreachable" {
			continue
		}
		other := k().of(op)
		if other == nil {
			continue
		}
		ok := accepted(other)
		if ok == nil || ok.End.Seq > op.Attempts[0].Begin.Seq {
			continue
		}
		first := op.Attempts[0]
		v := Violation{Rule: "separation", Verdict: Note, Op: op.ID, Scope: op.Scope,
			Witnesses: []int64{ok.End.Seq, first.Begin.Seq, first.End.Seq},
			Reason: fmt.Sprintf("%s was refused (%s) after %s had been accepted: it may have been taken for it.",
				called(op), first.End.Status, called(other))}
		if control := k().control(op); control != nil {
			v.Verdict = Inconclusive
			v.Reason = fmt.Sprintf("%s was refused (%s), and so was %s, which has nothing in common with another: nothing was learned. Is %s allowed to do this?",
				called(op), first.End.Status, called(control), scopeOr(op.Scope))
		} else if look(other, op) && !sharePayload(other, op) { // equal payments may be refused on purpose
			if v.Verdict = k().lookalike(g, op); v.Verdict == Inconclusive {
				v.Reason += " Say what makes two keys the same, contract.scope, to have it judged."
			}
			v.Cause, v.Cure = whyMerged(other, op)
		} else if g.apart(other, op) {
			v.Verdict = Fail
			v.Cause, v.Cure = whyMerged(other, op)
		}
		vs = append(vs, v)
	}
	return vs
}

// look reports whether two operations have ids or keys that look alike.
func look(a, b *history.Operation) bool {
	like := a.Attempts[0].Begin.Attrs[history.AttrAlike]
	return like != "" && like == b.Attempts[0].Begin.Attrs[history.AttrAlike] && !shareKey(a, b) && a.Scope == b.Scope
}

// lookalike judges that an operation was refused beside one that it looks like.
// Where such an id or key was accepted alone, the refusal was for the other's
// sake: that fails if the contract says what makes two keys the same.
func (k kin) lookalike(g *Group, op *history.Operation) Verdict {
	for _, alone := range k.odd {
		if alone.Name == op.Name && alone.Scope == op.Scope && k.of(alone) == nil {
			if g.Contract.Scope.Judged() {
				return Fail
			}
			return Inconclusive
		}
	}
	return Note
}

// apart reports whether the contract says that the two are different, and the
// operation would be accepted alone: an operation of its name was, in its scope.
func (g *Group) apart(other, op *history.Operation) bool {
	c := g.Contract
	cal, calibrated := g.Calibration[op.Name]
	return c.Scope.Judged() && c.Scope.Has("key") && !shareKey(other, op) && other.Scope == op.Scope &&
		calibrated && cal.Failed == ""
}

func scopeOr(scope string) string {
	if scope == "" {
		return "the caller"
	}
	return "scope " + scope
}
