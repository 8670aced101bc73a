package checkers

import (
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// oneByOne makes commands that do not overlap; ends are those that are not ok.
func oneByOne[S, C any](m *Machine[S, C], cs []C, ends ...history.Kind) []command[C] {
	out := make([]command[C], len(cs))
	for i, c := range cs {
		end := history.OK
		if i < len(ends) && ends[i] != "" {
			end = ends[i]
		}
		out[i] = command[C]{do: c, role: m.role(c), end: end, call: int64(2*i + 1), ret: int64(2*i + 2), op: "op", tries: 1}
		if end == history.Unknown {
			out[i].ret = forever
		}
	}
	return out
}

type sequence[C any] struct {
	name string
	cs   []C
	ends []history.Kind
	why  string // part of the reason; "": it fits
}

func holds[S, C any](t *testing.T, m Machine[S, C], all []sequence[C]) {
	t.Helper()
	for _, s := range all {
		f := m.decide(object[C]{commands: oneByOne(&m, s.cs, s.ends...)})
		if want := s.why; (f.verdict == Pass) != (want == "") || !strings.Contains(f.why, want) {
			t.Errorf("%s: %s: %s, want %q", s.name, f.verdict, f.why, want)
		}
	}
}

func TestLock(t *testing.T) {
	acquire := func(n int64) Locking { return Locking{Do: "acquire", Token: n} }
	lease := func(n int64) Locking { return Locking{Do: "acquire", Token: n, Lease: true} }
	release := func(n int64) Locking { return Locking{Do: "release", Token: n} }
	write := func(n int64) Locking { return Locking{Do: "write", Token: n} }
	no, perhaps := history.Refused, history.Unknown
	holds(t, Lock, []sequence[Locking]{
		{name: "one after the other", cs: []Locking{acquire(1), write(1), release(1), acquire(2), write(2)}},
		{name: "both hold it", cs: []Locking{acquire(1), acquire(2)}, why: "explains acquire 2"},
		{name: "a lease ran out", cs: []Locking{acquire(1), lease(2), write(2)}},
		{name: "the old holder is refused", cs: []Locking{acquire(1), lease(2), write(2), write(1)}, ends: []history.Kind{"", "", "", no}},
		{name: "the old holder writes", cs: []Locking{acquire(1), lease(2), write(2), write(1)}, why: "write 1 was taken after write 2"},
		{name: "the old holder writes first", cs: []Locking{acquire(1), lease(2), write(1), write(2)}},
		{name: "a token twice", cs: []Locking{acquire(1), release(1), acquire(1)}, why: "token 1 was given twice"},
		{name: "a lower token", cs: []Locking{acquire(3), release(3), acquire(2)}, why: "given token 2 after 3"},
		{name: "refused while held", cs: []Locking{acquire(1), acquire(0)}, ends: []history.Kind{"", no}},
		{name: "refused while free", cs: []Locking{acquire(0)}, ends: []history.Kind{no}, why: "explains acquire (refused)"},
		{name: "the holder's write refused", cs: []Locking{acquire(1), write(1)}, ends: []history.Kind{"", no}, why: "explains write 1 (refused)"},
		{name: "nobody knows whether it is held", cs: []Locking{acquire(0), acquire(0), acquire(1)}, ends: []history.Kind{perhaps, no, ""}, why: "explains"},
		{name: "perhaps held", cs: []Locking{acquire(0), acquire(0)}, ends: []history.Kind{perhaps, no}},
		{name: "the old holder, and perhaps a new one", cs: []Locking{acquire(1), release(1), acquire(0), acquire(0), release(1), write(1)},
			ends: []history.Kind{"", "", perhaps, no, no, no}},
		{name: "perhaps released", cs: []Locking{acquire(1), release(1), acquire(2)}, ends: []history.Kind{"", perhaps, ""}},
		{name: "a token nobody had", cs: []Locking{acquire(1), write(5)}, why: "explains write 5"},
	})
}

func TestJobs(t *testing.T) {
	put := Job{Do: "enqueue", ID: "j"}
	take, none, ack := Job{Do: "take", ID: "j"}, Job{Do: "take"}, Job{Do: "ack", ID: "j"}
	no, perhaps := history.Refused, history.Unknown
	holds(t, Jobs, []sequence[Job]{
		{name: "once", cs: []Job{none, put, take, ack, none}},
		{name: "again before it is done", cs: []Job{put, take, take, ack}},
		{name: "in flight", cs: []Job{put, take, none}},
		{name: "lost", cs: []Job{put, none}, why: "explains take: none there"},
		{name: "perhaps enqueued", cs: []Job{put, none}, ends: []history.Kind{perhaps}},
		{name: "perhaps enqueued, and taken", cs: []Job{put, none, take}, ends: []history.Kind{perhaps}},
		{name: "refused, and taken", cs: []Job{put, take}, ends: []history.Kind{no}, why: "before anybody enqueued it"},
		{name: "out of nowhere", cs: []Job{take}, why: "before anybody enqueued it"},
		{name: "after it is done", cs: []Job{put, take, ack, take}, why: "after it had been acknowledged"},
		{name: "enqueued again", cs: []Job{put, take, ack, put, take}, why: "after it had been acknowledged"},
		{name: "perhaps done", cs: []Job{put, take, ack, take}, ends: []history.Kind{"", "", perhaps}},
		{name: "somebody perhaps took it", cs: []Job{put, none, none}, ends: []history.Kind{"", perhaps}},
		{name: "an ack of nothing", cs: []Job{ack, put, take}},
	})
}

func TestLedger(t *testing.T) {
	in := func(n int64) Posting { return Posting{To: "a", Amount: n} }
	out := func(n int64) Posting { return Posting{From: "a", Amount: n} }
	move := Posting{From: "a", To: "b", Amount: 5}
	look := func(account string, n int64) Posting { return Posting{Look: account, Balance: n} }
	no, perhaps := history.Refused, history.Unknown
	holds(t, Ledger, []sequence[Posting]{
		{name: "moves", cs: []Posting{in(10), move, look("a", 5), look("b", 5), out(5), look("a", 0)}},
		{name: "twice", cs: []Posting{in(10), look("a", 20)}, why: "only 10 can be"},
		{name: "lost", cs: []Posting{in(10), look("a", 0)}, why: "only 10 can be"},
		{name: "half of a move", cs: []Posting{in(10), move, look("a", 5), look("b", 0)}, why: "only 5 can be"},
		{name: "refused, and done", cs: []Posting{in(10), look("a", 10)}, ends: []history.Kind{no}, why: "only 0 can be"},
		{name: "perhaps", cs: []Posting{in(10), look("a", 0), look("a", 10)}, ends: []history.Kind{perhaps}},
		{name: "perhaps, and undone", cs: []Posting{in(10), look("a", 10), look("a", 0)}, ends: []history.Kind{perhaps}, why: "explains look at a"},
		{name: "below zero", cs: []Posting{out(1)}, why: "explains 1 from a"},
		{name: "an overdraft", cs: []Posting{{From: "a", Amount: 1, Overdraft: true}, look("a", -1)}},
	})
}

func TestRegister(t *testing.T) {
	w := func(v string) Access { return Access{Write: true, Value: v} }
	r := func(v string) Access { return Access{Value: v} }
	perhaps := history.Unknown
	holds(t, Register, []sequence[Access]{
		{name: "the last write", cs: []Access{r(""), w("a"), r("a"), w("b"), r("b")}},
		{name: "stale", cs: []Access{w("a"), w("b"), r("a")}, why: `"a" came back after "b" had come`},
		{name: "back again", cs: []Access{w("a"), r("a"), w("b"), r("b"), r("a")}, why: `"a" came back after "b" had come`},
		{name: "the beginning comes back", cs: []Access{w("a"), r("")}, why: `"" came back after "a" had come`},
		{name: "late", cs: []Access{w("a"), w("b"), r("b"), r("a")}, ends: []history.Kind{perhaps}},
		{name: "late, and gone again", cs: []Access{w("a"), w("b"), r("b"), r("a"), r("b")}, ends: []history.Kind{perhaps}, why: "came back"},
		{name: "early", cs: []Access{r("a"), w("a")}, why: `read "a" ended before anybody began to write it`},
		{name: "nobody's", cs: []Access{r("z")}, why: "which nobody wrote"},
	})
}

// TestEqualThatPanics lets the search compare states that have a == and hold what
// has none; at first they hold nothing.
func TestEqualThatPanics(t *testing.T) {
	m := Machine[any, Access]{
		Step:  func(_ any, a Access, _ history.Kind) (any, bool) { return []string{a.Value}, a.Write },
		Equal: func(a, b any) bool { return a == b },
	}
	cs := make([]command[Access], 3) // all at the same time
	for i := range cs {
		cs[i] = command[Access]{do: Access{Write: true, Value: "a"}, end: history.OK, call: 1, ret: 2}
	}
	cs = append(cs, command[Access]{end: history.OK, call: 3, ret: 4})
	if f := m.decide(object[Access]{commands: cs}); f.verdict != Inconclusive || !strings.Contains(f.why, "broke down: runtime error: comparing") {
		t.Errorf("%s: %s", f.verdict, f.why)
	}
}
