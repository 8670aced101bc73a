package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// age makes the deduplication record of a role older: by waiting where that is
// short, else by the file's age:. Time that was waited for needs no mark: the
// history shows it.
func (c *caseRun) age(ctx context.Context, s Step) error {
	_, op, err := c.role(s.Role)
	if err != nil {
		return err
	}
	by := c.length(s.Amount)
	if _, waits := c.sys.Age.(observe.AgeWait); waits || c.sys.waits(by) {
		return sleep(ctx, by)
	}
	if c.sys.AgeBy != 0 {
		by = c.sys.AgeBy
	}
	if err := c.sys.Age.Age(ctx, observe.Query{IDs: []string{op.id}, Keys: op.sent, Scope: op.scope, Run: c.opt.Run}, by); err != nil {
		return fmt.Errorf("age: %w", err)
	}
	c.rec.Add(history.Event{
		Kind: history.Mark, Name: history.MarkAged, Case: c.Name, Op: op.id, Actor: tool, Attrs: map[string]string{"by": by.String()},
	}, nil)
	return nil
}

// length is how long an amount is in this run.
func (c *caseRun) length(a Amount) time.Duration {
	return c.sys.length(a, c.calibration[c.Operation].Handler)
}

func (sys System) length(a Amount, handler time.Duration) time.Duration {
	return a.of(sys.Contract.Claim, sys.Contract.Life, handler)
}
