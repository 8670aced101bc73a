package checkers

import (
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// bounds is how many effects some operations must and may have.
type bounds struct {
	lower, upper int
	slack        int   // effects above upper that nothing promises to prevent: noted, not failed
	unkeyed      int   // part of the lower bound that may hide from an observer of keys
	keys         int   // (operation, key) pairs that may have had an effect
	last         int64 // place of the last end
}

// Bounds is how many effects the group must have, may have, and was seen to
// have at an observer.
func (g Group) Bounds(observer string) (lower, upper, seen int) {
	for i := range g.Observers {
		if g.Observers[i].Name == observer {
			g.units(&g.Observers[i], func(u *unit) {
				lower, upper, seen = lower+u.lower, upper+u.upper, seen+u.seen
			})
		}
	}
	return lower, upper, seen
}

// only limits the bounds of an operation to one key; nil means all.
type only *key

// add adds the bounds of one operation.
func (b *bounds) add(c *contract.Contract, o *history.Observer, op *history.Operation, under only) {
	expect := max(1, o.Expect)
	expires := expiryOf(c)
	var life []int
	if expires != never {
		life = lives(op, c.Life)
	}
	var t triples
	asked, answered := misled(o, op), told(op)
	ok, unkeyed, entered := acknowledges(answered), false, false
	for i := range op.Attempts {
		a := &op.Attempts[i]
		b.last = max(b.last, lastSeq(a))
		outcome := a.Outcome()
		if outcome == history.Refused {
			continue
		}
		k := keyOf(op, *a)
		if under != nil && k != *under {
			continue
		}
		ok = ok || outcome == history.OK
		unkeyed = unkeyed || k.key == "" || badKey(a) != "" // under which key a bad one is kept is the service's affair
		if denies(answered, op, a) {
			continue
		}
		if a.Begin.Attrs[history.AttrEntry] != "" {
			entered = true // entry_of: says that it is the same operation, whatever its key there
			continue
		}
		if under == nil && asked != nil && a.Begin.Seq > asked.Seq {
			k = keyOf(op, op.Attempts[0]) // it would not have come under another key
		}
		t.add(a, k, life, i)
	}
	if entered && t.keys.size() == 0 {
		t.enter(op)
	}
	switch {
	case ok && unkeyed && o.By == "key":
		b.unkeyed += expect
	case ok:
		b.lower += expect
	}
	b.keys += t.keys.size()
	upper, slack := t.count(c, expires)
	if byID(o, op, life) {
		upper, slack = min(upper, 1), 0
	}
	b.upper += expect * upper
	b.slack += expect * slack
}

// triples are the (operation, key, life) triples of one operation that have an
// attempt which was not refused.
type triples struct {
	keys, plain few[key] // plain: with an attempt whose payload was not changed
	lives       few[keyLife]
	variants    int
}

type keyLife struct {
	key  key
	life int
}

func (t *triples) add(a *history.Attempt, k key, life []int, i int) {
	t.keys.add(k)
	if variant(*a) == "" {
		t.plain.add(k)
	} else {
		t.variants++
	}
	if life != nil {
		t.lives.add(keyLife{k, life[i]})
	}
}

// enter makes one triple of an operation that came in by other ways only.
func (t *triples) enter(op *history.Operation) {
	k := key{key: op.ID}
	t.keys.add(k)
	t.plain.add(k)
	t.lives.add(keyLife{k, 0})
}

func (t *triples) count(c *contract.Contract, expires expiry) (upper, slack int) {
	upper = t.keys.size()
	later := max(0, t.lives.size()-upper)
	if expires == always {
		upper += later
	} else {
		slack += later
	}
	// Where a key only had changed payloads, one of them was its first.
	changed := t.variants - (t.keys.size() - t.plain.size())
	switch {
	case !c.Mismatch.Judged():
		slack += changed
	case c.Mismatch.Has("execute"):
		upper += changed
	}
	return upper, slack
}
