package checkers

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"pgregory.net/rapid"
)

// The oracles say the same as the rules, the slow way: they try every
// assignment of effects to attempts, or look at every pair of attempts.

// small is a random small history: a few operations whose attempts begin and
// end in any order, with answers, effects and a contract that may be silent.
type small struct {
	h history.History
	c contract.Contract
}

func drawSmall(t *rapid.T, o history.Observer, axes ...string) small {
	b := newBook(o)
	b.calibrate("charge")
	b.open("x/charge")
	type flight struct {
		begin history.Event
		live  bool
	}
	var open []flight
	ids := []string{"r-1", "r-2"}[:rapid.IntRange(1, 2).Draw(t, "operations")]
	n := rapid.IntRange(1, 7).Draw(t, "attempts")
	finish := func(i int) {
		f := &open[i]
		f.live = false
		if s := rapid.SampledFrom([]string{"201", "201", "200", "402", "409", "422", "429", "500", "reset", ""}).Draw(t, "status"); s != "" {
			b.end(f.begin, s, rapid.SampledFrom([]string{one, two, `{"id":"ch_3","status":"paid"}`, "{}"}).Draw(t, "answer"))
		}
	}
	for n > 0 || slices.ContainsFunc(open, func(f flight) bool { return f.live }) {
		i := slices.IndexFunc(open, func(f flight) bool { return f.live })
		if i >= 0 && (n == 0 || rapid.Bool().Draw(t, "end")) {
			var live []int
			for i, f := range open {
				if f.live {
					live = append(live, i)
				}
			}
			finish(rapid.SampledFrom(live).Draw(t, "which"))
			continue
		}
		n--
		id := rapid.SampledFrom(ids).Draw(t, "id")
		what := rapid.SampledFrom([][]string{{}, {}, {}, {"key=k2"}, {"key=", "keyless=dropped"}, {"raw=other"},
			{"variant=/amount", "payload=p2", "raw=r2"}, {"payload=t2", "raw=t2"}}).Draw(t, "what")
		open = append(open, flight{b.begin(id, what...), true})
	}
	for _, id := range ids {
		if b.tries[id+"/"] == 0 {
			continue
		}
		if o.By != "key" {
			b.effect(o, id, rapid.IntRange(0, 4).Draw(t, "seen"))
			continue
		}
		b.effect(o, "k-"+id, rapid.IntRange(0, 3).Draw(t, "seen"))
	}
	if o.By == "key" {
		b.effect(o, "k2", rapid.IntRange(0, 3).Draw(t, "seen"))
	}
	c := contract.Contract{Name: "drawn"}
	for _, axis := range axes {
		if v := rapid.SampledFrom(legal[axis]).Draw(t, axis); v != "" {
			if err := c.Set(axis, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return small{b.done(), c}
}

var legal = map[string][]string{
	"mismatch": {"", "422", "reject", "replay", "execute"}, "replay": {"", "verbatim", "remapped", "current", "conflict", "accepted", "none"},
	"fingerprint": {"", "raw", "canonical", "key"}, "in_flight": {"", "409", "wait"}, "claim": {"", "3ms", "1h"}, "stored": {"", "2xx", "all"}, "scope": {"", "key"},
}

// failed are the operations that a rule fails.
func (s small) failed(r Rule) []string {
	bad := map[string]bool{}
	for _, c := range Judge(s.h, s.c, r).Cases {
		for _, v := range c.Violations {
			if v.Verdict == Fail {
				bad[v.Op] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(bad))
}

func (s small) ops() (ops []history.Operation) {
	for _, op := range newIndex(s.h).ops {
		if op.Case != history.CaseCalibration {
			ops = append(ops, op)
		}
	}
	return ops
}

// totals are all effect counts that one operation may have, found by trying
// every subset of its attempts.
func totals(op *history.Operation, variantsRun bool) map[int]bool {
	found := map[int]bool{}
	as := op.Attempts
	for set := range 1 << len(as) {
		n, ok, accepted := 0, true, false
		plain, all := map[key]int{}, map[key]int{}
		for i, a := range as {
			accepted = accepted || a.Outcome() == history.OK
			if set&(1<<i) == 0 {
				continue
			}
			n++
			k := keyOf(op, a)
			ok = ok && a.Outcome() != history.Refused
			all[k]++
			if variant(a) == "" {
				plain[k]++
			}
			ok = ok && plain[k] <= 1 && (variantsRun || all[k] <= 1)
		}
		if ok && (n > 0 || !accepted) {
			found[n] = true
		}
	}
	return found
}

func bothEnds(set map[int]bool) (lowest, highest int) {
	all := slices.Sorted(maps.Keys(set))
	return all[0], all[len(all)-1]
}

func lastCount(op *history.Operation) (n int) {
	for _, e := range op.Effects {
		n = e.Count
	}
	return n
}

// agree compares a rule with an oracle that names the operations at fault.
func agree(t *testing.T, r Rule, o history.Observer, axes []string, oracle func(s small, op *history.Operation) bool) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSmall(t, o, axes...)
		var want []string
		for _, op := range s.ops() {
			if oracle(s, &op) {
				want = append(want, op.ID)
			}
		}
		slices.Sort(want)
		if got := s.failed(r); !slices.Equal(got, want) {
			t.Fatalf("%s fails %v, the oracle %v\n%s", r.Name, got, want, dump(s))
		}
	})
}

func dump(s small) (text string) {
	for _, e := range s.h.Events {
		if e.Case != history.CaseCalibration {
			text += fmt.Sprintf("%d %s %s key=%s try=%d %s %s n=%d %v\n", e.Seq, e.Kind, e.Op, e.Key, e.Attempt, e.Status, e.Body, e.Count, e.Attrs)
		}
	}
	return text + fmt.Sprintf("%+v", s.c)
}

func TestOracleEffects(t *testing.T) {
	axes := []string{"mismatch"}
	lenient := func(s small) bool { return !s.c.Mismatch.Judged() || s.c.Mismatch.Has("execute") }
	atMost := func(s small, op *history.Operation) bool {
		_, highest := bothEnds(totals(op, lenient(s)))
		return lastCount(op) > highest
	}
	lost := func(s small, op *history.Operation) bool {
		lowest, _ := bothEnds(totals(op, true))
		return lastCount(op) < lowest
	}
	t.Run("at-most-once", func(t *testing.T) { agree(t, AtMostOnce, rows1, axes, atMost) })
	t.Run("no-lost-effect", func(t *testing.T) { agree(t, NoLostEffect, rows1, axes, lost) })
	t.Run("exactly-once", func(t *testing.T) {
		agree(t, ExactlyOnce, rows1, axes, func(s small, op *history.Operation) bool { return atMost(s, op) || lost(s, op) })
	})
	t.Run("refused-no-effect", func(t *testing.T) {
		agree(t, RefusedNoEffect, rows1, axes, func(s small, op *history.Operation) bool {
			return lastCount(op) > 0 && !slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool { return a.Outcome() != history.Refused })
		})
	})
}

// TestOracleKeys tries every assignment of effects to attempts of operations
// that share keys: what no assignment explains must fail, and what one explains
// must not.
func TestOracleKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSmall(t, byKey1, "mismatch")
		ops := s.ops()
		type place struct{ op, try int }
		var all []place
		seen := map[string]int{}
		for i, op := range ops {
			for j := range op.Attempts {
				all = append(all, place{i, j})
			}
			for _, e := range op.Effects {
				seen[e.Key] = e.Count
			}
		}
		explained := false
		for set := range 1 << len(all) {
			counts, each := map[string]int{}, map[string]int{}
			had := make([]bool, len(ops))
			ok := true
			for n, p := range all {
				if a := ops[p.op].Attempts[p.try]; set&(1<<n) != 0 {
					k := a.Begin.Key
					run := !s.c.Mismatch.Judged() || s.c.Mismatch.Has("execute")
					ok = ok && a.Outcome() != history.Refused
					had[p.op] = true
					counts[k]++
					if !run || variant(a) == "" {
						each[fmt.Sprint(p.op, k, a.Begin.Seq*int64(b2i(k == "")))]++
						ok = ok && each[fmt.Sprint(p.op, k, a.Begin.Seq*int64(b2i(k == "")))] <= 1
					}
				}
			}
			for i := range ops {
				ok = ok && (had[i] || accepted(&ops[i]) == nil)
			}
			for k, n := range seen {
				ok = ok && counts[k] == n
			}
			explained = explained || ok
		}
		// Effects without a key are never reported, so an accepted attempt that
		// lost its key explains nothing: such histories show only one direction.
		keyless := slices.ContainsFunc(s.h.Events, func(e history.Event) bool { return e.Attrs[history.AttrKeyless] == "dropped" })
		bad := s.failed(ExactlyOnce)
		if explained && len(bad) > 0 {
			t.Fatalf("a false alarm on %v\n%s", bad, dump(s))
		}
		if !explained && len(bad) == 0 && !keyless && len(ops) == 1 && !s.c.Mismatch.Has("replay") {
			t.Fatalf("missed\n%s", dump(s))
		}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// agreeAny compares whether a rule fails anything.
func agreeAny(t *testing.T, r Rule, axes []string, oracle func(s small) bool) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSmall(t, rows1, axes...)
		if got := s.failed(r); (len(got) > 0) != oracle(s) {
			t.Fatalf("%s fails %v, the oracle %v\n%s", r.Name, got, oracle(s), dump(s))
		}
	})
}
