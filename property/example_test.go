package property_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/property"
)

// report runs a test and prints the sentence of its failure, or pass.
func report(test func(t rapid.TB)) { fmt.Println(try("Example", test).sentence()) }

func ExampleIdempotent() {
	words := rapid.StringOf(rapid.SampledFrom([]rune("aB -")))
	report(func(t rapid.TB) {
		property.Idempotent(t, words, func(s string) string {
			s = strings.ReplaceAll(strings.ToLower(s), " ", "-")
			return strings.ReplaceAll(s, "--", "-")
		})
	})
	report(func(t rapid.TB) {
		property.Idempotent(t, words, func(s string) string {
			return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' }), "-")
		})
	})
	// Output:
	// property.Idempotent: f(f(x)) is not f(x): x = "   ", f(x) = "--", f(f(x)) = "-"
	// pass
}

func ExampleCommutes() {
	stock := rapid.MapOf(rapid.SampledFrom([]string{"nut", "bolt"}), rapid.IntRange(1, 3))
	report(func(t rapid.TB) {
		property.Commutes(t, stock, func(a, b map[string]int) map[string]int {
			for name, n := range b {
				a[name] = n // the other side always wins
			}
			return a
		})
	})
	// Output:
	// property.Commutes: f(b, a) is not f(a, b): a = map[nut:1], b = map[nut:2], f(a, b) = map[nut:2], f(b, a) = map[nut:1]
}

func ExampleAssociates() {
	report(func(t rapid.TB) {
		property.Associates(t, rapid.IntRange(0, 9), func(a, b int) int { return (a + b) / 2 })
	})
	report(func(t rapid.TB) {
		property.Associates(t, rapid.IntRange(0, 9), func(a, b int) int { return max(a, b) })
	})
	// Output:
	// property.Associates: f(a, f(b, c)) is not f(f(a, b), c): a = 0, b = 0, c = 2, f(f(a, b), c) = 1, f(a, f(b, c)) = 0
	// pass
}

// Wallet is a system: it takes deposits and withdrawals.
type Wallet struct {
	Balance int
	Done    map[string]bool
}

// Order is one delivery to it.
type Order struct {
	ID     string
	Amount int
}

var orders = rapid.Custom(func(t *rapid.T) Order {
	return Order{ID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "id"), Amount: rapid.IntRange(1, 2).Draw(t, "amount")}
})

func ExampleRepeats() {
	wallet := property.Machine[*Wallet, Order]{
		New:   func() *Wallet { return &Wallet{Done: map[string]bool{}} },
		Apply: func(w *Wallet, o Order) error { w.Balance += o.Amount; return nil },
		State: func(w *Wallet) any { return w.Balance },
	}
	report(func(t rapid.TB) { property.Repeats(t, orders, wallet) })

	wallet.Apply = func(w *Wallet, o Order) error {
		if w.Done[o.ID] {
			return errors.New("seen before")
		}
		w.Done[o.ID] = true
		w.Balance += o.Amount
		return nil
	}
	report(func(t rapid.TB) { property.Repeats(t, orders, wallet) })
	// Output:
	// property.Repeats: a repeat of {ID:a Amount:1} changed the state: once it ends in 1, repeated in 2
	// pass
}

// A register in which the last writer wins survives what a log delivers again,
// and not what a queue does.
func ExampleRepeats_late() {
	register := property.Machine[int, int]{Fold: func(_, set int) int { return set }}
	report(func(t rapid.TB) { property.Repeats(t, rapid.IntRange(1, 3), register) })
	register.Ordered = true
	report(func(t rapid.TB) { property.Repeats(t, rapid.IntRange(1, 3), register) })
	// Output:
	// property.Repeats: a late repeat of 1 changed the state: once it ends in 2, repeated in 1
	// pass
}

func ExampleReorders() {
	report(func(t rapid.TB) {
		property.Reorders(t, rapid.IntRange(1, 3), property.Machine[int, int]{
			Fold: func(total, n int) int { return 2*total + n },
		})
	})
	report(func(t rapid.TB) {
		property.Reorders(t, rapid.IntRange(1, 3), property.Machine[int, int]{
			Fold: func(total, n int) int { return total + n },
		})
	})
	// Output:
	// property.Reorders: the order changed the state: as sent it ends in 4, reordered in 5
	// pass
}

func ExampleMonotone() {
	type event struct{ Version, Stock int }
	projection := property.Machine[event, event]{
		Fold:   func(_, e event) event { return e },
		Number: func(e event, n int) event { e.Version = n; return e },
	}
	events := rapid.Custom(func(t *rapid.T) event { return event{Stock: rapid.IntRange(0, 9).Draw(t, "stock")} })
	version := func(e event) int { return e.Version }
	rises := func(before, after int) bool { return before <= after }
	report(func(t rapid.TB) { property.Monotone(t, events, projection, version, rises) })

	projection.Fold = func(shown, e event) event {
		if e.Version <= shown.Version {
			return shown
		}
		return e
	}
	report(func(t rapid.TB) { property.Monotone(t, events, projection, version, rises) })
	// Output:
	// property.Monotone: stepped back from 2 to 1 at {Version:1 Stock:0} late
	// pass
}

func ExampleUnderFaults() {
	options := inject.Options{Say: "Order ${id} was charged", Faults: []inject.Fault{inject.Repeat, inject.LoseAnswer}}
	report(func(t rapid.TB) {
		property.UnderFaults(t, options, func(t *rapid.T, run *inject.Run) {
			charged := map[string]bool{} // the system under test
			for id := range run.IDs(rapid.IntRange(1, 5).Draw(t, "orders")) {
				charge := func(context.Context) (string, error) {
					if !charged[id] {
						run.Effect(id)
					}
					return "charged", nil // and it forgot to note that
				}
				for range 3 { // a caller that tries again
					if _, err := inject.Call(run, id, charge); err == nil {
						break
					}
				}
			}
		}, checkers.ExactlyOnce)
	})
	// Output:
	// at-most-once: Order order-1 was charged 2 times, 1 allowed (1 of 2 rules failed; 1 fault on 1 operation)
}

// Till is a system that deals with an operation under its id once, unless it is
// interrupted.
type Till struct {
	run     *inject.Run
	Balance int
	Done    map[string]bool
}

// Take puts money in, as a caller sees it: the call itself can fail.
func (l *Till) Take(id string, amount int) error {
	_, err := inject.Call(l.run, id, func(context.Context) (string, error) {
		if !l.Done[id] {
			l.Done[id] = true // too early: what if it is killed now?
			l.run.Effect(id)
			l.Balance += amount
		}
		return "taken", nil
	})
	return err
}

func ExampleFollows() {
	model := property.Model[*Till, int, int]{
		New:  func(run *inject.Run) *Till { return &Till{run: run, Done: map[string]bool{}} },
		Do:   (*Till).Take,
		Next: func(sum, amount int) int { return sum + amount },
		Check: func(l *Till, sum int) error {
			if l.Balance != sum {
				return fmt.Errorf("there are %d in the till, it should be %d", l.Balance, sum)
			}
			return nil
		},
	}
	report(func(t rapid.TB) { property.Follows(t, rapid.IntRange(1, 9), model) })

	model.Options.Faults = []inject.Fault{inject.Repeat, inject.KillBefore}
	report(func(t rapid.TB) { property.Follows(t, rapid.IntRange(1, 9), model) })
	// Output:
	// pass
	// property.Follows: after 1 (order-1): there are 0 in the till, it should be 1
}

// A key that is kept for a day, in a test that takes no time.
func ExampleInBubble() {
	_ = func(t *testing.T) { // a test
		kept := property.Machine[map[string]time.Time, time.Duration]{
			Apply: func(keys map[string]time.Time, gap time.Duration) error {
				time.Sleep(gap)
				if at, ok := keys["order-1"]; !ok || time.Since(at) >= 24*time.Hour {
					keys["order-1"] = time.Now()
				}
				return nil
			},
			State: func(keys map[string]time.Time) any { return len(keys) },
		}
		property.Repeats(property.InBubble(t), property.Gaps(24*time.Hour), kept)
	}
}

func ExampleGaps() {
	gaps := property.Gaps(24*time.Hour, 30*time.Second)
	seen := map[time.Duration]bool{}
	for seed := range 1000 {
		seen[gaps.Example(seed)] = true
	}
	fmt.Println(len(seen), seen[24*time.Hour-1], seen[24*time.Hour], seen[15*time.Second])
	// Output: 9 true true true
}
