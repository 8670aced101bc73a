package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// caseRun is a case while it runs.
type caseRun struct {
	*runner
	Case
	next  int              // the next operation number
	ops   map[string]*live // of this round, by letter and scope
	all   []*live          // of all rounds
	armed []func()         // take back the provider faults
}

// error records that the case could not be carried out: it cannot pass.
func (c *caseRun) error(why string) { c.mark(c.Name, history.MarkError, "", why) }

// execute carries out the steps, once for each round. Settling at the end of
// the plan is done once, for the operations of all rounds.
func (c *caseRun) execute(ctx context.Context) {
	steps, last := c.Plan.Steps, []Step(nil)
	if n := len(steps); n > 0 && steps[n-1].Do == DoSettle {
		steps, last = steps[:n-1], steps[n-1:]
	}
	for round, offset := range c.Plan.rounds() {
		c.ops = map[string]*live{}
		for _, s := range steps {
			if err := c.step(ctx, s, offset, round); err != nil {
				c.abandon(err)
				return
			}
		}
		if len(c.Plan.rounds()) > 1 {
			c.glance(ctx, slices.Collect(maps.Values(c.ops)))
		}
	}
	if len(last) > 0 {
		c.settle(ctx, c.all)
	}
	c.disarm() // not before: a service may call its provider after it has answered
}

// abandon ends the case; what ends the whole run is not the case's own error.
func (c *caseRun) abandon(err error) {
	c.disarm()
	if c.fatal() == nil {
		c.error(err.Error())
	}
}

func (c *caseRun) disarm() {
	for _, disarm := range c.armed {
		disarm()
	}
	c.armed = nil
}

func (c *caseRun) step(ctx context.Context, s Step, offset float64, round int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch s.Do {
	case DoSend:
		ro, op, err := c.role(s.Role)
		if err != nil {
			return err
		}
		body, err := c.bodyOf(ctx, s)
		if err != nil {
			return err
		}
		return c.send(ctx, op, ro, body, s.Fault)
	case DoTogether:
		return c.together(ctx, s, offset, round)
	case DoRetry:
		return c.retry(ctx, s)
	case DoSettle:
		return c.settleStep(ctx, s)
	case DoArm:
		return c.arm(ctx, s)
	}
	return fmt.Errorf("a step to %q is not known", s.Do)
}

// role finds or opens the operation that a role stands for in this round.
func (c *caseRun) role(text string) (role, *live, error) {
	ro, err := parseRole(text)
	if err != nil {
		return role{}, nil, err
	}
	if op := c.ops[ro.who()]; op != nil {
		return ro, op, nil
	}
	o := c.operation(c.Operation)
	block := c.next
	c.next += c.cost(o)
	number := block
	if same := c.sameLetter(ro.op); same != nil {
		number = same.number // the same order and key, sent from another scope
	}
	op := c.open(o, number, block, c.sys.scope(ro.scope), c.Name)
	c.ops[ro.who()] = op
	c.all = append(c.all, op)
	return ro, op, nil
}

// sameLetter is any operation of that letter in this round; all share one number.
func (c *caseRun) sameLetter(letter string) *live {
	for who, op := range c.ops {
		if r, _ := parseRole(who); r.op == letter {
			return op
		}
	}
	return nil
}

// bodyOf is the operation whose body a step sends, prepared; nil for its own.
func (c *caseRun) bodyOf(ctx context.Context, s Step) (*live, error) {
	if s.Body == "" {
		return nil, nil
	}
	_, op, err := c.role(s.Body)
	if err != nil {
		return nil, err
	}
	return op, c.prepare(ctx, op)
}

// settleStep settles one role, or all operations so far.
func (c *caseRun) settleStep(ctx context.Context, s Step) error {
	if s.Role == "all" {
		c.settle(ctx, c.all)
		return nil
	}
	_, op, err := c.role(s.Role)
	if err == nil {
		c.settle(ctx, []*live{op})
	}
	return err
}

// together delivers copies so that they overlap, offset handler times apart.
func (c *caseRun) together(ctx context.Context, s Step, offset float64, round int) error {
	var ds []delivery
	for i, copy := range s.Steps {
		ro, op, err := c.role(copy.Role)
		if err == nil {
			err = c.prepare(ctx, op)
		}
		if err != nil {
			return err
		}
		actor := "client"
		if i > 0 {
			actor = fmt.Sprintf("client-%d", i+1)
		}
		d, err := c.invoke(ctx, op, ro, nil, copy.Fault, actor, fmt.Sprintf("%s.%d", c.Name, round+1))
		if err != nil {
			return err
		}
		ds = append(ds, d)
	}
	return c.release(ctx, ds, time.Duration(offset*float64(c.calibration[c.Operation].Handler)), round)
}
