package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// enough is how many rounds of an overlap must have overlapped: one proves little.
const enough = 3

// needed is how many rounds of the plan must have overlapped.
func (p Plan) needed() int { return min(enough, len(p.rounds())) }

// together delivers copies so that they overlap, offset units apart.
func (c *caseRun) together(ctx context.Context, s Step, offset float64, round int) error {
	for _, copy := range s.Steps { // first, so that nothing comes between the copies
		_, op, err := c.role(copy.Role)
		if err == nil {
			err = c.prepare(ctx, op)
		}
		if err != nil {
			return err
		}
	}
	var ds []delivery
	for i, copy := range s.Steps {
		op, w, err := c.way(ctx, copy)
		if err != nil {
			return err
		}
		if i > 0 {
			w.actor = fmt.Sprintf("client-%d", i+1)
		}
		w.together = fmt.Sprintf("%s.%d", c.Name, round+1)
		d, err := c.begin(ctx, op, w)
		if err != nil {
			return err
		}
		ds = append(ds, d)
	}
	return c.release(ctx, ds, c.length(Amount{Times: offset, Unit: cmp.Or(s.Unit, unitHandler)}), round)
}

// release sends the copies and records whether they overlapped.
func (c *caseRun) release(ctx context.Context, ds []delivery, offset time.Duration, round int) error {
	op := ds[0].op
	if round == 0 {
		c.runner.armed(c.Name, "", inject.Overlap, c.Plan.needed())
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
		_, err := c.ended(ds[i], a)
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
	if overlapped {
		c.overlapped++
	} else {
		e.Kind, e.Name = history.Mark, history.MarkNote
		e.Cause = "the copies did not overlap"
	}
	c.rec.Add(e, nil)
	return failed
}
