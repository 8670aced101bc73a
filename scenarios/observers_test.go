package scenarios

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// reporting changes what an observer says.
type reporting struct {
	observe.Observer
	change func(q observe.Query, c *observe.Count)
}

func (r reporting) Read(ctx context.Context, q observe.Query) ([]observe.Count, error) {
	counts, err := r.Observer.Read(ctx, q)
	for i := range counts {
		r.change(q, &counts[i])
	}
	return counts, err
}

// A scope that has another name than ours is told, and no zero is made of it;
// where the file has no scopes it means nothing.
func TestForeignScope(t *testing.T) {
	s := &shop{}
	sys := s.system()
	sys.Observers[0].Read = reporting{s, func(_ observe.Query, c *observe.Count) { c.Scope = "tenant-1" }}
	inBubble(t, sys, Options{Plans: scenario(t, "plain")}, func(r checkers.Report, _ history.History, err error) {
		if got := reasons(r); err != nil || verdictOf(r, "plain/order") != checkers.Inconclusive || !strings.Contains(got, `observer orders: it reports the scope "tenant-1", which is no name under scopes: (alice, bob)`) {
			t.Errorf("%v %s", err, got)
		}
	})
	s = &shop{}
	sys = s.system()
	sys.Scopes = nil
	sys.Observers[0].Read = reporting{s, func(_ observe.Query, c *observe.Count) { c.Scope = "tenant-1" }}
	inBubble(t, sys, Options{Plans: scenario(t, "plain")}, func(r checkers.Report, _ history.History, err error) {
		if err != nil || verdictOf(r, "plain/order") != checkers.Pass {
			t.Errorf("%v %s", err, reasons(r))
		}
	})
}

// told is a shop that says of which scope each effect was, and its observer, an
// API that shows a caller what is its own.
type told struct {
	*shop
	effect func(scope, id string)
	made   map[string]int
	asked  []string
}

func (s *told) Send(ctx context.Context, m target.Message) inject.Answer {
	id := m.Header.Get("Order")
	before := len(s.effects[id])
	a := s.shop.Send(ctx, m)
	if len(s.effects[id]) > before {
		s.effect(m.Header.Get("Scope"), id)
	}
	return a
}

func (s *told) Read(_ context.Context, q observe.Query) (counts []observe.Count, err error) {
	s.asked = append(s.asked, q.Scope)
	for _, id := range q.IDs {
		if n := s.made[cmp.Or(q.Scope, "alice")+id]; n > 0 {
			counts = append(counts, observe.Count{ID: id, N: n, Scope: q.Scope})
		}
	}
	return counts, nil
}

// An API that shows each tenant its own is asked as each, and then judged in
// every scope; asked in one way it can not be.
func TestScopedObserver(t *testing.T) {
	for _, scoped := range []bool{true, false} {
		s := &told{shop: &shop{}, made: map[string]int{}}
		s.effect = func(scope, id string) { s.made[scope+id]++ }
		sys := s.system()
		sys.Target, sys.Observers[0].Read = s, s
		sys.Observers[0].Kind, sys.Observers[0].Scoped = "http", scoped
		inBubble(t, sys, Options{Plans: scenario(t, "other-scope")}, func(r checkers.Report, _ history.History, err error) {
			want := map[bool]checkers.Verdict{true: checkers.Pass, false: checkers.Inconclusive}[scoped]
			if err != nil || verdictOf(r, "other-scope/order") != want || scoped != slices.Contains(s.asked, "bob") {
				t.Errorf("scoped %v: %v %s %s\nasked %s", scoped, err, verdictOf(r, "other-scope/order"), reasons(r), s.asked)
			}
		})
	}
	// A tenant's lost effect is found.
	s := &told{shop: &shop{}, made: map[string]int{}}
	s.effect = func(scope, id string) {
		if scope != "bob" {
			s.made[scope+id]++
		}
	}
	sys := s.system()
	sys.Target, sys.Observers[0].Read = s, s
	sys.Observers[0].Kind, sys.Observers[0].Scoped = "http", true
	inBubble(t, sys, Options{Plans: scenario(t, "other-scope")}, func(r checkers.Report, _ history.History, err error) {
		if err != nil || verdictOf(r, "other-scope/order") != checkers.Fail || !strings.Contains(reasons(r), "placed 0 times at orders") {
			t.Errorf("%v %s", err, reasons(r))
		}
	})
}

// An observer that sees live records by itself, and is read only to be waited for.
func TestLiveObserver(t *testing.T) {
	for _, twice := range []bool{false, true} {
		var record func(history.Event, []byte) int64
		s := &told{shop: &shop{twice: twice}, made: map[string]int{}}
		s.effect = func(_, id string) {
			s.made["alice"+id]++
			record(history.Event{Kind: history.Effect, Name: "orders", Actor: "smtp/orders", Op: id, Count: s.made["alice"+id]}, nil)
		}
		sys := s.system()
		sys.Target, sys.Observers[0].Read, sys.Observers[0].Kind = s, s, "smtp"
		sys.Observers[0].Attach = func(r func(history.Event, []byte) int64) { record = r }
		inBubble(t, sys, Options{Plans: scenario(t, "repeat")}, func(r checkers.Report, h history.History, err error) {
			want := map[bool]checkers.Verdict{false: checkers.Pass, true: checkers.Fail}[twice]
			if err != nil || verdictOf(r, "repeat/order") != want {
				t.Errorf("twice %v: %v %s", twice, err, reasons(r))
			}
			for _, e := range h.Events {
				if e.Kind == history.Effect && (e.Actor != "smtp/orders" || e.Case == "") {
					t.Errorf("got %+v", e)
				}
			}
		})
	}
}

// A run under an id that was used before is not judged: what it counts is old.
func TestSameRunTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		for i, want := range []checkers.Verdict{checkers.Pass, checkers.Inconclusive} {
			r, _, err := Run(t.Context(), s.system(), Options{Run: "again", Plans: scenario(t, "plain")})
			if err != nil || verdictOf(r, "plain/order") != want {
				t.Errorf("%v %s", err, reasons(r))
			}
			if i == 1 && !strings.Contains(reasons(r), "orders showed 1 for again-1 before it was sent: it counts those of others as well, or the run id again was used before") {
				t.Error(reasons(r))
			}
		}
	})
}
