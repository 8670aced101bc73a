package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// windowRun is a window while it is tried.
type windowRun struct {
	*caseRun
	job
	hold   time.Duration
	victim *hand // who is killed if named, or if it is the only one
	named  bool
}

// window tries one window as often as was asked for, and more often until its
// moment has come.
func (r *runner) window(ctx context.Context, j job, opt MapOptions) {
	w := windowRun{caseRun: &caseRun{runner: r, Case: j.caseOf(), next: j.number}, job: j, hold: r.longestHold(opt.Hold), victim: r.victim(opt.Worker), named: opt.Worker != ""}
	if ctx.Err() != nil {
		r.mark(j.Case, history.MarkSkipped, "", context.Cause(ctx).Error())
		return
	}
	r.armed(j.Case, "", j.fault(), 1)
	for i := 0; i < opt.Times || j.fired == 0 && i < opt.Times+spareTries; i++ {
		if err := w.once(ctx); err != nil {
			w.abandon(err)
			break
		}
	}
	if ctx.Err() != nil {
		w.error(context.Cause(ctx).Error())
	}
	w.fell = w.falls
	r.rec.Flush()
}

// once tries the window on a fresh operation, and leaves the system whole for the next.
func (w windowRun) once(ctx context.Context) error {
	w.ops = map[string]*live{}
	w.tried++
	if err := w.enter(ctx); err != nil {
		return err
	}
	defer w.leave(ctx)
	w.board.begin(w.Window.Case)
	defer w.board.end()
	_, op, err := w.role("a")
	if err != nil {
		return err
	}
	if err := w.strike(ctx, op); err != nil {
		return err
	}
	if err := w.mend(ctx); err != nil {
		return err
	}
	if !w.endOf(op).final() { // who was answered does not ask again: it would hide what is lost
		if err := w.retry(ctx, Step{Do: doRetry, Role: "a"}); err != nil {
			return err
		}
	}
	w.settle(ctx, []*live{op})
	if err := w.afterwards(ctx, op); err != nil {
		return err
	}
	return w.again(ctx, op)
}

// afterwards waits until what comes after the answer was done since the fault: else
// an effect too many would be missed, and the next window strike at a step of this one.
func (w windowRun) afterwards(ctx context.Context, op *live) error {
	if w.last == "" || w.endOf(op).kind != history.OK {
		return nil
	}
	if err := w.board.finished(ctx, op, w.last); err != nil {
		return err
	}
	w.settle(ctx, []*live{op})
	return nil
}

// again sends what was done once more: the network may deliver it late. What is
// not there is left alone, so that no repeat makes up for it.
func (w windowRun) again(ctx context.Context, op *live) error {
	if w.endOf(op).kind != history.OK || !w.effectThere(ctx, op) {
		return nil
	}
	_, err := w.send(ctx, op, way{})
	w.settle(ctx, []*live{op})
	return err
}

// strike sends the operation and does to it what the window is.
func (w windowRun) strike(ctx context.Context, op *live) error {
	if w.Column == columnHeld {
		return w.held(ctx, op)
	}
	a := w.arm(func(s wire.Step) wire.Action {
		if w.kills() {
			h, err := w.struckDown(s)
			if err == nil {
				err = w.kill(h)
			}
			if err != nil {
				w.error(err.Error())
				return wire.Cut
			}
		}
		w.struck(op)
		return wire.Cut
	})
	defer a.disarm()
	_, err := w.send(ctx, op, way{})
	return errors.Join(err, w.await(ctx, a))
}

// struckDown is the worker that is killed at a step: the one that was asked for,
// else the one that takes the step.
func (w windowRun) struckDown(s wire.Step) (*hand, error) {
	if w.named || len(w.workers) == 1 {
		return w.victim, nil
	}
	for _, h := range w.workers {
		if h.Asks(s.From) {
			return h, nil
		}
	}
	return nil, fmt.Errorf("which worker took the step %s can not be told: say which is to be killed, as in   --worker %s", w.moment.Name, w.victim.Name())
}

// arm waits for the moment of the window.
func (w windowRun) arm(do func(wire.Step) wire.Action) *armed {
	name, nth := momentName(w.moment.Name)
	s := strike{moment: name, nth: nth, do: do}
	if w.Column == columnLoseReply || w.Column == columnKillAfter {
		s.phase = wire.After
	}
	return w.board.arm(s)
}

// struck records that the fault of the window has come about.
func (w windowRun) struck(op *live) {
	w.fired++
	f := w.fault()
	w.rec.Add(history.Event{
		Kind: history.Fault, Case: w.Window.Case, Op: op.id, Scope: op.scope, Name: f.Name, Actor: tool, Attrs: arg(f),
	}, nil)
}

// await waits for a moment that comes after the answer.
func (w windowRun) await(ctx context.Context, a *armed) error {
	if !w.moment.late || a.fired() {
		return nil
	}
	t := time.NewTimer(latePatience)
	defer t.Stop()
	select {
	case <-a.struck:
	case <-t.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// held holds the moment while a repeat runs to its end or waits. It has fired if
// one was really sent meanwhile.
func (w windowRun) held(ctx context.Context, op *live) error {
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	a := w.arm(func(wire.Step) wire.Action {
		<-released
		return wire.Pass
	})
	first := w.launch(ctx, op, "client")
	select {
	case <-a.struck:
	case <-first.ended:
		first.err = errors.Join(first.err, w.await(ctx, a))
	}
	var second *flight
	if a.fired() {
		second = w.launch(ctx, op, "client-2")
		answered := second.within(w.hold)
		if second.sent() {
			w.struck(op)
			w.waited += map[bool]int{false: 1}[answered]
		} else {
			w.alone++
		}
	}
	release()
	a.disarm()
	return errors.Join(first.join(), second.join())
}

// flight is one attempt on its way.
type flight struct {
	ended chan struct{}
	end   ending // once it has ended
	err   error
}

// launch delivers the operation and does not wait for the answer.
func (w windowRun) launch(ctx context.Context, op *live, actor string) *flight {
	f := &flight{ended: make(chan struct{})}
	d, err := w.begin(ctx, op, way{actor: actor})
	if err != nil {
		f.err = err
		close(f.ended)
		return f
	}
	go func() {
		defer close(f.ended)
		f.end, f.err = w.finish(ctx, d)
	}()
	return f
}

// within says whether the attempt ends within d.
func (f *flight) within(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-f.ended:
		return true
	case <-t.C:
		return false
	}
}

// sent says whether the attempt left: it is under way, or it reached the service.
func (f *flight) sent() bool {
	select {
	case <-f.ended:
		return f.err == nil && f.end.status != "unreachable"
	default:
		return true
	}
}

// join waits for the attempt, if there is one.
func (f *flight) join() error {
	if f == nil {
		return nil
	}
	<-f.ended
	return f.err
}
