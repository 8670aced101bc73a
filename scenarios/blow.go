package scenarios

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// blow is a fault that waits for its moment.
type blow struct {
	*armed
	long bool          // it holds the moment up until something else has happened
	free chan struct{} // closed when it need not any longer

	mu sync.Mutex // held while free is looked at, and what follows from that is done
}

// unlessFree does something, but not once the blow was let go.
func (b *blow) unlessFree(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.free:
	default:
		do()
	}
}

// side is before or after the moment: what a fault needs.
func side(fault string) wire.Phase {
	switch fault {
	case inject.LoseReply.Name, inject.KillAfter.Name, inject.Pause.Name:
		return wire.After
	}
	return wire.Before
}

// place is the moment that an arm means; ok is false if calibration showed none
// for its word. A name is taken as it is.
func (c *caseRun) place(s Step) (at spot, ok bool) {
	ms := slices.Clone(c.learned[c.Operation])
	if link := s.whose(); s.site() == inject.SiteLink && link != "" {
		names := find(c.links, link)
		ms = slices.DeleteFunc(ms, func(m learned) bool {
			return !slices.ContainsFunc(names, func(l store) bool { return l.Name() == m.link })
		})
	}
	if slices.Contains(momentWords, s.Moment) && !slices.ContainsFunc(ms, func(m learned) bool { return m.name == s.Moment }) {
		return placeOf(ms, s.Moment, side(s.Fault.Name), s.atPoints())
	}
	name, nth := momentName(s.Moment)
	at = spot{learned{name: name, nth: max(nth, s.Nth)}, side(s.Fault.Name)}
	if i := slices.IndexFunc(ms, func(m learned) bool { return m.name == name && m.link == "" }); i >= 0 {
		at.phase = wire.Before // a point of code has no answer
	}
	return at, true
}

// atPoints says whether points of code will do for the fault of an arm.
func (s Step) atPoints() bool {
	return s.site() == inject.SiteWorker || s.Fault.Name == inject.Hold.Name && s.whose() == ""
}

// armAt makes the fault of a step wait for its moment.
func (c *caseRun) armAt(ctx context.Context, s Step) error {
	_, op, err := c.role(s.Role)
	if err == nil {
		err = c.prepare(ctx, op)
	}
	if err != nil {
		return err
	}
	at, ok := c.place(s)
	if !ok {
		return fmt.Errorf("calibration saw no moment that is the %s", s.Moment)
	}
	c.armedAt(op, s.Fault, at)
	b := &blow{free: make(chan struct{}), long: s.Fault == inject.Hold || s.Fault == inject.Pause}
	b.armed = c.board.arm(strike{moment: at.name, nth: at.nth, phase: at.phase, do: func(wire.Step) wire.Action {
		return c.strike(ctx, s, op, at, b)
	}})
	c.blows = append(c.blows, b)
	return nil
}

// strike carries out a fault at its moment.
func (c *caseRun) strike(ctx context.Context, s Step, op *live, at spot, b *blow) wire.Action {
	if s.Fault == inject.Hold {
		c.hold(ctx, op, at, b.free)
		return wire.Pass
	}
	if s.Fault == inject.Pause {
		b.unlessFree(func() { // else nobody would let the worker go on
			c.struck(op, s.Fault, at, "")
			c.report(c.each(s, func(h *hand) error { return c.stand(h, true) }))
		})
		<-b.free
		return wire.Pass
	}
	c.struck(op, s.Fault, at, "")
	switch s.Fault {
	case inject.Refuse:
		return wire.Refuse
	case inject.KillBefore, inject.KillAfter:
		c.report(c.each(s, c.kill))
	}
	return wire.Cut
}

// each does something to each worker that a step means.
func (c *caseRun) each(s Step, do func(*hand) error) error {
	for _, h := range c.whom(s) {
		if err := do(h); err != nil {
			return err
		}
	}
	return nil
}

// report records what could not be done where nobody can be told.
func (c *caseRun) report(err error) {
	if err != nil {
		c.error(err.Error())
	}
}

// longestHold is how long a moment is held for a repeat: not so long that a
// claim ends meanwhile.
func (r *runner) longestHold(most time.Duration) time.Duration {
	if claim := r.sys.Contract.Claim; claim > 0 {
		return min(most, claim/2)
	}
	return most
}

// hold holds a moment until a repeat of the operation has been answered. It has
// fired if one was sent meanwhile.
func (c *caseRun) hold(ctx context.Context, op *live, at spot, free chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, c.longestHold(time.Second))
	defer cancel()
	switch came, answered := c.traffic.repeat(ctx, op, free); {
	case answered:
		c.struck(op, inject.Hold, at, "")
	case came:
		c.struck(op, inject.Hold, at, "the repeat waited")
	}
}

// armedAt records that a fault was asked for at a moment.
func (c *caseRun) armedAt(op *live, f inject.Fault, at spot) {
	c.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkArmed, Case: c.Name, Op: op.id, Actor: tool, Attrs: map[string]string{
		history.AttrFault: f.Name, history.AttrMoment: at.String(), "need": "1",
	}}, nil)
}

// struck records that it fired.
func (c *caseRun) struck(op *live, f inject.Fault, at spot, note string) {
	c.rec.Add(history.Event{Kind: history.Fault, Name: f.Name, Case: c.Name, Op: op.id, Scope: op.scope, Actor: tool, Cause: note,
		Attrs: map[string]string{history.AttrMoment: at.String()}}, nil)
}

// settleBlows waits until what has struck is done, but for what holds a moment up.
func (c *caseRun) settleBlows() {
	for _, b := range c.blows {
		if !b.long {
			b.wait()
		}
	}
}

// letGo lets go on what is held up.
func (c *caseRun) letGo() {
	for _, b := range c.blows {
		if b.long {
			b.unlessFree(func() { close(b.free) })
		}
	}
}

// takeBack ends all faults at moments.
func (c *caseRun) takeBack() {
	c.letGo()
	for _, b := range c.blows {
		b.disarm()
	}
	c.blows = nil
}

// met waits until each armed fault has struck, or the attempt that should meet
// them has ended. Where effects come after the answer it waits a little longer.
func (c *caseRun) met(ctx context.Context, ended <-chan struct{}) {
	for _, b := range c.blows {
		select {
		case <-b.armed.struck:
			continue
		case <-ended:
		}
		if c.calibration[c.Operation].Latency == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, latePatience)
		select {
		case <-b.armed.struck:
		case <-ctx.Done():
		}
		cancel()
	}
}
