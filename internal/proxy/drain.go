package proxy

import (
	"context"
	"errors"
	"time"
)

// lastCopies is how long copies that are on their way are waited for at the end.
const lastCopies = 5 * time.Second

// Drain takes no more connections, lets what is on its way end until ctx is
// done, drops late copies, waits at most 5 s for those that are on their way,
// reads observers and totals a last time (settle.bound, while ctx lasts) and writes the
// report.
func (p *Proxy) Drain(ctx context.Context) error {
	p.shut()
	p.relay.Drain()
	err := p.web.drain(ctx)
	if ctx.Err() != nil || !within(ctx, p.ended) {
		p.relay.Close()
		err = errors.Join(err, context.Cause(ctx))
	}
	p.drained.Do(func() { p.finish(ctx) })
	return errors.Join(err, p.report)
}

// ended returns when no connection is left that the relay has.
func (p *Proxy) ended() {
	p.wg.Wait()
	p.handled.Wait()
}

// within tells whether f returned before ctx was done.
func within(ctx context.Context, f func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// shut takes no more connections.
func (p *Proxy) shut() {
	p.draining.Store(true)
	for _, d := range p.doors {
		d.Close()
	}
}

// Close ends all connections at once, then does what Drain does. A second call
// does nothing.
func (p *Proxy) Close() error {
	p.drained.Do(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		p.finish(done)
	})
	return p.report
}

// finish ends all. Effects are given their time to show until ctx is done.
func (p *Proxy) finish(ctx context.Context) {
	p.shut()
	p.relay.Close()
	p.web.close()
	p.ended()
	if p.learner != nil {
		p.report = p.writeReport(false) // whoever does not wait for the rest has this
	}
	p.copies.giveUp()
	p.awaited.giveUp()
	hurry := time.AfterFunc(lastCopies, p.endCopies)
	p.copies.wait()
	hurry.Stop()
	p.endCopies()
	close(p.stop)
	if p.page != nil {
		p.page.Close()
	}
	p.beside.Wait()
	if p.learner != nil {
		p.effects.last(ctx)
		p.totals.final(ctx)
		p.lookOnce()
		p.report = errors.Join(p.closeHistory(), p.writeReport(true))
	}
	p.end()
	p.replicas.close()
}

// last reads the effects of all that still wait, when the youngest has had its
// time, or ctx is done.
func (e *effects) last(ctx context.Context) {
	e.mu.Lock()
	e.stopped = true
	all := e.waiting
	e.waiting = nil
	e.mu.Unlock()
	var youngest time.Time
	for _, s := range all {
		if s.ended.After(youngest) {
			youngest = s.ended
		}
	}
	if len(all) > 0 {
		wait(ctx, time.Until(youngest.Add(e.settle)))
	}
	asking, cancel := context.WithTimeout(e.p.ctx, 10*time.Second)
	defer cancel()
	e.reading(asking, all, true)
}
