package proxy

import (
	"sync"
	"time"
)

// window is the length of a budget.
const window = 60

// budget holds the duplicates of any sixty seconds below a limit.
type budget struct {
	limit int
	now   func() time.Time

	mu      sync.Mutex
	seconds [window]int
	last    int64 // the second that seconds were brought to
	sum     int
}

// take asks for one duplicate.
func (b *budget) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance()
	if b.sum >= b.limit {
		return false
	}
	b.seconds[b.last%window]++
	b.sum++
	return true
}

// used is how many were sent in the last minute.
func (b *budget) used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.advance()
	return b.sum
}

// advance forgets the seconds that are past. It is called with mu held.
func (b *budget) advance() {
	now := b.now().Unix()
	if now-b.last >= window {
		clear(b.seconds[:])
		b.sum = 0
	} else {
		for s := b.last + 1; s <= now; s++ {
			b.sum -= b.seconds[s%window]
			b.seconds[s%window] = 0
		}
	}
	b.last = max(b.last, now)
}
