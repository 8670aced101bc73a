package checkers_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// quiet is a test that is run many times.
type quiet struct{ testing.TB }

func (quiet) Cleanup(func()) {}

// till is a service that charges each order once: it takes the order before it
// moves money.
type till struct {
	effect func(string)
	lock   bool // it holds a lock all the while

	all  sync.Mutex
	mu   sync.Mutex
	paid map[string]bool
}

func (s *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	id := strings.Split(string(body), `"`)[3]
	if s.lock {
		s.all.Lock()
		defer s.all.Unlock()
	}
	s.mu.Lock()
	first := !s.paid[id]
	s.paid[id] = true
	s.mu.Unlock()
	if first {
		s.effect(id)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":"ch_%s","order":%q}`, id, id)
}

// trial is one run of 20 operations, judged.
func trial(t inject.TB, lock bool) checkers.Report {
	run := inject.Start(t, inject.Repeat, inject.Overlap, inject.LoseAnswer)
	client := run.Client(&till{effect: run.Effect, paid: map[string]bool{}, lock: lock})
	for id := range run.IDs(20) {
		for range 2 {
			resp, err := client.Post("http://till/orders", "application/json", strings.NewReader(`{"order":"`+id+`","amount":5}`))
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				break
			}
		}
	}
	return checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce, checkers.SameAnswer)
}

func TestTrial(t *testing.T) {
	for _, lock := range []bool{false, true} {
		r := trial(t, lock)
		if r.Verdict() != checkers.Pass || r.Faults != 15 {
			t.Errorf("lock %v: %s, %d faults: %+v", lock, r.Verdict(), r.Faults, r.Cases)
		}
	}
}

// BenchmarkTrial is how many trials an in-process property can afford: 20
// operations, of which 15 are struck, through an http.Handler, judged.
func BenchmarkTrial(b *testing.B) {
	for name, lock := range map[string]bool{"unique": false, "locking": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if r := trial(quiet{b}, lock); r.Verdict() != checkers.Pass {
						b.Errorf("%+v", r.Cases)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trials/s")
		})
	}
}
