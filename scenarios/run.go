package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
)

// Options of a run. The zero value runs the Catalogue with seed 0 and keeps the history in memory.
type Options struct {
	Run        string                             // the run id, which every operation's id begins with; required
	Seed       uint64                             // for drawn values
	Plans      []Plan                             // nil: Catalogue
	Operations []string                           // only these; empty: all under test
	Out        io.Writer                          // the history, as JSON lines; may be nil
	Tool       string                             // "idemcheck/0.1.0", for the header
	StopAtFail bool                               // end after the first case that fails
	Progress   func(done, total int, name string) // called as each case ends; may be nil
}

// Run calibrates, carries out the cases and judges them. The history comes back
// also with an error, as far as it got.
func Run(ctx context.Context, sys System, opt Options) (checkers.Report, history.History, error) {
	r, err := newRunner(sys, opt)
	if err != nil {
		return checkers.Report{}, history.History{}, err
	}
	return r.judged(ctx)
}

// judged is a run with its judgement.
func (r *runner) judged(ctx context.Context) (checkers.Report, history.History, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.sys.Limits.Run,
		fmt.Errorf("the run reached its limit of %v (limits: run)", r.sys.Limits.Run))
	defer cancel()
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	if r.unwatch != nil {
		defer r.unwatch()
	}
	err := r.run(ctx)
	if errClose := r.rec.Close(); err == nil && errClose != nil {
		err = fmt.Errorf("write the history: %w", errClose)
	}
	h := r.rec.History()
	if err != nil {
		return checkers.Report{}, h, err
	}
	return expression.Judge(h, r.sys.Contract), h, nil
}

// run is the outline of a run.
func (r *runner) run(ctx context.Context) error {
	all := allCases(r.sys, r.opt.Plans, r.opt.Operations)
	cases := slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return c.Senseless != "" })
	r.number(cases)
	for _, c := range all {
		if c.Senseless != "" {
			r.mark("", history.MarkNote, "", c.says())
		}
	}
	for _, c := range cases {
		r.announce(c)
	}
	r.checksBefore(ctx)
	r.watchIdle(ctx, cases)
	r.calibrate(ctx)
	if err := r.fatal(); err != nil {
		return err
	}
	r.cases(ctx, cases)
	if err := r.fatal(); err != nil {
		return err
	}
	r.settleAll(ctx)
	r.checksAfter(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		r.mark("", history.MarkError, "", context.Cause(ctx).Error())
	}
	r.mark("", history.MarkEnd, "", "")
	return nil
}

// atATime is how many cases that only send run at the same time.
const atATime = 4

// cases runs those that only send side by side, and the others alone, in order.
func (r *runner) cases(ctx context.Context, cases []Case) {
	var group sync.WaitGroup
	slots := make(chan struct{}, cmp.Or(r.wide, atATime))
	for i, c := range cases {
		alone := r.apart(c.Plan)
		if alone {
			group.Wait()
		}
		if ctx.Err() != nil || r.stopped.Load() {
			group.Wait()
			r.skip(cases[i:], ctx)
			return
		}
		if alone {
			r.caseOf(ctx, c, len(cases))
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			r.caseOf(ctx, c, len(cases))
		})
	}
	group.Wait()
}

// apart says whether a plan runs alone. Where plans are many an overlap that is
// missed for want of a processor is only one try less.
func (r *runner) apart(p Plan) bool {
	if r.wide > 0 {
		return p.touches()
	}
	return p.alone()
}

// skip records why a limit or the first failure left cases out.
func (r *runner) skip(cases []Case, ctx context.Context) {
	why := "an earlier case failed"
	if ctx.Err() != nil {
		why = context.Cause(ctx).Error()
	}
	for _, c := range cases {
		if c.Skip == "" {
			r.mark(c.Name, history.MarkSkipped, "", why)
		}
	}
}

// caseOf runs one case from its first attempt to its last reading.
func (r *runner) caseOf(ctx context.Context, c Case, total int) {
	run := &caseRun{runner: r, Case: c, next: r.first[c.Name], selves: c.Plan.selves()}
	switch {
	case c.Skip != "":
	case r.uncalibrated[c.Operation] != "":
		run.error(r.uncalibrated[c.Operation])
	default:
		run.whole(ctx)
	}
	r.rec.Flush()
	if r.opt.StopAtFail && c.Skip == "" && r.failed(c.Name) {
		r.stopped.Store(true)
	}
	if r.opt.Progress != nil {
		r.opt.Progress(int(r.done.Add(1)), total, c.Name)
	}
}

// whole carries out a case on a system that is whole, and leaves it so.
func (c *caseRun) whole(ctx context.Context) {
	if why := c.lacksMoment(); why != "" {
		c.mark(c.Name, history.MarkSkipped, "", why)
		return
	}
	if err := c.enter(ctx); err != nil {
		c.abandon(err)
		return
	}
	c.execute(ctx)
	c.leave(ctx)
	if ctx.Err() != nil {
		c.error(context.Cause(ctx).Error())
	}
}

// failed judges one case by what is recorded of it so far.
func (r *runner) failed(name string) bool {
	h := r.rec.History()
	var events []history.Event
	for _, e := range h.Events {
		if e.Case == "" || e.Case == name || e.Case == history.CaseCalibration {
			events = append(events, e)
		}
	}
	h.Events = events
	for _, c := range checkers.Judge(h, r.sys.Contract).Cases {
		if c.Name == name && c.Verdict == checkers.Fail {
			return true
		}
	}
	return false
}

// announce records a case, and why it is skipped if it is. All are announced
// before the first runs: reports keep the order of the plans, and a history
// that was cut short shows what is missing.
func (r *runner) announce(c Case) {
	attrs := map[string]string{"scenario": c.Plan.Name, "operation": c.Operation, "rules": strings.Join(c.Plan.Rules, ",")}
	c.attrs(attrs)
	for _, s := range c.Plan.selves() {
		if s.Operation != "" && c.Skip == "" {
			attrs["also"] = r.operationOf(c.Operation, s).Name
		}
	}
	r.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkCase, Case: c.Name, Actor: tool, Attrs: attrs}, nil)
	if c.Skip != "" {
		r.mark(c.Name, history.MarkSkipped, "", c.Skip)
	}
}

// fatal is why the run cannot go on.
func (r *runner) fatal() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.broken
}

// give up the whole run for a reason that no case can mend.
func (r *runner) giveUp(err error) {
	r.mu.Lock()
	if r.broken == nil {
		r.broken = err
	}
	r.mu.Unlock()
	r.stop(err)
}

// operation is the configured operation of that name.
func (r *runner) operation(name string) Operation {
	i := slices.IndexFunc(r.sys.Operations, func(o Operation) bool { return o.Name == name })
	return r.sys.Operations[i]
}
