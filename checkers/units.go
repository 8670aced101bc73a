package checkers

import (
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// unit is what an observer can tell apart: the operations with one id, or all
// that are joined by keys.
type unit struct {
	bounds
	ops      []history.Operation
	observer *history.Observer
	home     string // the scope of calibration
	seen     int
	read     bool // seen is what was there after the last end
	changing bool // and it was still changing
}

// units visits what the observer can tell apart in the group.
func (g *Group) units(o *history.Observer, visit func(*unit)) {
	ops := g.Operations
	if len(ops) > 1 && len(o.Of) > 0 {
		ops = slices.DeleteFunc(slices.Clone(ops), func(op history.Operation) bool { return !counts(o, op.Name) })
	}
	if len(ops) == 0 {
		return
	}
	if len(ops) == 1 || o.By == "key" {
		g.unit(o, ops, false, visit)
		return
	}
	scoped := reportsScope(o, ops)
	done := make(map[identity]bool, len(ops))
	byID := map[identity][]history.Operation{}
	who := func(op *history.Operation) identity {
		if scoped {
			return identity{op.ID, op.Scope}
		}
		return identity{id: op.ID}
	}
	for i := range ops {
		w := who(&ops[i])
		byID[w] = append(byID[w], ops[i])
	}
	for i := range ops {
		if w := who(&ops[i]); !done[w] {
			done[w] = true
			g.unit(o, byID[w], scoped, visit)
		}
	}
}

// reportsScope trusts the scope of an observer only if all it says fits
// operations that are known: it may name tenants otherwise than we do.
func reportsScope(o *history.Observer, ops []history.Operation) bool {
	known := map[identity]bool{}
	for i := range ops {
		known[identity{ops[i].ID, ops[i].Scope}] = true
	}
	some := false
	for i := range ops {
		for _, e := range ops[i].Effects {
			if e.Name != o.Name || e.Count == 0 {
				continue
			}
			if e.Scope == "" || !known[identity{e.Op, e.Scope}] {
				return false
			}
			some = true
		}
	}
	return some
}

func (g *Group) unit(o *history.Observer, ops []history.Operation, scoped bool, visit func(*unit)) {
	u := unit{ops: ops, observer: o, home: g.Calibration[ops[0].Name].Scope}
	for i := range ops {
		u.add(g.Contract, o, &ops[i], nil)
	}
	latest := int64(0)
	var first tally
	var more map[string]tally
	for i := range ops {
		for _, e := range ops[i].Effects {
			if e.Name != o.Name || scoped && e.Scope != "" && e.Scope != ops[i].Scope {
				continue
			}
			latest = max(latest, e.Seq)
			first, more = count(o, e, first, more)
		}
	}
	u.seen = first.n
	for _, t := range more {
		u.seen += t.n
	}
	u.settle(g, latest)
	visit(&u)
}

// allThere reports whether some observer counts the operations of the group, and
// each that does shows the effects of all that were accepted.
func (g *Group) allThere() bool {
	there := len(g.Observers) > 0
	for i := range g.Observers {
		g.units(&g.Observers[i], func(u *unit) {
			there = there && u.lower > 0 && u.read && !u.changing && u.seen >= u.lower
		})
	}
	return there
}

// tookMore reports whether some observer shows more effects than what was
// accepted needs: a repeat was carried out as new.
func (g *Group) tookMore() (more bool) {
	for i := range g.Observers {
		g.units(&g.Observers[i], func(u *unit) { more = more || u.lower > 0 && u.seen > u.lower })
	}
	return more
}

// tally is the last count under one key or scope.
type tally struct {
	tag string
	seq int64
	n   int
}

// count keeps the last count for each tag; almost always there is one.
func count(o *history.Observer, e *history.Event, first tally, more map[string]tally) (tally, map[string]tally) {
	t := tally{tag: e.Scope, seq: e.Seq, n: e.Count}
	if o.By == "key" {
		t.tag = e.Key + "\x00" + e.Scope
	}
	if first.seq == 0 || first.tag == t.tag {
		if t.seq >= first.seq {
			first = t
		}
		return first, more
	}
	if more == nil {
		more = map[string]tally{}
	}
	if t.seq >= more[t.tag].seq {
		more[t.tag] = t
	}
	return first, more
}

// live reports whether an observer sees effects as they happen.
func live(o *history.Observer) bool {
	return slices.Contains([]string{"provider", "smtp", "topic", hook}, o.Kind)
}

// settle finds out whether the observer was read after the last end. A settled
// mark stands for a reading that changed nothing.
func (u *unit) settle(g *Group, latest int64) {
	known := latest > 0 || live(u.observer)
	u.read = latest > u.last || live(u.observer) && g.ended
	for i := range u.ops {
		mark := settled(&u.ops[i])
		if mark == nil {
			return
		}
		u.changing = u.changing || mark.Attrs["stable"] == "false"
	}
	u.read = u.read || known
}

// settled is the mark that says that effects were read to the end after the
// last answer, if there is one.
func settled(op *history.Operation) *history.Event {
	last := lastOf(op)
	for i := len(op.Marks) - 1; i >= 0 && op.Marks[i].Seq > last; i-- {
		if op.Marks[i].Name == history.MarkSettled {
			return op.Marks[i]
		}
	}
	return nil
}

func lastOf(op *history.Operation) (last int64) {
	for i := range op.Attempts {
		last = max(last, lastSeq(&op.Attempts[i]))
	}
	return last
}

// witnesses are the effects that raised the count.
func (u *unit) witnesses() (seqs []int64) {
	counts := map[string]int{}
	for i := range u.ops {
		for _, e := range u.ops[i].Effects {
			tag := e.Op + "\x00" + e.Key + "\x00" + e.Scope
			if u.observer.By != "key" {
				tag = e.Op + "\x00" + e.Scope
			}
			if e.Name == u.observer.Name && e.Count > counts[tag] {
				counts[tag] = e.Count
				seqs = append(seqs, e.Seq)
			}
		}
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}
