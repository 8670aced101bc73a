package checkers

import (
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// atMostOnce: effects <= upper, for each observer.
func atMostOnce(g Group) (vs []Violation) {
	for i := range g.Observers {
		o := &g.Observers[i]
		if g.fine(o) {
			continue
		}
		g.units(o, func(u *unit) {
			vs = u.tooMany(&g, vs)
			if o.By == "key" {
				vs = g.tooManyUnderKey(u, vs)
			}
		})
	}
	return vs
}

func (u *unit) tooMany(g *Group, vs []Violation) []Violation {
	switch {
	case u.seen > u.upper+u.slack:
		return append(vs, u.excess(Fail))
	case u.seen > u.upper:
		return append(vs, u.excess(Note))
	case !u.read && u.observer.By == "key" && len(keysOf(u.ops, "")) == 0:
		return append(vs, u.violation("at-most-once", Note, fmt.Sprintf(
			"%s was sent without a key: %s, which counts by key, cannot see what became of it.", called(u.blamed()), u.observer.Name)))
	case !u.read:
		return append(vs, u.notRead("at-most-once"))
	case u.changing:
		return append(vs, u.stillChanging("at-most-once"))
	case u.keys > len(u.ops) && u.seen > u.lower && u.lower > 0:
		return append(vs, u.otherKey())
	}
	return vs
}

// tooManyUnderKey looks at each key by itself: what is too much under one must
// not hide behind what another may have had.
func (g *Group) tooManyUnderKey(u *unit, vs []Violation) []Violation {
	if u.seen == 0 || u.seen > u.upper+u.slack || oneKey(u.ops) {
		return vs
	}
	seen := seenUnder(u)
	for _, k := range keysOf(u.ops, "") {
		if seen[k.key] == 0 {
			continue
		}
		b := bounds{}
		for i := range u.ops {
			b.add(g.Contract, u.observer, &u.ops[i], &k)
		}
		if n := seen[k.key]; n > b.upper+b.slack {
			v := u.excess(Fail)
			v.Reason = fmt.Sprintf("%s under the key %s. %s", happened(u.observer, &u.ops[0], n), k.key, allowed(b.upper))
			return append(vs, v)
		}
	}
	return vs
}

func oneKey(ops []history.Operation) bool {
	first := keyOf(&ops[0], ops[0].Attempts[0])
	for i := range ops {
		for _, a := range ops[i].Attempts {
			if keyOf(&ops[i], a) != first {
				return false
			}
		}
	}
	return true
}

// keysOf are the keys that the operations carried, in attempts that did not end
// as without says.
func keysOf(ops []history.Operation, without history.Kind) (ks []key) {
	var seen few[key]
	for i := range ops {
		for _, a := range ops[i].Attempts {
			if k := keyOf(&ops[i], a); k.key != "" && a.Outcome() != without && seen.add(k) {
				ks = append(ks, k)
			}
		}
	}
	return ks
}

// seenUnder is the last count under each key.
func seenUnder(u *unit) map[string]int {
	last := map[[2]string]tally{} // an observer may report scopes beside keys
	for i := range u.ops {
		for _, e := range u.ops[i].Effects {
			if k := [2]string{e.Key, e.Scope}; e.Name == u.observer.Name && e.Seq >= last[k].seq {
				last[k] = tally{seq: e.Seq, n: e.Count}
			}
		}
	}
	seen := map[string]int{}
	for k, t := range last {
		seen[k[0]] += t.n
	}
	return seen
}

// blamed is the operation to name: the last that was accepted, else the last.
func (u *unit) blamed() *history.Operation {
	op := &u.ops[len(u.ops)-1]
	for i := range u.ops {
		if accepted(&u.ops[i]) != nil {
			op = &u.ops[i]
		}
	}
	return op
}

// accepted is the first attempt that was answered ok, by its end.
func accepted(op *history.Operation) *history.Attempt {
	var first *history.Attempt
	for i := range op.Attempts {
		a := &op.Attempts[i]
		if a.Outcome() == history.OK && (first == nil || a.End.Seq < first.End.Seq) {
			first = a
		}
	}
	return first
}

func (u *unit) violation(rule string, v Verdict, reason string) Violation {
	op := u.blamed()
	return Violation{Rule: rule, Verdict: v, Op: op.ID, Scope: op.Scope, Reason: reason, Witnesses: u.witnesses()}
}

func (u *unit) excess(verdict Verdict) Violation {
	op := u.blamed()
	reason := fmt.Sprintf("%s. %s", happened(u.observer, op, u.seen), allowed(u.upper))
	if u.upper == 0 {
		reason = happened(u.observer, op, u.seen) + ", although every attempt was refused."
	}
	if verdict == Note {
		reason += " The contract does not say that a changed payload or an expired key is refused: not judged."
	}
	v := u.violation("at-most-once", verdict, reason)
	v.Cause, v.Cure = whyTwice(u)
	return v
}

func (u *unit) otherKey() Violation {
	reason := happened(u.observer, u.blamed(), u.seen) + ", under different keys. " +
		"If the id alone must protect, say  unique: id  at the observer."
	return u.violation("at-most-once", Note, reason)
}

func (u *unit) notRead(rule string) Violation {
	op := u.blamed()
	v := u.violation(rule, Inconclusive, fmt.Sprintf("%s: %s was not read after the last answer.", called(op), u.observer.Name))
	v.Witnesses = nil
	return v
}

func (u *unit) stillChanging(rule string) Violation {
	op := u.blamed()
	return u.violation(rule, Inconclusive, fmt.Sprintf("%s: what %s shows was still changing when reading stopped.", called(op), u.observer.Name))
}
