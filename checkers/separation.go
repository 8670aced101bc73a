package checkers

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/history"
)

// separation: operations of one case do not take each other's place.
func separation(groups []Group) (vs []Violation) {
	vs = append(vs, leaks(groups)...)
	seen := map[string]bool{}
	for _, v := range vs {
		seen[v.Op] = true
	}
	vs = append(vs, strangers(groups, seen)...)
	kin := sync.OnceValue(func() kin { return relations(groups) })
	for i := range groups {
		vs = append(vs, swallowed(&groups[i], kin)...)
		vs = append(vs, merged(&groups[i], kin)...)
	}
	return vs
}

// sighting is an answer in which an operation showed its telling values.
type sighting struct {
	op   *history.Operation
	end  *history.Event
	g    *Group
	hash uint64
}

// leaks finds the telling values of one operation in the answer to another.
// Sightings are found by a hash; what has the same hash is compared.
func leaks(groups []Group) (vs []Violation) {
	seed := maphash.MakeSeed()
	found := make([][]sighting, parts(len(groups)))
	inParts(len(groups), func(part, from, to int) {
		found[part] = sightings(groups[from:to], seed)
	})
	all := found[0]
	if len(found) > 1 {
		all = slices.Concat(found...)
	}
	owners := make(map[uint64]int32, len(all))
	done := map[*history.Operation]bool{}
	for i := range all {
		is := &all[i]
		n, known := owners[is.hash]
		if !known {
			owners[is.hash] = int32(i)
		} else if was := &all[n]; mixed(was.op, is.op) && !done[is.op] {
			if v, ok := leak(was, is); ok {
				vs = append(vs, v)
				done[is.op] = true
			}
		}
	}
	return vs
}

func sightings(groups []Group, seed maphash.Seed) []sighting {
	all := make([]sighting, 0, len(groups))
	picker := newPicker()
	look := func(g *Group, op *history.Operation, end *history.Event, tell []string) {
		if values, n := picker.pick(end.Body, tell); n == len(tell) {
			all = append(all, sighting{op, end, g, hash(seed, tell, values)})
		}
	}
	name, tell := "", []string(nil)
	for gi := range groups {
		g := &groups[gi]
		for i := range g.Operations {
			op := &g.Operations[i]
			if op.Name != name || tell == nil {
				name, tell = op.Name, g.Calibration[op.Name].Telling
			}
			d := g.digest(i)
			if len(tell) == 0 || d.ok == 0 {
				continue
			}
			if d.alike {
				look(g, op, d.entry.ok, tell)
				continue
			}
			for _, a := range op.Attempts {
				if a.Outcome() == history.OK {
					look(g, op, a.End, tell)
				}
			}
		}
	}
	return all
}

func hash(seed maphash.Seed, pointers, values []string) (sum uint64) {
	for i, v := range values {
		sum = sum*31 + maphash.String(seed, v) + maphash.String(seed, pointers[i])
	}
	return sum
}

// mixed reports whether two operations must not show the same values: those of
// another name may, unless the key was the same.
func mixed(a, b *history.Operation) bool {
	return !sameOperation(a, b) && (a.Name == b.Name || shareKey(a, b))
}

func sameOperation(a, b *history.Operation) bool { return a.ID == b.ID && a.Scope == b.Scope }

func shareKey(a, b *history.Operation) bool {
	return len(a.Attempts) > 0 && len(b.Attempts) > 0 && keyOf(a, a.Attempts[0]) == keyOf(b, b.Attempts[0])
}

// leak tells of two sightings with the same hash, if they are the same.
func leak(was, is *sighting) (v Violation, ok bool) {
	values, _ := pick(is.end.Body, is.g.Calibration[is.op.Name].Telling)
	others, _ := pick(was.end.Body, was.g.Calibration[was.op.Name].Telling)
	if !slices.Equal(values, others) {
		return v, false
	}
	// The one that was answered later was given what belongs to the other.
	if was.end.Seq > is.end.Seq {
		was, is = is, was
	}
	first, op := was.op, is.op
	v = Violation{Rule: "separation", Verdict: Fail, Op: op.ID, Scope: op.Scope, Witnesses: []int64{was.end.Seq, is.end.Seq},
		Reason: fmt.Sprintf("%s was answered %s %s, which belongs to %s.", called(op), is.end.Status, strings.Join(values, " "), called(first))}
	if c := is.g.Contract; c.Scope.Judged() && c.Scope.Has("key") && shareKey(first, op) && first.Scope != op.Scope {
		v.Verdict = Note // the contract says that the key alone tells operations apart
	}
	if first.ID == op.ID && was.g == is.g && is.g.allThere() {
		v.Verdict, v.Reason = Note, fmt.Sprintf("%s and %s were answered alike (%s), and each took effect: the service makes it from what it was asked.",
			called(first), called(op), strings.Join(values, " "))
		return v, true
	}
	v.Differences = inBoth(was.end, is.end, is.g.Calibration[op.Name].Telling)
	v.Cause, v.Cure = whyMerged(first, op)
	return v, true
}

// whyMerged guesses why a service takes two operations for one.
func whyMerged(first, op *history.Operation) (cause, cure string) {
	switch {
	case shareKey(first, op) && first.Scope != op.Scope:
		return "the key is looked up without the tenant that it belongs to.", "make the tenant part of the key's unique index."
	case shareKey(first, op):
		return "both carried the same key.", "use a new key for each operation."
	case look(first, op):
		return "the two ids or keys look alike, and the service takes them for one.",
			"keep them whole and compare them byte by byte: a binary collation, a column that is long enough, no trimming."
	case sharePayload(first, op):
		return "the two have the same content, and the service tells operations apart by it.", "tell operations apart by the caller's key."
	}
	return "", ""
}

func sharePayload(a, b *history.Operation) bool {
	return a.Attempts[0].Begin.Payload != "" && a.Attempts[0].Begin.Payload == b.Attempts[0].Begin.Payload
}
