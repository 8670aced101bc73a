package inject

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// attempt is one delivery that runs now. Run.mu guards what its goroutine and
// others both touch.
type attempt struct {
	op     *operation
	number int
	began  time.Time
	gate   *barrier // of attempts that begin at once
	kill   Fault    // that has not struck yet
	killed Fault    // that has

	ours      bool  // it runs on a goroutine of ours
	goroutine int64 // which; 0 while it has not begun, or is not ours

	returned bool // the goroutine came to its end
	panicked any  // or this was its end
}

type attemptKey struct{}

// attemptOf is the attempt that a context belongs to; nil if none.
func attemptOf(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// enter begins a delivery: from now on, others of the operation may meet it.
func (r *Run) enter(op *operation, fs []Fault) *attempt {
	a := &attempt{op: op, began: time.Now()}
	if i := slices.IndexFunc(fs, kills); i >= 0 {
		a.kill = fs[i]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended && goroutine() == r.root {
		r.after++
	}
	op.copies++
	a.number = op.copies
	op.running = append(op.running, a)
	op.change()
	return a
}

// leave ends a delivery.
func (r *Run) leave(a *attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left(a)
}

func (r *Run) left(a *attempt) {
	if a.op != nil {
		r.unstruck = r.unstruck || a.kill != Fault{}
		a.op.running = slices.DeleteFunc(a.op.running, func(b *attempt) bool { return a == b })
		a.op.change()
	}
}

// on runs an attempt on a goroutine of its own, so that it can be killed and may
// panic, and returns a channel that is closed at its end.
func (r *Run) on(a *attempt, f func()) <-chan struct{} {
	r.mu.Lock()
	a.ours = true
	r.live++
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer r.off(a, done)
		me := goroutine()
		r.mu.Lock()
		a.goroutine = me
		r.mu.Unlock()
		if a.gate != nil {
			a.gate.pass()
		}
		f()
		a.returned = true
	}()
	return done
}

// off is the end of an attempt's goroutine, whichever way it came about.
func (r *Run) off(a *attempt, done chan struct{}) {
	a.panicked = recover()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left(a)
	r.live--
	if r.live == 0 && r.quiet != nil {
		close(r.quiet)
		r.quiet = nil
	}
	close(done)
}

// broken is what a caller sees of an attempt whose goroutine did not come to its
// end; nil of one that did. It has ended.
func (a *attempt) broken(what string) error {
	switch {
	case a.returned:
		return nil
	case a.panicked != nil:
		return fmt.Errorf("%w (%s panicked: %v)", errConnection, what, a.panicked)
	case a.killed != Fault{}:
		return errReset(a.killed)
	}
	return fmt.Errorf("%w (%s ended its goroutine)", errConnection, what)
}

// together makes two attempts begin at once, where both run on goroutines of ours.
func together(a, b *attempt) {
	if a != nil && b != nil {
		a.gate = &barrier{}
		a.gate.missing.Add(2)
		b.gate = a.gate
	}
}

// barrier lets goroutines through when all have come.
type barrier struct{ missing sync.WaitGroup }

func (b *barrier) pass() {
	b.missing.Done()
	b.missing.Wait()
}

// kills reports whether a fault ends the goroutine of an attempt.
func kills(f Fault) bool { return f.Name == KillBefore.Name || f.Name == KillAfter.Name }
