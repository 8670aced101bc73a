package inject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

var _ TB = (*testing.T)(nil)
var _ TB = (*testing.B)(nil)
var _ TB = (*testing.F)(nil)

// shop is a service that moves money once for each order, or not.
type shop struct {
	mu     sync.Mutex
	paid   map[string]string
	effect func(string)
	sound  bool
}

func newShop(sound bool, effect func(string)) *shop {
	return &shop{paid: map[string]string{}, sound: sound, effect: effect}
}

func (s *shop) look(id string) string  { s.mu.Lock(); defer s.mu.Unlock(); return s.paid[id] }
func (s *shop) keep(id, charge string) { s.mu.Lock(); defer s.mu.Unlock(); s.paid[id] = charge }

func (s *shop) pay(id string) string {
	if charge := s.look(id); charge != "" {
		return charge
	}
	s.effect(id)
	s.keep(id, "ch_"+id)
	return "ch_" + id
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	id := strings.Split(string(body), `"`)[3]
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":%q}`, s.pay(id))
}

// lockedShop holds a lock from the check to the effect.
type lockedShop struct {
	*shop
	all sync.Mutex
}

func (s *lockedShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.all.Lock()
	defer s.all.Unlock()
	s.shop.ServeHTTP(w, r)
}

func order(client *http.Client, id string) error {
	var err error
	for range 4 {
		var resp *http.Response
		resp, err = client.Post("http://shop/orders", "application/json", strings.NewReader(`{"order":"`+id+`"}`))
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return err
}

func counts2(h history.History) map[string]int {
	n := map[string]int{}
	for _, e := range h.Events {
		if e.Kind == history.Effect {
			n[e.Op] = e.Count
		}
	}
	return n
}

func TestRunFirst(t *testing.T) {
	run := Start(t, Repeat, Overlap, LoseAnswer)
	client := run.Client(newShop(true, run.Effect))
	for id := range run.IDs(8) {
		if err := order(client, id); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range run.History().Events {
		t.Logf("%d %s %s %s %d %s %s %v %s", e.Seq, e.Kind, e.Op, e.Name, e.Attempt, e.Status, e.Body, e.Attrs, e.Cause)
	}
}

func TestCallFirst(t *testing.T) {
	run := Start(t, Repeat, Overlap, LoseAnswer, KillAfter)
	for id := range run.IDs(8) {
		for range 3 {
			n, err := Call(run, id, func(ctx context.Context) (int, error) { run.Effect(id); return 7, nil })
			if err != nil && !errors.Is(err, syscall.ECONNRESET) || err == nil && n != 7 {
				t.Error(n, err)
			}
			if err == nil {
				break
			}
		}
	}
	q := run.Queue("m1", "m2", "m3", "m4", "m5", "m6")
	q.Consume(func(_ context.Context, id string) error { run.Effect(id); return nil })
	for _, e := range run.History().Events {
		t.Logf("%d %s %s %s %d %s %s %v %s", e.Seq, e.Kind, e.Op, e.Name, e.Attempt, e.Status, e.Body, e.Attrs, e.Cause)
	}
}

func TestOverlapFound(t *testing.T) {
	for range 200 {
		run := Start(t, Overlap)
		client := run.Client(newShop(false, run.Effect))
		for id := range run.IDs(2) {
			if err := order(client, id); err != nil {
				t.Fatal(err)
			}
		}
		n := counts2(run.History())
		if n["order-1"]+n["order-2"] != 3 {
			t.Fatal(n)
		}
	}
}
