package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// mostAsked is how often a caller asks whether an operation happened, until it is told.
const mostAsked = 5

var errNotTold = errors.New("whether it happened could not be found out")

// reconcile does what a careful caller does after an unknown answer: it asks,
// and sends the operation under a new key only if it is not there.
func (c *caseRun) reconcile(ctx context.Context, s Step) error {
	_, op, err := c.role(s.Role)
	if err == nil {
		err = c.prepare(ctx, op)
	}
	if err != nil {
		return err
	}
	if c.calibration[op.Name].Latency > 0 { // a caller who knows that effects come late gives them their time
		c.settle(ctx, []*live{op})
	}
	there, err := c.ask(ctx, op)
	if err != nil || there {
		return err
	}
	op.key = target.Key(op.key)
	_, err = c.send(ctx, op, way{})
	return err
}

// ask asks by find: until the answer says something.
func (c *caseRun) ask(ctx context.Context, op *live) (there bool, err error) {
	msg, err := c.sys.Target.Render(target.Attempt{
		Operation: op.Name, ID: op.id, Key: op.key, Number: op.number, Scope: op.scope,
		Values: op.values, Numbers: op.numbers, Version: op.version, Find: true,
	}, inject.Fault{})
	if err != nil {
		return false, fmt.Errorf("make the question for %s: %w", op.Name, err)
	}
	gap, last := firstGap, ""
	for range mostAsked {
		if err := c.allow(ctx); err != nil {
			return false, err
		}
		a := c.once(ctx, msg)
		there, told := found(a)
		if told {
			c.told(op, there, fmt.Sprintf("asked whether it happened (%s): %s", msg.Line, a.Status))
			return there, nil
		}
		last = a.Status
		if err := sleep(ctx, gap); err != nil {
			return false, err
		}
		gap *= 2
	}
	return false, fmt.Errorf("%w: %s answered %s", errNotTold, msg.Line, last)
}

// told records what a caller learned.
func (c *caseRun) told(op *live, there bool, what string) {
	e := history.Event{Kind: history.Mark, Name: history.MarkAsked, Case: c.Name, Op: op.id, Scope: op.scope, Actor: "client",
		Cause: what + ", it did not", Attrs: map[string]string{history.AttrTold: "no"}}
	if there {
		e.Cause, e.Attrs[history.AttrTold] = what+", it did", "yes"
		c.runner.mu.Lock()
		op.effective = true // so that its effect is waited for
		c.runner.mu.Unlock()
	}
	c.rec.Add(e, nil)
}

func (c *caseRun) once(ctx context.Context, m target.Message) inject.Answer {
	ctx, cancel := context.WithTimeout(ctx, c.sys.Limits.Attempt)
	defer cancel()
	return c.sys.Target.Send(ctx, m)
}

// found reads the answer to the question whether an operation happened: 2xx with
// something in it is yes, 404 and 410, or nothing in it, is no.
func found(a inject.Answer) (there, told bool) {
	switch {
	case a.Status == "404" || a.Status == "410":
		return false, true
	case len(a.Status) != 3 || !strings.HasPrefix(a.Status, "2"):
		return false, false
	}
	text := string(bytes.Join(bytes.Fields(a.Body), nil))
	empty := []string{"", "[]", "{}", "null", `{"data":[]}`, `{"items":[]}`, `{"results":[]}`}
	return !slices.Contains(empty, text), true
}
