package scenarios

import (
	"context"
	"sync"
	"time"
)

// pace keeps attempts to a rate.
type pace struct {
	mu   sync.Mutex
	next time.Time
}

// wait returns when one more attempt is due at rate attempts a second; 0 means no limit.
func (p *pace) wait(ctx context.Context, rate float64) error {
	if rate <= 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	due := p.next.Sub(now)
	p.next = p.next.Add(time.Duration(float64(time.Second) / rate))
	p.mu.Unlock()
	return sleep(ctx, due)
}

// sleep waits, or returns early with the reason why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
