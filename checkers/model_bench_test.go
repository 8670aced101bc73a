package checkers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// clients writes a history of a sound register: n commands of eight clients at
// once, which take effect somewhere in the middle, and one in every of the writes
// unknown, half of which never happened.
func clients(n, every int) history.History {
	b := newBook(effect)
	b.open("x/command")
	rng := rand.New(rand.NewPCG(1, 2))
	type flight struct {
		begin  history.Event
		status string
		does   int // at which turn; 0: never
		ends   int
	}
	var flying []*flight
	value, writes := "v", 0
	b.command("first", "w v", "201")
	answers := map[string]string{}
	for i := 0; i < n || len(flying) > 0; i++ {
		if len(flying) < 8 && i < n {
			f := &flight{status: "200", does: i + rng.IntN(4), ends: i + 4 + rng.IntN(4)}
			what := "r"
			if rng.IntN(2) == 0 {
				writes++
				what, f.status = fmt.Sprint("w v", i), "201"
				if every > 0 && writes%every == 0 {
					f.status, f.does = "timeout", f.does*(writes/every%2)
				}
			}
			f.begin = b.begin(fmt.Sprint("c-", i), "name=command", "key=", "keyless=none", "body="+what)
			flying = append(flying, f)
		}
		for _, f := range flying {
			if f.does == i {
				if written, ok := strings.CutPrefix(f.begin.Body, "w "); ok {
					value = written
				}
				answers[f.begin.Op] = "r " + value
			}
			if f.ends == i {
				b.end(f.begin, f.status)
			}
		}
		flying = slices.DeleteFunc(flying, func(f *flight) bool { return f.ends <= i })
	}
	for i := range b.h.Events {
		if e := &b.h.Events[i]; e.Body == "r" {
			e.Body = answers[e.Op]
		}
	}
	return b.done()
}

// byPorcupine is what one would write without this package.
func byPorcupine(h history.History, bound time.Duration) porcupine.CheckResult {
	var ops []porcupine.Operation
	for op := range h.Operations() {
		for _, a := range op.Attempts {
			_, c, _ := readAccess(a)
			if a.Outcome() == history.Unknown && !c.Write {
				continue
			}
			ops = append(ops, porcupine.Operation{Input: c, Call: a.Begin.Seq, Return: returned(&a)})
		}
	}
	return porcupine.CheckOperationsTimeout(porcupine.Model{
		Init: func() any { return "" },
		Step: func(state, input, _ any) (bool, any) {
			if c := input.(Access); !c.Write {
				return state.(string) == c.Value, state
			}
			return true, input.(Access).Value
		},
	}, ops, bound)
}

// BenchmarkModel judges sound histories of a register, and reports how many times
// as long porcupine alone takes: x/peer.
func BenchmarkModel(b *testing.B) {
	type size struct {
		commands, every int
		want            Verdict
	}
	for _, tt := range []size{{50, 0, Pass}, {1000, 0, Pass}, {100, 4, Pass}, {1000, 20, Pass}, {200, 4, Fail}} {
		b.Run(fmt.Sprintf("commands=%d/unknown=%d/%s", tt.commands, tt.every, tt.want), func(b *testing.B) {
			h := clients(tt.commands, tt.every)
			if tt.want == Fail { // what was there at first is there again at last
				h.Events = h.Events[:len(h.Events)-1]
				last := book{h: h, in: "x/command", tries: map[string]int{}}
				last.command("last", "r v", "200")
				h = last.done()
			}
			rule := Register.Rule(readAccess)
			for b.Loop() {
				if r := Judge(h, contract.Contract{}, rule); r.Verdict() != tt.want {
					b.Fatal(findings(r))
				}
			}
			ours := b.Elapsed() / time.Duration(b.N)
			const bound = 2 * time.Second // of one search: longer is unknown
			begin, n := time.Now(), 0
			for time.Since(begin) < min(b.Elapsed(), bound) || n == 0 {
				if result := byPorcupine(h, bound); result != porcupine.Unknown && (result == porcupine.Ok) != (tt.want == Pass) {
					b.Fatal(result)
				}
				n++
			}
			b.ReportMetric(float64(time.Since(begin)/time.Duration(n))/float64(ours), "x/peer")
		})
	}
}
