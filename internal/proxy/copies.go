package proxy

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	mostCopies = 64
	mostLate   = 1000
)

// copies bounds the copies that are on their way, and those that wait for their time.
type copies struct {
	slots chan struct{}
	late  atomic.Int32
	now   chan struct{} // closed: what is late is not sent any more
	once  sync.Once

	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func newCopies() *copies {
	return &copies{slots: make(chan struct{}, mostCopies), now: make(chan struct{})}
}

// run sends a copy on a goroutine of its own, unless too many are on their way.
func (c *copies) run(send func()) bool {
	select {
	case c.slots <- struct{}{}:
	default:
		return false
	}
	if !c.start(func() {
		defer func() { <-c.slots }()
		send()
	}) {
		<-c.slots
		return false
	}
	return true
}

// start counts a goroutine, unless all is over.
func (c *copies) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.wg.Go(f)
	return true
}

// later sends the copy of a strike after a while, or never if the proxy drains before.
func (c *copies) later(wait time.Duration, s *strike) {
	if c.late.Add(1) > mostLate {
		c.late.Add(-1)
		s.skip("too many late copies were waiting")
		return
	}
	s.mu.Lock()
	s.waitsFor++
	s.mu.Unlock()
	if !c.start(func() {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
			s.copy()
		case <-c.now: // sent now it would be another fault
			s.skip("the proxy ended before a late copy was due")
		}
		c.late.Add(-1)
		s.came()
	}) {
		c.late.Add(-1)
		s.came()
	}
}

// giveUp drops what is late.
func (c *copies) giveUp() { c.once.Do(func() { close(c.now) }) }

// wait returns when all copies have ended; no more are taken.
func (c *copies) wait() {
	c.giveUp()
	c.wg.Wait()
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.wg.Wait() // of one that began in between
}

// inFlight is the number of copies on their way.
func (c *copies) inFlight() int { return len(c.slots) }
