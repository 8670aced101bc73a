package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// slow is an observer whose readings take their time.
type slow struct {
	observe.Observer
	each time.Duration // for each id
}

func (s slow) Read(ctx context.Context, q observe.Query) ([]observe.Count, error) {
	if err := sleep(ctx, time.Duration(len(q.IDs))*s.each); err != nil {
		return nil, err
	}
	return s.Observer.Read(ctx, q)
}

// A reading that takes longer than effects may is no change of what it shows,
// nor are effects that come nearly as late as they may.
func TestSettleIsNotTheTimeOfReading(t *testing.T) {
	for name, test := range map[string]struct{ late, each time.Duration }{
		"slow readings": {60 * time.Millisecond, 300 * time.Millisecond},
		"late effects":  {800 * time.Millisecond, time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			sys := (&shop{late: test.late}).system()
			sys.Observers[0].Read = slow{sys.Observers[0].Read, test.each}
			sys.Limits.Settle = time.Second
			inBubble(t, sys, Options{Plans: scenario(t, "plain", "repeat", "late-repeat")}, func(r checkers.Report, _ history.History, err error) {
				for _, c := range r.Cases {
					if err != nil || c.Verdict != checkers.Pass {
						t.Errorf("%s: %s (%v)\n%s", c.Name, c.Verdict, err, reasons(r))
					}
				}
			})
		})
	}
}

// Effects are given the time that a provider was asked to take for them.
func TestSettleBoundOfSlowedOperations(t *testing.T) {
	r := &runner{sys: System{Limits: Limits{Settle: 2 * time.Second}}}
	if got := r.settleBound([]*live{{}, {slowed: 3 * time.Second}}); got != 5*time.Second {
		t.Errorf("got %v", got)
	}
	if got := r.settleBound([]*live{{}}); got != 2*time.Second {
		t.Errorf("got %v", got)
	}
}
