package checkers_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// samples is how often a thing is tried that must never fail.
func samples() int {
	if os.Getenv("IDEMCHECK_LONG") != "" {
		return 1000
	}
	return 100
}

// api is a service that charges an order once, in one of several ways.
type api struct {
	effect func(order string)
	charge func(s *api, order string) (id string, err error)

	all     sync.Mutex
	mu      sync.Mutex
	charges map[string]string
	flights map[string]chan struct{}
}

func newAPI(effect func(string), charge func(*api, string) (string, error)) *api {
	return &api{effect: effect, charge: charge, charges: map[string]string{}, flights: map[string]chan struct{}{}}
}

func (s *api) find(order string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charges[order]
}

func (s *api) keep(order string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.charges[order] = "ch_" + order
	return s.charges[order]
}

var errBusy = errors.New("in flight")

// checkThenAct is what many services do.
func checkThenAct(s *api, order string) (string, error) {
	if id := s.find(order); id != "" {
		return id, nil
	}
	s.effect(order)
	return s.keep(order), nil
}

var soundWays = map[string]func(*api, string) (string, error){
	"locking": func(s *api, order string) (string, error) {
		s.all.Lock()
		defer s.all.Unlock()
		return checkThenAct(s, order)
	},
	"unique row": func(s *api, order string) (string, error) {
		s.mu.Lock()
		id, known := s.charges[order]
		if !known {
			s.charges[order] = ""
		}
		s.mu.Unlock()
		switch {
		case !known:
			s.effect(order)
			return s.keep(order), nil
		case id == "":
			return "", errBusy
		}
		return id, nil
	},
	"singleflight": func(s *api, order string) (string, error) {
		s.mu.Lock()
		f, flying := s.flights[order]
		if !flying {
			f = make(chan struct{})
			s.flights[order] = f
		}
		s.mu.Unlock()
		if flying {
			<-f
			return s.find(order), nil
		}
		id, err := checkThenAct(s, order)
		s.mu.Lock()
		delete(s.flights, order)
		s.mu.Unlock()
		close(f)
		return id, err
	},
}

func (s *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	id, err := s.charge(s, strings.Split(string(body), `"`)[3])
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":%q}`, id)
}

// settle sends until it is told that the order is paid.
func settle(client *http.Client, order string) error {
	for range 5 {
		resp, err := client.Post("http://shop/charges", "application/json", strings.NewReader(`{"order":"`+order+`","amount":5}`))
		if err != nil {
			continue // perhaps it was done
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode < 400 {
			return nil
		}
	}
	return fmt.Errorf("%s was not paid", order)
}

// heard is a test that keeps what it is told.
type heard struct {
	testing.TB
	errors []string
}

func (t *heard) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}

// oneChargePerOrder is the test of the README.
func oneChargePerOrder(t inject.TB, charge func(*api, string) (string, error)) {
	run := inject.Start(t, inject.Repeat, inject.Overlap, inject.LoseAnswer)
	client := run.Client(newAPI(run.Effect, charge))
	for id := range run.IDs(20) {
		if err := settle(client, id); err != nil {
			t.Fatalf("%v", err)
		}
	}
	checkers.Verify(t, run.History(), checkers.ExactlyOnce, checkers.SameAnswer)
}

func inBubble(t *testing.T, f func(*testing.T)) { synctest.Test(t, f) }

func directly(t *testing.T, f func(*testing.T)) { f(t) }

func TestCheckThenActIsFound(t *testing.T) {
	for where, in := range map[string]func(*testing.T, func(*testing.T)){"directly": directly, "in a bubble": inBubble} {
		t.Run(where, func(t *testing.T) {
			for i := range samples() {
				in(t, func(t *testing.T) {
					seen := &heard{TB: t}
					oneChargePerOrder(seen, checkThenAct)
					if len(seen.errors) != 1 || !strings.Contains(seen.errors[0], "at-most-once: ") {
						t.Fatalf("try %d: %q", i, seen.errors)
					}
				})
			}
		})
	}
}

func TestSoundServicesPass(t *testing.T) {
	for where, in := range map[string]func(*testing.T, func(*testing.T)){"": directly, " in a bubble": inBubble} {
		for name, charge := range soundWays {
			t.Run(name+where, func(t *testing.T) {
				for i := range samples() {
					in(t, func(t *testing.T) {
						oneChargePerOrder(t, charge)
						if t.Failed() {
							t.Fatalf("try %d", i)
						}
					})
				}
			})
		}
	}
}
