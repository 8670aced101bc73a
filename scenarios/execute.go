package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/idemcheck/idemcheck/history"
)

// caseRun is a case while it runs.
type caseRun struct {
	*runner
	Case
	next   int              // the next operation number
	selves map[string]Self  // what letters stand for
	ops    map[string]*live // of this round, by letter, version and scope
	all    []*live          // of all rounds
	armed  []func()         // take back the faults of providers
	blows  []*blow          // faults that were armed for a moment
	lived  map[*hand]int    // how often each worker had ended by itself before the case
	falls  int              // how often a worker ended by itself after a fault
	away   map[store]func() // links that were taken down, and how each comes back

	overlapped int // rounds in which the copies did

	flying sync.WaitGroup // attempts that were started
	mu     sync.Mutex
	left   int   // how many of them are on their way
	failed error // of one that was started
}

// error records that the case could not be carried out: it cannot pass.
func (c *caseRun) error(why string) { c.mark(c.Name, history.MarkError, "", why) }

// execute carries out the steps, once for each round. Settling at the end of
// the plan is done once, for the operations of all rounds.
func (c *caseRun) execute(ctx context.Context) {
	steps, last := c.Plan.Steps, []Step(nil)
	if n := len(steps); n > 0 && steps[n-1].Do == doSettle {
		steps, last = steps[:n-1], steps[n-1:]
	}
	rounds := c.Plan.withSpares()
	for i, r := range rounds {
		if r.spare && c.overlapped >= c.Plan.needed() {
			break
		}
		if err := c.round(ctx, steps, r, i); err != nil {
			c.abandon(err)
			return
		}
		if len(rounds) > 1 {
			c.glance(ctx, slices.Collect(maps.Values(c.ops)))
		}
	}
	if len(last) > 0 {
		if err := c.mend(ctx); err != nil {
			c.abandon(err)
			return
		}
		c.settle(ctx, c.all)
	}
	c.disarm() // not before: a service may call its provider after it has answered
}

// round carries out the steps once, and waits for what they started.
func (c *caseRun) round(ctx context.Context, steps []Step, r round, n int) error {
	c.ops = map[string]*live{}
	for _, s := range steps {
		if err := c.step(ctx, s, r, n); err != nil {
			return errors.Join(err, c.join())
		}
	}
	return c.join()
}

// abandon ends the case; what ends the whole run is not the case's own error.
func (c *caseRun) abandon(err error) {
	c.disarm()
	if c.fatal() == nil {
		c.error(err.Error())
	}
}

// disarm takes back all faults, and lets go on what they hold up.
func (c *caseRun) disarm() {
	c.takeBack() // first: what strikes late may pause a worker
	for _, h := range c.workers {
		c.report(c.stand(h, false))
	}
	for _, disarm := range c.armed {
		disarm()
	}
	c.armed = nil
}

// mend makes the system whole before a step: what was killed runs again, unless
// the plan says when, or what it needs is away.
func (c *caseRun) mend(ctx context.Context) error {
	c.settleBlows()
	if err := c.accidents(); err != nil || c.Plan.restarts() || len(c.away) > 0 {
		return err
	}
	return c.revive(ctx)
}

// enter makes the system whole before the case.
func (c *caseRun) enter(ctx context.Context) error {
	c.lived = map[*hand]int{}
	for _, h := range c.workers {
		c.lived[h] = h.died()
	}
	err := c.revive(ctx)
	if err == nil && c.board != nil && c.Plan.touches() {
		c.board.begin(c.Name)
	}
	return err
}

// leave makes the system whole after the case, for the next one.
func (c *caseRun) leave(ctx context.Context) {
	c.disarm()
	err := c.accidents()
	for _, l := range c.links {
		c.up(l)
	}
	if c.board != nil && c.Plan.touches() {
		c.board.end()
	}
	if err = errors.Join(err, c.revive(ctx)); err != nil && c.fatal() == nil {
		c.error(err.Error())
	}
}

func (c *caseRun) step(ctx context.Context, s Step, r round, n int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := c.mend(ctx); err != nil {
		return err
	}
	switch s.Do {
	case doSend:
		return c.deliver(ctx, s)
	case doStart:
		return c.start(ctx, s)
	case doJoin:
		return c.join()
	case doTogether:
		return c.together(ctx, s, r.offset, n)
	case doShuffle:
		return c.shuffle(ctx, s, r.order)
	case doRetry:
		return c.retry(ctx, s)
	case doReconcile:
		return c.reconcile(ctx, s)
	case doSettle:
		return c.settleStep(ctx, s)
	case doArm:
		return c.arm(ctx, s)
	case doWait:
		return sleep(ctx, c.length(s.Amount))
	case doAge:
		return c.age(ctx, s)
	case doFill:
		return c.fill(ctx, s.Count)
	case doKill, doRestart, doPause, doResume:
		return c.workerStep(ctx, s)
	case doDown, doReadOnly, doUp:
		return c.linkStep(ctx, s)
	}
	return fmt.Errorf("a step to %q is not known", s.Do)
}

// deliver sends one attempt and waits for its answer.
func (c *caseRun) deliver(ctx context.Context, s Step) error {
	op, w, err := c.way(ctx, s)
	if err == nil {
		_, err = c.send(ctx, op, w)
	}
	ended := make(chan struct{})
	close(ended)
	c.met(ctx, ended)
	return err
}

// shuffle delivers the sends one by one, in the order of the round.
func (c *caseRun) shuffle(ctx context.Context, s Step, order []int) error {
	for _, i := range order {
		if err := c.deliver(ctx, s.Steps[i]); err != nil {
			return err
		}
	}
	return nil
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
