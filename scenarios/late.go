package scenarios

import (
	"context"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/inject/wire"
)

// latePatience is how long a moment that comes after the answer is waited for.
const latePatience = 2 * time.Second

// lateCalm is how long no step may come until an operation is taken for over.
const lateCalm = 200 * time.Millisecond

// last is the last step that always comes after the answer, without its number.
func (m Map) last() (name string) {
	for _, o := range m.Moments {
		if o.late && !o.Sometimes {
			name, _ = momentName(o.Name)
		}
	}
	return name
}

// finished waits until a step was done since a strike, latePatience at most: a
// service that does not do it any more has nothing to be waited for.
func (b *board) finished(ctx context.Context, op *live, name string) error {
	for begin := time.Now(); !b.doneSinceStrike(op, name) && time.Since(begin) < latePatience; {
		if err := sleep(ctx, firstPoll); err != nil {
			return err
		}
	}
	return nil
}

func (b *board) doneSinceStrike(op *live, name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	trace := b.traces[op.id]
	return slices.ContainsFunc(trace[min(b.hitAt, len(trace)):], func(s sighting) bool {
		of, _ := momentName(s.name)
		return of == name && (s.point || s.phase == wire.After)
	})
}

// settleWhole settles all, and waits until a service that does something of op after its
// answer is through: the effect may be seen before the last step.
func (r *runner) settleWhole(ctx context.Context, op *live, all []*live) error {
	if r.board == nil {
		r.settle(ctx, all)
		return nil
	}
	answered := len(r.board.trace(op))
	r.settle(ctx, all)
	if len(r.board.trace(op)) == answered {
		return nil
	}
	return r.board.calm(ctx, op)
}

// calm waits until no step of an operation has come for a while, latePatience at most.
func (b *board) calm(ctx context.Context, op *live) error {
	before, since := len(b.trace(op)), time.Now()
	for begin := time.Now(); time.Since(since) < lateCalm && time.Since(begin) < latePatience; {
		if err := sleep(ctx, firstPoll); err != nil {
			return err
		}
		if n := len(b.trace(op)); n > before {
			before, since = n, time.Now()
		}
	}
	return nil
}
