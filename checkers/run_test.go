package checkers_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// shop charges an order once, or, without its lock, looks first and acts then.
type shop struct {
	effect func(string)
	answer func(charge string) string
	lock   sync.Locker

	mu      sync.Mutex
	charges map[string]string
	made    int
}

// noLock lets everybody in.
type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

func newShop(effect func(string), lock sync.Locker) *shop {
	return &shop{effect: effect, lock: lock, charges: map[string]string{}, answer: func(c string) string { return `{"charge":"` + c + `"}` }}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, _ := io.ReadAll(r.Body)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.mu.Lock()
	charge := s.charges[string(id)]
	s.mu.Unlock()
	if charge == "" {
		s.effect(string(id))
		s.mu.Lock()
		s.made++
		charge = fmt.Sprintf("ch_%d", s.made)
		s.charges[string(id)] = charge
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, s.answer(charge))
}

// pay tries until it is answered.
func pay(client *http.Client, id string) error {
	for range 5 {
		resp, err := client.Post("http://shop/charges", "text/plain", strings.NewReader(id))
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return errors.New("never answered")
}

// told is a test that keeps what it is told.
type told struct {
	testing.TB
	text []string
}

func (t *told) Helper()                      {}
func (t *told) Errorf(f string, args ...any) { t.text = append(t.text, fmt.Sprintf(f, args...)) }

func payAll(t *testing.T, n int, shop func(*inject.Run) http.Handler, rules ...checkers.Rule) string {
	t.Helper()
	run := inject.Start(t, inject.Repeat, inject.Overlap, inject.LoseAnswer)
	client := run.Client(shop(run))
	for id := range run.IDs(n) {
		if err := pay(client, id); err != nil {
			t.Fatal(err)
		}
	}
	to := &told{TB: t}
	checkers.Verify(to, run.History(), rules...)
	return strings.Join(to.text, "\n")
}

func TestVerifyRun(t *testing.T) {
	broken := payAll(t, 20, func(r *inject.Run) http.Handler { return newShop(r.Effect, noLock{}) }, checkers.ExactlyOnce, checkers.SameAnswer)
	t.Log(broken)
	if !regexp.MustCompile(`^at-most-once: order-\d+ took effect 2 times, 1 allowed \(2 of 3 rules failed; 15 faults on 20 operations\)\n`).MatchString(broken) {
		t.Error("the broken shop was not told so")
	}
	if sound := payAll(t, 20, func(r *inject.Run) http.Handler { return newShop(r.Effect, &sync.Mutex{}) }, checkers.ExactlyOnce, checkers.SameAnswer); sound != "" {
		t.Error(sound)
	}
	if sound := payAll(t, 20, func(r *inject.Run) http.Handler { return newShop(r.Effect, &sync.Mutex{}) }); sound != "" {
		t.Error(sound)
	}
}
