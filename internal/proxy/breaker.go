package proxy

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// Of the breaker.
const (
	breakerSpan   = 10  // seconds over which the error rate is taken
	breakerLeast  = 20  // requests in them
	breakerErrors = 5   // errors in them
	breakerRise   = 0.1 // above what is usual, and three standard deviations more
	breakerOpen   = time.Minute
	breakerHalf   = 10 * time.Second
)

// breaker ends the striking when the error rate of the callers' own requests
// rises above what it was while nothing was struck.
type breaker struct {
	now    func() time.Time
	never  bool                       // it does not open
	change func(open bool, why rates) // called without the lock; nil: nobody hears

	mu     sync.Mutex
	recent [breakerSpan]tally // by second
	second int64
	calm   tally     // while nothing was struck; the far past fades
	struck time.Time // when the last copy was sent
	state  state
	until  time.Time // of open and half
	turn   bool      // half: every other request
	last   rates     // that opened it
}

// tally counts requests and those of them that went wrong.
type tally struct{ all, bad float64 }

func (t tally) rate() float64 {
	if t.all == 0 {
		return 0
	}
	return t.bad / t.all
}

// rates are what the breaker compared.
type rates struct{ now, calm float64 }

type state int

const (
	closed state = iota
	opened
	half
)

// passed tells of one request of a caller and whether the service failed it.
func (b *breaker) passed(bad bool) {
	b.mu.Lock()
	now := b.now()
	b.advance(now)
	t := &b.recent[b.second%breakerSpan]
	t.all++
	if bad {
		t.bad++
	}
	if now.Sub(b.struck) > breakerSpan*time.Second {
		b.calm.all++
		if bad {
			b.calm.bad++
		}
		if b.calm.all > 10_000 {
			b.calm.all, b.calm.bad = b.calm.all/2, b.calm.bad/2
		}
	}
	open, why := bad && !b.never && b.state != opened && b.risen(), rates{}
	if open {
		why = rates{b.sum().rate(), b.calm.rate()}
		b.state, b.until, b.last = opened, now.Add(breakerOpen), why
	}
	b.mu.Unlock()
	if open && b.change != nil {
		b.change(true, why)
	}
}

// allow asks whether a request may be struck now.
func (b *breaker) allow() bool {
	b.mu.Lock()
	now := b.now()
	again := false
	if b.state == opened && !now.Before(b.until) {
		b.state, b.until = half, now.Add(breakerHalf)
		clear(b.recent[:]) // what was before says nothing of now
		again = true
	}
	if b.state == half && !now.Before(b.until) {
		b.state = closed
	}
	b.turn = !b.turn
	ok := b.state == closed || b.state == half && b.turn
	if ok {
		b.struck = now
	}
	b.mu.Unlock()
	if again && b.change != nil {
		b.change(false, rates{})
	}
	return ok
}

// rates says in words what opened it.
func (r rates) String() string {
	return fmt.Sprintf("the error rate of the service rose to %.0f %% (%.0f %% before)", 100*r.now, 100*r.calm)
}

// opening are the rates that opened it last.
func (b *breaker) opening() rates {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// isOpen tells whether nothing is struck because of it.
func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == opened && b.now().Before(b.until)
}

// risen compares. It is called with mu held.
func (b *breaker) risen() bool {
	s := b.sum()
	r := s.rate()
	chance := 3 * math.Sqrt(r*(1-r)/max(s.all, 1))
	return s.all >= breakerLeast && s.bad >= breakerErrors && r > b.calm.rate()+breakerRise+chance
}

func (b *breaker) sum() (s tally) {
	for _, t := range b.recent {
		s.all += t.all
		s.bad += t.bad
	}
	return s
}

// advance forgets the seconds that are past. It is called with mu held.
func (b *breaker) advance(now time.Time) {
	second := now.Unix()
	if second-b.second >= breakerSpan {
		clear(b.recent[:])
	} else {
		for s := b.second + 1; s <= second; s++ {
			b.recent[s%breakerSpan] = tally{}
		}
	}
	b.second = max(b.second, second)
}
