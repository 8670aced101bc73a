package checkers

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// wide is a legal history of ops operations with n attempts each, which arrive
// in random order from 16 clients, and one effect each.
func wide(ops, n int) history.History {
	b := newBook(rows1)
	b.h.Events = make([]history.Event, 0, ops*(2*n+1)+16)
	b.calibrate("charge")
	add := func(e history.Event) {
		e.Seq = int64(len(b.h.Events) + 1)
		e.At = e.Seq * 1000
		e.Case = "plain/charge"
		b.h.Events = append(b.h.Events, e)
	}
	order := make([]int, 0, ops*n)
	for i := range ops * n {
		order = append(order, i%ops)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	tries, begun := make([]int, ops), make([]int, 16)
	for from := 0; from < len(order); from += 16 {
		clients := order[from:min(from+16, len(order))]
		for c, i := range clients {
			id := "r-" + strconv.Itoa(i)
			tries[i]++
			begun[c] = tries[i]
			add(history.Event{Kind: history.Invoke, Op: id, Name: "charge", Key: "k-" + id, Attempt: tries[i], Payload: "p-" + id,
				Attrs: map[string]string{history.AttrRaw: "raw-" + id, history.AttrRequest: "POST /charges"}})
		}
		for c, i := range clients {
			id := "r-" + strconv.Itoa(i)
			add(history.Event{Kind: history.OK, Op: id, Attempt: begun[c], Status: "201", Answer: "a-" + id,
				Body: `{"id":"ch_` + strconv.Itoa(i) + `","order":"` + id + `","amount":500,"status":"paid"}`})
		}
	}
	for i := range ops {
		add(history.Event{Kind: history.Effect, Name: rows1.Name, Op: "r-" + strconv.Itoa(i), Count: 1})
	}
	add(history.Event{Kind: history.Mark, Name: history.MarkEnd})
	return b.h
}

// indexed makes the groups that rules judge.
func indexed(h history.History, c *contract.Contract) []Group {
	x := newIndex(h)
	cal := x.calibrate(&h)
	cases, _ := collect(&h, x)
	last := cases[len(cases)-1]
	return newFrame(&h, x, c, cal, cal).groups(last.ops, last.entries)
}

// register is the same property for porcupine: the first attempt of an
// operation creates an effect, the others must be answered with it.
type input struct{ op, mine int32 }

var register = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		byOp := map[int32][]porcupine.Operation{}
		for _, o := range all {
			byOp[o.Input.(input).op] = append(byOp[o.Input.(input).op], o)
		}
		parts := make([][]porcupine.Operation, 0, len(byOp))
		for _, p := range byOp {
			parts = append(parts, p)
		}
		return parts
	},
	Init: func() any { return int32(0) },
	Step: func(state, in, out any) (bool, any) {
		if s := state.(int32); s != 0 {
			return out.(int32) == s, s
		}
		return out.(int32) == in.(input).mine, out
	},
}

func asOperations(groups []Group) (ops []porcupine.Operation) {
	for gi := range groups {
		for i, a := range groups[gi].Operations[0].Attempts {
			mine := int32(2*gi + 2) // what this attempt would have created
			if i == 0 {
				mine = int32(2*gi + 1)
			}
			ops = append(ops, porcupine.Operation{ClientId: gi % 16, Input: input{int32(gi), mine}, Call: a.Begin.Seq,
				Output: int32(2*gi + 1), Return: a.End.Seq})
		}
	}
	slices.SortFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return ops
}

// BenchmarkRulesVsPorcupine runs ours and porcupine in turn on the same legal
// history; x/peer is porcupine's time over ours. Both begin with what an index
// gives: attempts with requests and answers as numbers.
func BenchmarkRulesVsPorcupine(b *testing.B) {
	if testing.Short() {
		b.Skip("a million attempts: runs without -short")
	}
	c, _ := contract.Lookup("ietf")
	groups := indexed(wide(250_000, 4), &c)
	peer := asOperations(groups)
	all := slices.DeleteFunc(slices.Clone(Catalogue), func(r Rule) bool { return r.Name == ExactlyOnce.Name }) // that is two of the others
	b.Run("register", func(b *testing.B) { race(b, groups, peer, SameAnswer) })
	b.Run("all-rules", func(b *testing.B) { race(b, groups, peer, all...) })
	b.Run("hot", hot)
	b.Run("pending", pending)
}

func race(b *testing.B, groups []Group, peer []porcupine.Operation, rules ...Rule) {
	var ours, theirs time.Duration
	for b.Loop() {
		runtime.GC() // of what the other left
		start := time.Now()
		if vs := runAll(rules, groups); len(vs) > 0 {
			b.Fatal(vs[0])
		}
		ours += time.Since(start)
		runtime.GC()
		start = time.Now()
		if !porcupine.CheckOperations(register, peer) {
			b.Fatal("porcupine says no")
		}
		theirs += time.Since(start)
	}
	b.ReportMetric(float64(theirs)/float64(ours), "x/peer")
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N)/float64(len(peer)), "ns/attempt")
}

// hot is a million attempts on ten operations: there porcupine, whose memory
// grows with the square of the attempts on one key, runs out of it.
func hot(b *testing.B) {
	c, _ := contract.Lookup("ietf")
	few, many := indexed(wide(10, 10_000), &c), indexed(wide(10, 100_000), &c)
	judge := func(groups []Group) time.Duration {
		start := time.Now()
		if vs := runAll(Catalogue, groups); len(vs) > 0 {
			b.Fatal(vs[0])
		}
		return time.Since(start)
	}
	var tenth, whole time.Duration
	for b.Loop() {
		tenth += judge(few)
		whole += judge(many)
	}
	b.ReportMetric(float64(whole)/float64(tenth)/10, "growth") // 1: linear
	b.ReportMetric(float64(whole.Nanoseconds())/float64(b.N)/1e6, "ns/attempt")
}

// pending is one operation with 1,000 unknown answers, where porcupine ends
// near 18: one effect is right, two are not.
func pending(b *testing.B) {
	for b.Loop() {
		for n := range 4 {
			r := Judge(pendingHistory(1000, n), contract.Contract{Name: "none"}, AtMostOnce, NoLostEffect)
			want := Fail
			if n == 1 {
				want = Pass
			}
			if r.Verdict() != want {
				b.Fatal(n, r.Verdict(), findings(r))
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/4, "ms/judgement")
}

func pendingHistory(unknown, effects int) history.History {
	b := newBook(rows1)
	b.calibrate("charge")
	b.open("x/charge")
	for range unknown {
		b.begin("r-1")
	}
	b.try("r-1", "201")
	b.seen("r-1", effects)
	return b.done()
}

func TestPending(t *testing.T) {
	for n, want := range []Verdict{Fail, Pass, Fail} {
		if r := Judge(pendingHistory(1000, n), contract.Contract{Name: "none"}, ExactlyOnce); r.Verdict() != want {
			t.Errorf("%d effects: %s, want %s", n, r.Verdict(), want)
		}
	}
}

func TestManyKeys(t *testing.T) {
	b := newBook(byKey1)
	b.calibrate("charge")
	b.open("x/charge")
	for i := range 50 {
		b.try("r-1", "201", fmt.Sprint("key=k", i))
		b.effect(byKey1, fmt.Sprint("k", i), 1)
	}
	b.seen("r-1", 0)
	if r := Judge(b.done(), stated(t), ExactlyOnce); r.Verdict() != Pass {
		t.Error(findings(r))
	}
}
