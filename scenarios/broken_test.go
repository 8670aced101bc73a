package scenarios

import (
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// Each defect is found by the scenario that is there for it.
func TestBrokenShops(t *testing.T) {
	for name, test := range map[string]struct {
		shop     *shop
		plan     string
		pass, to string // cases
	}{
		"keys folded in case": {&shop{folds: true}, "look-alike-keys", "look-alike-keys/order/how=zero", "look-alike-keys/order/how=case"},
		"20 keys kept":        {&shop{keeps: 20}, "later-repeat", "", "later-repeat/order/others=100"},
		"150 keys kept":       {&shop{keeps: 150}, "key-volume", "", "key-volume/order"},
		"repeats executed":    {&shop{twice: true}, "retry-overtakes-original", "", "retry-overtakes-original/order"},
	} {
		t.Run(name, func(t *testing.T) {
			sys := test.shop.system()
			sys.Operations[0].Carrier = "header Idempotency-Key"
			inBubble(t, sys, Options{Plans: scenario(t, test.plan)}, func(r checkers.Report, _ history.History, err error) {
				if err != nil || verdictOf(r, test.to) != checkers.Fail {
					t.Errorf("%s: %s, want fail (%v)\n%s", test.to, verdictOf(r, test.to), err, reasons(r))
				}
				if test.pass != "" && verdictOf(r, test.pass) != checkers.Pass {
					t.Errorf("%s: %s, want pass\n%s", test.pass, verdictOf(r, test.pass), reasons(r))
				}
			})
		})
	}
}

// What was started and joined, waited for and filled is in the history.
func TestStartedAttemptsOverlap(t *testing.T) {
	p, err := Parse("plan.yaml", []byte("name: x\nsteps: [{start: a}, {start: a}, {wait: 0.5 handler}, {send: a}, {join: all}, {fill: 9}, {settle: all}]"))
	if err != nil {
		t.Fatal(err)
	}
	inBubble(t, (&shop{}).system(), Options{Plans: []Plan{p}}, func(r checkers.Report, h history.History, err error) {
		var actors []string
		ids := map[string]bool{}
		for _, e := range h.Events {
			if e.Case != "x/order" || e.Kind != history.Invoke {
				continue
			}
			ids[e.Op] = true
			if len(actors) < 3 {
				actors = append(actors, e.Actor)
			}
		}
		if err != nil || len(ids) != 10 || len(actors) != 3 || actors[0] != "client" || actors[2] != "client-3" {
			t.Errorf("%d operations, actors %q, %v", len(ids), actors, err)
		}
	})
}
