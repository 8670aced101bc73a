package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// counted is what one observer shows.
type counted struct {
	*till
	of func(*till) map[string]int
}

func (c counted) Read(_ context.Context, q observe.Query) (all []observe.Count, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range q.IDs {
		if n := c.of(c.till)[id]; n > 0 {
			all = append(all, observe.Count{ID: id, N: n})
		}
	}
	return all, nil
}

func newTill(broken string) *till {
	t := &till{broken: broken, db: &shut{}, claims: map[string]claimed{}, provider: map[string]bool{}, paid: map[string]int{}, rows: map[string]int{},
		workers: []*stand{{name: "api", runs: true}, {name: "api-2", runs: true}}}
	t.workers[0].onKill = func() {
		if broken == "answers in memory" {
			t.mu.Lock()
			t.claims = map[string]claimed{}
			t.mu.Unlock()
		}
	}
	return t
}

func (t *till) system() System {
	sys := t.shop.system()
	sys.Target, sys.Replicas = t, 2
	sys.Contract.Claim = tillClaim
	see := func(name string, of func(*till) map[string]int) Observer {
		return Observer{Observer: history.Observer{Name: name, Kind: "sql", By: "id", Of: []string{"order"}}, Read: counted{t, of}}
	}
	sys.Observers = []Observer{see("paid", func(t *till) map[string]int { return t.paid }), see("rows", func(t *till) map[string]int { return t.rows })}
	for _, w := range t.workers {
		sys.Workers = append(sys.Workers, worker.New(worker.Config{Name: w.name}, nil))
	}
	sys.Links = make([]*wire.Link, 1) // so that cases are not skipped; the runner's own are used
	return sys
}

// run runs plans in virtual time.
func (t *till) run(tt *testing.T, plans []Plan, then func(checkers.Report, history.History)) {
	tt.Helper()
	synctest.Test(tt, func(tt *testing.T) {
		sys := t.system()
		links := sys.Links
		sys.Links = nil
		r, err := newRunner(sys, Options{Run: "r", Plans: plans})
		if err != nil {
			tt.Fatal(err)
		}
		r.sys.Links = links
		r.workers = nil
		for _, w := range t.workers {
			r.workers = append(r.workers, &hand{process: w})
		}
		r.links = []store{t.db}
		r.board = newBoard(func(e history.Event) { r.rec.Add(e, nil) })
		t.board = r.board
		report, h, err := r.judged(tt.Context())
		if err != nil {
			tt.Fatal(err)
		}
		then(report, h)
	})
}

// Each broken design is found by the scenario that is there for it; the sound
// one passes it.
func TestTills(t *testing.T) {
	for plan, broken := range map[string][]string{
		"kill-after-effect":        {"provider key anew at-most-once order"},
		"kill-before-effect":       {"marked first no-lost-effect order"},
		"kill-after-mark":          {"marked first no-lost-effect order"},
		"commit-reply-lost":        {"unknown is failure at-most-once order"},
		"statement-reply-lost":     {"driver resends at-most-once order"},
		"commit-conflict":          {"provider in the transaction at-most-once order"},
		"store-down":               {"fails open at-most-once order"},
		"store-read-only":          {"fails open at-most-once order"},
		"overlap-at-a-moment":      {"claim not looked at at-most-once order/at=effect", "claim not looked at at-most-once order/at=commit"},
		"restart-between-attempts": {"answers in memory at-most-once order"},
		"kill-after-answer":        {"answers in memory at-most-once order"},
		"zombie":                   {"no fence at-most-once order"},
		"stuck-after-kill":         {"claim never ends progress order/after=0.5", "claim never ends progress order/after=2"},
	} {
		t.Run(plan, func(t *testing.T) {
			newTill("").run(t, scenario(t, plan), func(r checkers.Report, h history.History) {
				if r.Verdict() != checkers.Pass {
					t.Errorf("the sound one: %s\n%s\n%s", r.Verdict(), reasons(r), events(h))
				}
			})
			for _, b := range broken {
				words := strings.Fields(b)
				n := len(words)
				design, rule, name := strings.Join(words[:n-2], " "), words[n-2], plan+"/"+words[n-1]
				newTill(design).run(t, scenario(t, plan), func(r checkers.Report, h history.History) {
					if verdictOf(r, name) != checkers.Fail || !strings.Contains(reasons(r), name+" fail "+rule) {
						t.Errorf("%s: %s\n%s\n%s", design, verdictOf(r, name), reasons(r), events(h))
					}
				})
			}
		})
	}
}

// A service that ends when its store is away, and is started again when it is
// back, is a sound one.
func TestEndsWithoutItsStore(t *testing.T) {
	newTill("ends without its store").run(t, scenario(t, "store-down"), func(r checkers.Report, h history.History) {
		if r.Verdict() != checkers.Pass || !strings.Contains(strings.Join(doneTo(h), ", "), "died worker/api, restarted worker/api") {
			t.Errorf("%s\n%s\n%s", r.Verdict(), reasons(r), events(h))
		}
	})
}

// events are the lines of a history, to see what went wrong.
func events(h history.History) string {
	var b strings.Builder
	for _, e := range h.Events {
		if e.Case != history.CaseCalibration {
			fmt.Fprintf(&b, "%6d %-10s %-12s %-24s %s %d %s %v\n", e.At/1e6, e.Actor, e.Kind, e.Name, e.Status, e.Count, e.Cause, e.Attrs)
		}
	}
	return b.String()
}
