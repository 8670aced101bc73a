package scenarios

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// enough is how many rounds of an overlap must have overlapped: one proves little.
const enough = 3

// release sends the copies and records whether they overlapped.
func (c *caseRun) release(ctx context.Context, ds []delivery, offset time.Duration, round int) error {
	op, rounds := ds[0].op, len(c.Plan.rounds())
	if round == 0 {
		c.runner.armed(c.Name, "", inject.Overlap, min(enough, rounds))
	}
	ctx, cancel := context.WithTimeout(ctx, c.sys.Limits.Attempt)
	defer cancel()
	msgs := make([]target.Message, len(ds))
	for i, d := range ds {
		msgs[i] = d.msg
	}
	var mu sync.Mutex
	var failed error
	spread, overlapped := c.sys.Target.Together(ctx, msgs, offset, func(i int, a inject.Answer) {
		err := c.ended(ds[i], a)
		mu.Lock()
		failed = errors.Join(failed, err)
		mu.Unlock()
	})
	e := history.Event{
		Kind: history.Fault, Case: c.Name, Op: op.id, Scope: op.scope, Name: inject.Overlap.Name, Actor: tool,
		Attrs: map[string]string{
			"copies": strconv.Itoa(len(ds)), "offset": offset.String(), "spread": spread.String(), "round": strconv.Itoa(round + 1),
		},
	}
	if !overlapped {
		e.Kind, e.Name = history.Mark, history.MarkNote
		e.Cause = "the copies did not overlap"
	}
	c.rec.Add(e, nil)
	return failed
}
