package checkers

import (
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// booksAgree: where an operation has its last word, the system's own records and
// the outside ledgers show it equally often.
func booksAgree(g Group) (vs []Violation) {
	if bothBooks(g.Observers) != "" || !g.settledFor() {
		return nil
	}
	for i := range g.Observers {
		for j := range g.Observers {
			own, outside := &g.Observers[i], &g.Observers[j]
			if !keepsBooks(own) || !live(outside) || !g.bothCount(own, outside) || g.fine(own) && g.fine(outside) {
				continue
			}
			if v := g.compare(own, outside); v.Verdict != "" {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

func bothBooks(os []history.Observer) string {
	own := slices.ContainsFunc(os, func(o history.Observer) bool { return keepsBooks(&o) })
	outside := slices.ContainsFunc(os, func(o history.Observer) bool { return live(&o) })
	if own && outside {
		return ""
	}
	return "books-agree judges nothing: it needs an observer of the system's own records (sql, http, redis) and one from outside (provider, smtp)."
}

// keepsBooks reports whether an observer shows records of the system itself.
func keepsBooks(o *history.Observer) bool {
	return slices.Contains([]string{"sql", "http", "redis"}, o.Kind)
}

// settledFor reports whether each operation has its last word: after an unknown
// answer the books may be on their way to each other. They need not agree on one
// whose key has outlived its life, which may be new here and still known there;
// nor on one that was sent in several versions or under several keys: a state of
// the system shows the last of what a ledger shows all of.
func (g *Group) settledFor() bool {
	for i := range g.Operations {
		op := &g.Operations[i]
		last := op.Attempts[len(op.Attempts)-1]
		if mayOutlive(op, g.Contract.Life) || keysUnder(op) > 1 || versioned(op) {
			return false
		}
		if last.Outcome() != history.OK && !final(op) || slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool { return a.End == nil }) {
			return false
		}
	}
	return true
}

func versioned(op *history.Operation) bool {
	return slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool { return a.Begin.Attrs[history.AttrVersion] != "" })
}

func (g *Group) bothCount(a, b *history.Observer) bool {
	return !slices.ContainsFunc(g.Operations, func(op history.Operation) bool { return !counts(a, op.Name) || !counts(b, op.Name) })
}

// total is what an observer shows of a group.
type total struct {
	n, expect      int
	read, changing bool
	elsewhere      bool
	witnesses      []int64
}

func (g *Group) total(o *history.Observer) total {
	t := total{expect: max(1, o.Expect), read: true}
	g.units(o, func(u *unit) {
		t.n += u.seen
		t.read = t.read && u.read
		t.changing = t.changing || u.changing
		t.elsewhere = t.elsewhere || u.elsewhere()
		t.witnesses = append(t.witnesses, u.witnesses()...)
	})
	return t
}

func (g *Group) compare(own, outside *history.Observer) Violation {
	a, b := g.total(own), g.total(outside)
	if a.n*b.expect == b.n*a.expect || a.elsewhere || b.elsewhere {
		return Violation{}
	}
	op := &g.Operations[0]
	v := Violation{Rule: "books-agree", Verdict: Fail, Op: op.ID, Scope: op.Scope, Witnesses: append(a.witnesses, b.witnesses...)}
	slices.Sort(v.Witnesses)
	word := op.Attempts[len(op.Attempts)-1]
	v.Reason = fmt.Sprintf("%s ended with %s: %s shows %s of it, and %s %s.",
		called(op), status(word), own.Name, effects(a.n), outside.Name, effects(b.n))
	if !a.read || !b.read || a.changing || b.changing {
		v.Verdict = Inconclusive
		v.Reason += " Not everything was read after the last answer."
	}
	v.Cause = "the record and the call outside are not tied together: one can be without the other."
	v.Cure = "write the intention before the call, and finish or undo it after a failure from what was written."
	return v
}
