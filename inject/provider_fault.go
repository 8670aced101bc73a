package inject

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// holdBound is how long a call is held at most.
const holdBound = time.Second

// armed is one fault that waits for its call.
type armed struct {
	fault  Fault
	op     string
	nth    int // of the calls seen since it was armed
	seen   int
	fired  bool
	note   string
	second chan struct{} // hold: closed when a second call has arrived
	held   bool          // hold: the call is being held
}

// struck is what strikes one call.
type struck struct{ lose, fail, refuse, slow, hold *armed }

// Arm asks for a fault on the nth call (1, 2 ...) of operation op, counted from
// now; op need not be known yet. Every arriving call counts, replays too. fired
// tells whether it happened; note says more ("waited"), or why it never will.
//
//	lose-answer  the effect is done and kept, then the connection is reset
//	fail: n      503 to this call and the n-1 after it; no effect, nothing kept
//	fail: after  503, and the effect is done and kept: a repeat gets its answer; also "2 after"
//	refuse       402; no effect, kept under the key
//	slow: d      the effect comes d later, or when the caller leaves
//	hold         the effect comes when a second call has arrived; "waited" after 1 s
//
// A call that its key answers (a replay, a conflict) cannot be held or refused,
// and be made to fail only after.
func (p *Provider) Arm(f Fault, op string, call int) (fired func() (bool, string)) {
	a := &armed{fault: f, op: op, nth: max(call, 1), second: make(chan struct{})}
	if err := f.Check(); err != nil {
		a.note = err.Error()
	} else if !slices.Contains(names(SiteProvider), f.Name) {
		a.note = fmt.Sprintf("%s is not a fault of a provider, legal are: %s", f.Name, strings.Join(names(SiteProvider), ", "))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.note == "" {
		p.armed = append(p.armed, a)
	}
	return func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return a.fired, a.note
	}
}

// Disarm takes back all faults armed for an operation ("" for all operations),
// so that one that never fired cannot strike a later case. A call that is held
// goes on.
func (p *Provider) Disarm(op string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = slices.DeleteFunc(p.armed, func(a *armed) bool {
		gone := op == "" || a.op == op
		if gone && a.held {
			a.release()
		}
		return gone
	})
}

// strike counts a call and finds its faults, with the lock held.
func (p *Provider) strike(op string) (s struck) {
	for _, a := range p.armed {
		if a.op != op {
			continue
		}
		a.seen++
		if a.seen < a.nth || a.seen >= a.nth+a.calls() {
			continue
		}
		switch a.fault.Name {
		case LoseAnswer.Name:
			s.lose = a
		case Fail.Name:
			s.fail = a
		case Refuse.Name:
			s.refuse = a
		case Slow.Name:
			s.slow = a
		case Hold.Name:
			s.hold = a
		}
	}
	return s
}

// calls is how many calls in a row the fault strikes.
func (a *armed) calls() int {
	if a.fault.Name != Fail.Name {
		return 1
	}
	n, _ := a.fault.failing()
	return max(n, 1)
}

// meet lets the held calls of an operation go on, since another has arrived,
// and holds this one if it is to be. The lock is held: no call slips between.
func (p *Provider) meet(op string, hold *armed) {
	for _, a := range p.armed {
		if a.op == op && a.held {
			a.release()
		}
	}
	if hold != nil {
		hold.held = true
	}
}

func (a *armed) release() {
	a.held = false
	close(a.second)
}

// pause holds a call up for as long as its faults say.
func (p *Provider) pause(ctx context.Context, c *call, s struck) {
	if s.slow != nil {
		p.fire(s.slow, c.id, "")
		sleep(ctx, s.slow.fault.duration(time.Second))
	}
	if s.hold == nil {
		return
	}
	bound := time.NewTimer(holdBound)
	defer bound.Stop()
	note := ""
	select {
	case <-s.hold.second:
	case <-bound.C:
		note = "waited"
	case <-ctx.Done():
		note = "the caller left"
	}
	p.fire(s.hold, c.id, note)
}

// fire notes and records that a fault happened. A fault that strikes several
// calls is recorded for each, the later ones as the same one again.
func (p *Provider) fire(a *armed, op, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	again := a.fired
	a.fired, a.held = true, false
	if note != "" {
		a.note = note
	}
	e := history.Event{Kind: history.Fault, Name: a.fault.Name, Op: op, Actor: p.actor(), Cause: note, Attrs: map[string]string{}}
	if a.fault.Arg != "" {
		e.Attrs[history.AttrArg] = a.fault.Arg
	}
	if again {
		e.Attrs[history.AttrAgain] = "true"
	}
	p.record(e)
}
