package checkers

import (
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// noLostEffect: effects >= lower, for each observer, after settling.
func noLostEffect(g Group) (vs []Violation) {
	for i := range g.Observers {
		o := &g.Observers[i]
		if g.fine(o) {
			continue
		}
		g.units(o, func(u *unit) {
			switch {
			case u.seen < u.lower:
				vs = append(vs, u.lost("no-lost-effect", u.blamed(), u.seen))
			case u.seen < u.lower+u.unkeyed:
				vs = append(vs, u.violation("no-lost-effect", u.unseeable(), fmt.Sprintf(
					"%s: an attempt without a good key may have had the effect, where %s cannot see it.", called(u.blamed()), o.Name)))
			case o.By == "key" && len(u.ops) > 1:
				vs = u.hidden(vs)
			}
		})
	}
	return vs
}

// unseeable is a note where no accepted attempt had a key that an observer of
// keys could know: there was nothing that it might have judged.
func (u *unit) unseeable() Verdict {
	for i := range u.ops {
		op := &u.ops[i]
		for j := range op.Attempts {
			a := &op.Attempts[j]
			if a.Outcome() == history.OK && keyOf(op, *a).key != "" && badKey(a) == "" {
				return Inconclusive
			}
		}
	}
	return Note
}

// hidden finds, among operations joined by keys, one that was lost while
// another took effect twice.
func (u *unit) hidden(vs []Violation) []Violation {
	seen := seenUnder(u)
	for i := range u.ops {
		op := &u.ops[i]
		if accepted(op) == nil || lostKey(op) {
			continue
		}
		n := 0
		for _, k := range keysOf(u.ops[i:i+1], history.Refused) {
			n += seen[k.key]
		}
		if n < max(1, u.observer.Expect) {
			vs = append(vs, u.lost("no-lost-effect", op, n))
		}
	}
	return vs
}

// lostKey reports whether an attempt without a key may have had an effect.
func lostKey(op *history.Operation) bool {
	return slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool {
		return a.Outcome() != history.Refused && keyOf(op, a).key == ""
	})
}

// elsewhere reports whether the unit holds operations of another scope than the
// one that the observer was calibrated in, and an API may show only that one.
func (u *unit) elsewhere() bool {
	return u.observer.Kind == "http" && !u.observer.Scoped && slices.ContainsFunc(u.ops, func(op history.Operation) bool { return op.Scope != u.home })
}

// lost says that an acknowledged operation has too few effects, or that this
// cannot be known.
func (u *unit) lost(rule string, op *history.Operation, n int) Violation {
	if !u.read {
		return u.notRead(rule)
	}
	if u.changing {
		return u.stillChanging(rule)
	}
	if u.elsewhere() {
		return u.violation(rule, Inconclusive, fmt.Sprintf("%s is asked in the same way for every scope, and showed %s of %s: whether it sees all scopes is not known (scoped: true asks as each scope).",
			u.observer.Name, effects(n), op.ID))
	}
	ok := accepted(op)
	said, witnesses := "had said that it was there, when it was asked", []int64{}
	if ok != nil {
		said, witnesses = "answered "+ok.End.Status, []int64{ok.Begin.Seq, ok.End.Seq}
	} else if m := told(op); m != nil {
		witnesses = append(witnesses, m.Seq)
	}
	reason := fmt.Sprintf("%s, although the service %s.", happened(u.observer, op, n), said)
	if n == 0 {
		reason += fmt.Sprintf(" Nothing came%s.", waited(op))
	} else {
		reason += fmt.Sprintf(" %d were expected.", u.lower)
	}
	v := u.violation(rule, Fail, reason)
	if n == 0 && refusedLater(op) {
		v = u.violation(rule, Note, reason+" It had only accepted the request, and the provider refused it later.")
	}
	v.Op, v.Scope = op.ID, op.Scope
	v.Witnesses = append(witnesses, v.Witnesses...)
	v.Cause, v.Cure = whyLost(op)
	if u.observer.Kind == hook && v.Cure == "" {
		v.Cure = "where the work is done in the background, wait for it before the history is taken."
	}
	return v
}

// refusedLater reports whether all that was promised is to look into it (202),
// and a provider of ours said no for good when it was.
func refusedLater(op *history.Operation) bool {
	return slices.ContainsFunc(op.Faults, func(f *history.Event) bool { return f.Name == "refuse" && f.Attrs[history.AttrMoment] == "" }) &&
		!slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool { return a.Outcome() == history.OK && status(a) != "202" })
}

// exactlyOnce is both; its violations carry the narrower name.
func exactlyOnce(g Group) []Violation { return append(atMostOnce(g), noLostEffect(g)...) }

// refusedNoEffect: what was refused at every attempt has no effect.
func refusedNoEffect(g Group) (vs []Violation) {
	if !g.someRefused() {
		return nil
	}
	for i := range g.Observers {
		g.units(&g.Observers[i], func(u *unit) {
			switch {
			case u.keys > 0:
			case u.seen > 0:
				v := u.excess(Fail)
				v.Rule = "refused-no-effect"
				v.Witnesses = append(ends(u.ops), v.Witnesses...)
				vs = append(vs, v)
			case !u.read:
				vs = append(vs, u.notRead("refused-no-effect"))
			case u.changing:
				vs = append(vs, u.stillChanging("refused-no-effect"))
			}
		})
	}
	return vs
}

func (g *Group) someRefused() bool {
	for i := range g.Operations {
		if d := g.digest(i); d.refused == d.all {
			return true
		}
	}
	return false
}

func ends(ops []history.Operation) (seqs []int64) {
	for i := range ops {
		for _, a := range ops[i].Attempts {
			if a.End != nil {
				seqs = append(seqs, a.End.Seq)
			}
		}
	}
	return seqs
}
