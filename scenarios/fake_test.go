package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// shop is a service in memory, its target and its observer in one: it takes
// 5 ms for each request, and twice marks that it forgets the keys it has seen.
type shop struct {
	twice  bool                       // it executes every repeat
	answer func(n int) *inject.Answer // instead of the work, for the nth request; nil: work
	late   time.Duration              // effects show this much later
	folds  bool                       // it takes no notice of case in keys
	keeps  int                        // it forgets all but so many of the last keys; 0: none
	hangs  int                        // from this request on it never answers; 0: it always does

	mu      sync.Mutex
	sent    []string // what was rendered, in order
	n       int
	effects map[string][]time.Time
	answers map[string][]byte
	order   []string // of keys, the oldest first
}

func (s *shop) Render(a target.Attempt, f inject.Fault) (target.Message, error) {
	body := fmt.Sprintf(`{"order":%q,"amount":%d}`, a.ID, 100+a.Number)
	if a.Variant != "" {
		body = fmt.Sprintf(`{"order":%q,"amount":%d}`, a.ID, 101+a.Number)
	}
	keyless, key := "", a.Key
	switch f.Name {
	case "change-key":
		key += "-2"
	case "drop-key":
		key, keyless = "", "dropped"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, fmt.Sprint(a.ID, a.Key, a.Scope, a.Attempt, a.Variant, f, body))
	return target.Message{
		Line: "POST /orders", Method: "POST", URL: "/orders", Key: key, Keyless: keyless, Variant: a.Variant, Fault: f, Body: []byte(body),
		Header: http.Header{"Order": {a.ID}, "Scope": {a.Scope}},
	}, nil
}

func (s *shop) Send(ctx context.Context, m target.Message) inject.Answer {
	if m.Fault.Name == "lose-request" {
		return inject.Answer{Status: "reset", Fired: true}
	}
	if d, err := time.ParseDuration(m.Fault.Arg); err == nil && sleep(ctx, d) != nil {
		return inject.Answer{Status: "timeout", Err: ctx.Err()}
	}
	if sleep(ctx, 5*time.Millisecond) != nil {
		return inject.Answer{Status: "timeout", Err: ctx.Err()}
	}
	a := s.work(m)
	if s.hung() {
		<-ctx.Done()
		return inject.Answer{Status: "timeout", Err: ctx.Err()}
	}
	switch m.Fault.Name {
	case "lose-answer", "cut-client":
		return inject.Answer{Status: "reset", Fired: true, Hidden: a.Status}
	case "":
	default:
		a.Fired = true
	}
	return a
}

func (s *shop) hung() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hangs > 0 && s.n >= s.hangs
}

func (s *shop) work(m target.Message) inject.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if s.answer != nil {
		if a := s.answer(s.n); a != nil {
			return *a
		}
	}
	id := m.Header.Get("Order")
	key := m.Header.Get("Scope") + m.Key
	if s.folds {
		key = strings.ToLower(key)
	}
	if kept := s.answers[key]; kept != nil && !s.twice && m.Key != "" {
		return inject.Answer{Status: "201", Body: kept}
	}
	if s.answers == nil {
		s.answers, s.effects = map[string][]byte{}, map[string][]time.Time{}
	}
	s.effects[id] = append(s.effects[id], time.Now().Add(s.late))
	body := fmt.Appendf(nil, `{"id":"ch_%d","order":%q}`, s.n, id)
	if m.Key == "" {
		return inject.Answer{Status: "201", Body: body}
	}
	if s.answers[key] == nil {
		s.answers[key] = body
		s.forget(key)
	}
	return inject.Answer{Status: "201", Body: s.answers[key]}
}

// forget drops the oldest keys.
func (s *shop) forget(key string) {
	if s.order = append(s.order, key); s.keeps > 0 && len(s.order) > s.keeps {
		delete(s.answers, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *shop) Together(ctx context.Context, ms []target.Message, offset time.Duration, done func(int, inject.Answer)) (time.Duration, bool) {
	var group sync.WaitGroup
	for i, m := range ms {
		group.Go(func() { done(i, s.Send(ctx, m)) })
	}
	group.Wait()
	return time.Millisecond, true
}

func (s *shop) Read(_ context.Context, q observe.Query) ([]observe.Count, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var counts []observe.Count
	for _, id := range q.IDs {
		n := 0
		for _, at := range s.effects[id] {
			if !time.Now().Before(at) {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, observe.Count{ID: id, N: n})
		}
	}
	return counts, nil
}

// system is a shop with one operation, two scopes and one observer.
func (s *shop) system() System {
	return System{
		Target: s, Address: "shop", Scopes: []string{"alice", "bob"},
		Operations: []Operation{{Name: "order", Test: true, OwnBody: true, Variable: true, JSON: true}},
		Observers:  []Observer{{Observer: history.Observer{Name: "orders", Kind: "sql", By: "id", Of: []string{"order"}, Say: "Order ${id} was placed"}, Read: s}},
	}
}

// inBubble runs plans against a shop in virtual time.
func inBubble(t *testing.T, sys System, opt Options, then func(checkers.Report, history.History, error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opt.Run = "r"
		report, h, err := Run(t.Context(), sys, opt)
		then(report, h, err)
	})
}

func scenario(t *testing.T, names ...string) []Plan {
	t.Helper()
	var plans []Plan
	for _, name := range names {
		p, ok := Lookup(name)
		if !ok {
			t.Fatalf("no scenario %s", name)
		}
		plans = append(plans, p)
	}
	return plans
}

var named = contract.Contract{Name: "shop", Claim: 2 * time.Second}

func verdictOf(r checkers.Report, name string) checkers.Verdict {
	for _, c := range r.Cases {
		if c.Name == name {
			return c.Verdict
		}
	}
	return ""
}

func reasons(r checkers.Report) string {
	var all []string
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			all = append(all, fmt.Sprintf("%s %s %s: %s", c.Name, v.Verdict, v.Rule, v.Reason))
		}
	}
	return strings.Join(all, "\n")
}

// nobody ages nothing.
type nobody struct{}

func (nobody) Age(context.Context, observe.Query, time.Duration) error { return nil }
