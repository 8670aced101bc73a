package history

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// sketch is an operation by the numbers of its events.
type sketch struct {
	id, scope, attempts, effects, faults, marks string
}

func sketches(h History) []sketch {
	var all []sketch
	seqs := func(es []*Event) string {
		var s []int64
		for _, e := range es {
			s = append(s, e.Seq)
		}
		return fmt.Sprint(s)
	}
	for op := range h.Operations() {
		var attempts []string
		for _, a := range op.Attempts {
			end := int64(0)
			if a.End != nil {
				end = a.End.Seq
			}
			attempts = append(attempts, fmt.Sprintf("%d-%d", a.Begin.Seq, end))
		}
		all = append(all, sketch{op.ID, op.Scope, fmt.Sprint(attempts), seqs(op.Effects), seqs(op.Faults), seqs(op.Marks)})
	}
	return all
}

// numbered gives events their numbers.
func numbered(events ...Event) History {
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	return History{Events: events}
}

func TestOperationsAttempts(t *testing.T) {
	h := numbered(
		Event{Kind: Invoke, Op: "b", Attempt: 1, Name: "charge", Case: "c"},
		Event{Kind: Invoke, Op: "a", Attempt: 2},
		Event{Kind: Invoke, Op: "a", Attempt: 1},
		Event{Kind: OK, Op: "a", Attempt: 1},
		Event{Kind: Invoke, Op: "a", Attempt: 3},
		Event{Kind: Refused, Op: "a", Attempt: 2},
		Event{Kind: Invoke, Op: "a", Scope: "bob", Attempt: 1},
		Event{Kind: OK, Op: "a", Scope: "bob", Attempt: 1},
		Event{Kind: OK, Op: "b", Attempt: 7},        // its invoke is missing
		Event{Kind: Invoke, Op: "b", Attempt: 1},    // the number a second time
		Event{Kind: Unknown, Op: "b", Attempt: 1},   // ends the first
		Event{Kind: OK, Op: "b", Attempt: 1},        // ends the second
		Event{Kind: Invoke, Op: "b", Attempt: 2000}, // never ends
	)
	want := []sketch{
		{"b", "", "[1-11 9-9 10-12 13-0]", "[]", "[]", "[]"},
		{"a", "", "[2-6 3-4 5-0]", "[]", "[]", "[]"},
		{"a", "bob", "[7-8]", "[]", "[]", "[]"},
	}
	got := sketches(h)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for op := range h.Operations() {
		if op.ID != "b" || op.Name != "charge" || op.Case != "c" {
			t.Errorf("%+v", op)
		}
		if o := op.Attempts[0].Outcome(); o != Unknown {
			t.Errorf("outcome %s", o)
		}
		if o := op.Attempts[3].Outcome(); o != Unknown {
			t.Errorf("outcome without an end %s", o)
		}
		if op.Attempts[0].Begin != &h.Events[0] {
			t.Error("events are copied")
		}
		break
	}
}

func TestOperationsJoin(t *testing.T) {
	got := sketches(numbered(
		Event{Kind: Mark, Name: MarkCase, Case: "c"},
		Event{Kind: Invoke, Op: "a", Scope: "s", Key: "k1", Attempt: 1, Case: "c"},
		Event{Kind: Invoke, Op: "a", Scope: "t", Key: "k2", Attempt: 1, Case: "d"},
		Event{Kind: Invoke, Op: "b", Scope: "s", Key: "k1", Attempt: 1, Case: "c"},
		Event{Kind: Invoke, Op: "b", Scope: "s", Key: "k3", Attempt: 2, Case: "c"},
		Event{Kind: Invoke, Op: "b", Scope: "s", Key: "k1", Attempt: 3, Case: "c"},
		Event{Kind: Effect, Op: "a", Key: "p-81"},
		Event{Kind: Effect, Op: "a", Scope: "t"},
		Event{Kind: Effect, Op: "a", Scope: "u"},
		Event{Kind: Effect, Key: "k1"},
		Event{Kind: Effect, Key: "k1", Scope: "t"},
		Event{Kind: Effect, Key: "k3"},
		Event{Kind: Effect, Key: "p-81"},
		Event{Kind: Effect, Op: "foreign", Key: "k1"},
		Event{Kind: Effect},
		Event{Kind: Fault, Op: "a", Scope: "s"},
		Event{Kind: Fault, Op: "b"},
		Event{Kind: Fault, Case: "c"},
		Event{Kind: Mark, Op: "b", Case: "c"},
		Event{Kind: Mark, Case: "c"},
		Event{Kind: Mark},
		Event{Kind: State, Op: "a"},
	))
	want := []sketch{
		{"a", "s", "[2-0]", "[7 10]", "[16]", "[1 20]"},
		{"a", "t", "[3-0]", "[7 8]", "[]", "[]"},
		{"b", "s", "[4-0 5-0 6-0]", "[10 12]", "[17]", "[1 19 20]"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestOperationsAgainstOracle compares with the rules of Operations written down
// one by one, on small random histories.
func TestOperationsAgainstOracle(t *testing.T) {
	for seed := range uint64(3000) {
		h := randomHistory(rand.New(rand.NewPCG(seed, 0)))
		got, want := sketches(h), oracle(h)
		if !reflect.DeepEqual(got, want) {
			for _, e := range h.Events {
				t.Logf("%d %s op=%q scope=%q key=%q case=%q attempt=%d", e.Seq, e.Kind, e.Op, e.Scope, e.Key, e.Case, e.Attempt)
			}
			t.Fatalf("seed %d:\ngot  %v\nwant %v", seed, got, want)
		}
	}
}

func randomHistory(r *rand.Rand) History {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	var events []Event
	for range r.IntN(25) {
		e := Event{
			Kind: Kind(pick("invoke", "invoke", "ok", "refused", "effect", "effect", "fault", "mark", "state")),
			Op:   pick("a", "b"), Scope: pick("", "s", "t"), Key: pick("", "k", "l"), Case: pick("c", "d"), Attempt: 1 + r.IntN(3),
		}
		if !e.Kind.ends() && e.Kind != Invoke {
			e.Op = pick("", "a", "b", "z")
		}
		events = append(events, e)
	}
	return numbered(events...)
}

func oracle(h History) []sketch {
	type attempt struct{ begin, end int64 }
	var ids []identity
	attempts := map[identity][]attempt{}
	cases := map[identity]string{}
	keys := map[identity]map[string]bool{}
	add := func(e Event) identity {
		id := identity{e.Op, e.Scope}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
			cases[id] = e.Case
			keys[id] = map[string]bool{}
		}
		return id
	}
	number := map[int64]int{}
	for _, e := range h.Events {
		number[e.Seq] = e.Attempt
		if e.Kind == Invoke {
			id := add(e)
			attempts[id] = append(attempts[id], attempt{e.Seq, 0})
			keys[id][e.Key] = true
		} else if e.Kind.ends() {
			add(e)
		}
	}
	for _, e := range h.Events {
		if !e.Kind.ends() {
			continue
		}
		id := add(e)
		open := slices.IndexFunc(attempts[id], func(a attempt) bool { return a.end == 0 && number[a.begin] == e.Attempt })
		if open >= 0 {
			attempts[id][open].end = e.Seq
		} else {
			attempts[id] = append(attempts[id], attempt{e.Seq, e.Seq})
			keys[id][e.Key] = true
		}
	}
	var all []sketch
	for _, id := range ids {
		s := sketch{id: id.id, scope: id.scope}
		slices.SortFunc(attempts[id], func(a, b attempt) int { return int(a.begin - b.begin) })
		var as []string
		for _, a := range attempts[id] {
			as = append(as, fmt.Sprintf("%d-%d", a.begin, a.end))
		}
		var effects, faults, marks []int64
		for _, e := range h.Events {
			scoped := e.Scope == "" || e.Scope == id.scope
			named := e.Op == id.id && scoped
			switch {
			case e.Kind == Effect && (named || e.Op == "" && e.Key != "" && keys[id][e.Key] && scoped):
				effects = append(effects, e.Seq)
			case e.Kind == Fault && named:
				faults = append(faults, e.Seq)
			case e.Kind == Mark && (named || e.Op == "" && e.Case == cases[id]):
				marks = append(marks, e.Seq)
			}
		}
		s.attempts, s.effects, s.faults, s.marks = fmt.Sprint(as), fmt.Sprint(effects), fmt.Sprint(faults), fmt.Sprint(marks)
		all = append(all, s)
	}
	return all
}

// BenchmarkOperations is a million attempts on 250,000 operations, and the same
// on ten.
func BenchmarkOperations(b *testing.B) {
	for _, operations := range []int{250_000, 10} {
		h := manyAttempts(operations, 1_000_000)
		b.Run(fmt.Sprint(operations), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for op := range h.Operations() {
					n += len(op.Attempts)
				}
				if n != 1_000_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

func manyAttempts(operations, attempts int) History {
	var events []Event
	for i := range attempts {
		op := i % operations
		e := Event{Kind: Invoke, Op: fmt.Sprintf("r7k2m9-%d", op), Key: fmt.Sprintf("key-%d", op), Case: "plain/charge", Attempt: i/operations + 1}
		end := e
		end.Kind = OK
		events = append(events, e, end)
		if e.Attempt == 1 {
			events = append(events, Event{Kind: Effect, Key: e.Key, Count: 1})
		}
	}
	return numbered(events...)
}
