package checkers

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/history"
)

// fitsSlowly tries every order, with and without what is unknown.
func fitsSlowly[S, C any](m *Machine[S, C], s S, cs []command[C]) bool {
	if !slices.ContainsFunc(cs, func(c command[C]) bool { return c.ret != forever }) {
		return true
	}
	for i := range cs {
		if slices.ContainsFunc(cs, func(d command[C]) bool { return d.ret < cs[i].call }) {
			continue // that one comes before
		}
		rest := slices.Delete(slices.Clone(cs), i, i+1)
		if cs[i].ret == forever && fitsSlowly(m, s, rest) {
			return true // it never happened
		}
		if next, ok := m.Step(s, cs[i].do, cs[i].end); ok && fitsSlowly(m, next, rest) {
			return true
		}
	}
	return false
}

// drawCommands draws commands that overlap as they like. A machine that is mostly
// kept to makes their answers, so that many of them fit.
func drawCommands[S, C any](t *rapid.T, m *Machine[S, C], ask func(t *rapid.T, s S, i int) C) []command[C] {
	n := rapid.IntRange(1, 6).Draw(t, "n")
	places := rapid.Permutation(seq(2*n)).Draw(t, "places")
	cs := make([]command[C], n)
	s := m.init("x")
	for i := range cs {
		a, b := int64(places[2*i]+1), int64(places[2*i+1]+1)
		c := command[C]{call: min(a, b), ret: max(a, b), op: fmt.Sprint("op-", i), tries: 1}
		c.end = rapid.SampledFrom([]history.Kind{history.OK, history.OK, history.OK, history.Unknown, history.Refused}).Draw(t, "end")
		c.do = ask(t, s, i)
		c.role = m.role(c.do)
		if c.end == history.Unknown {
			c.ret = forever
		}
		if c.role == Look {
			c.end, c.ret = history.OK, max(a, b)
		}
		if next, ok := m.Step(s, c.do, c.end); ok {
			s = next
		}
		cs[i] = c
	}
	slices.SortFunc(cs, func(a, b command[C]) int { return int(a.call - b.call) })
	return cs
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// agrees compares a machine with the slow oracle, once by all its means and once
// without its bounds.
func agrees[S, C any](t *testing.T, m Machine[S, C], ask func(t *rapid.T, s S, i int) C) {
	t.Helper()
	verdicts := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		cs := drawCommands(t, &m, ask)
		want := Fail
		if fitsSlowly(&m, m.init("x"), cs) {
			want = Pass
		}
		verdicts[want]++
		plain := m
		plain.bounds = nil
		for name, m := range map[string]Machine[S, C]{"bounds": m, "search": plain} {
			got := m.decide(object[C]{name: "x", commands: cs})
			if got.verdict != want {
				t.Fatalf("%s: %s (%s), want %s:\n%s", name, got.verdict, got.why, want, table(cs, []int{0}))
			}
			if got.verdict == Fail && (got.why == "" || len(got.witnesses) == 0) {
				t.Fatalf("%s: no reason or no witness: %+v", name, got)
			}
		}
	})
	t.Log(verdicts)
	if verdicts[Pass] < 10 || verdicts[Fail] < 10 {
		t.Errorf("%v: too few of one verdict", verdicts)
	}
}

func TestRegisterAgrees(t *testing.T) {
	agrees(t, Register, func(t *rapid.T, s string, i int) Access {
		if rapid.Bool().Draw(t, "write") {
			return Access{Write: true, Value: fmt.Sprint(i)} // all differ
		}
		return Access{Value: rapid.SampledFrom([]string{s, s, "", "0", "1", "2"}).Draw(t, "value")}
	})
}

func TestRegisterOfSameValuesAgrees(t *testing.T) {
	agrees(t, Register, func(t *rapid.T, s string, _ int) Access {
		v := rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "value")
		if rapid.Bool().Draw(t, "write") {
			return Access{Write: true, Value: v}
		}
		return Access{Value: rapid.SampledFrom([]string{s, v}).Draw(t, "seen")}
	})
}

func TestLedgerAgrees(t *testing.T) {
	accounts := []string{"a", "b"}
	agrees(t, Ledger, func(t *rapid.T, s map[string]int64, _ int) Posting {
		x, y := rapid.SampledFrom(accounts).Draw(t, "x"), rapid.SampledFrom(accounts).Draw(t, "y")
		n := rapid.Int64Range(1, 3).Draw(t, "n")
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			return Posting{To: x, Amount: n}
		case 1:
			return Posting{From: x, Amount: n, Overdraft: n == 3}
		case 2:
			return Posting{From: x, To: y, Amount: n}
		}
		off := rapid.SampledFrom([]int64{0, 0, 0, n}).Draw(t, "off")
		return Posting{Look: x, Balance: s[x] + off}
	})
}

func TestLockAgrees(t *testing.T) {
	agrees(t, Lock, func(t *rapid.T, s holding, _ int) Locking {
		lease := rapid.Bool().Draw(t, "lease")
		by := max(0, s.token+rapid.Int64Range(-1, 1).Draw(t, "off"))
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			return Locking{Do: "acquire", Token: by + 1, Lease: lease}
		case 1:
			return Locking{Do: "release", Token: by, Lease: lease}
		}
		return Locking{Do: "write", Token: by, Lease: lease}
	})
}

func TestJobsAgree(t *testing.T) {
	agrees(t, Jobs, func(t *rapid.T, s backlog, _ int) Job {
		id := rapid.SampledFrom([]string{"j1", "j2"}).Draw(t, "id")
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			return Job{Do: "enqueue", ID: id}
		case 1:
			return Job{Do: "ack", ID: id}
		case 2:
			return Job{Do: "take", ID: id}
		}
		return Job{Do: "take"}
	})
}
