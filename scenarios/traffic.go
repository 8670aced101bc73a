package scenarios

import (
	"context"
	"sync"
)

// traffic knows which attempts of each operation are on their way.
type traffic struct {
	mu   sync.Mutex
	seen map[*live]map[int]bool // attempt: has it ended
	news chan struct{}          // closed at the next beginning or end
}

// set notes that an attempt begins, or has ended.
func (t *traffic) set(op *live, attempt int, ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[*live]map[int]bool{}
	}
	if t.seen[op] == nil {
		t.seen[op] = map[int]bool{}
	}
	t.seen[op][attempt] = ended
	if t.news != nil {
		close(t.news)
		t.news = nil
	}
}

// clear forgets all attempts; none is on its way.
func (t *traffic) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = nil
}

// open are the attempts of an operation that are on their way, what has ended,
// and what tells when that changes.
func (t *traffic) open(op *live) (open, ended map[int]bool, news chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.news == nil {
		t.news = make(chan struct{})
	}
	open, ended = map[int]bool{}, map[int]bool{}
	for n, over := range t.seen[op] {
		if over {
			ended[n] = true
		} else {
			open[n] = true
		}
	}
	return open, ended, t.news
}

// repeat waits until a repeat of an operation, of which one attempt is held up,
// has ended; at most until ctx ends or free is closed. Came says that there was
// one. Of two that are on their way from the beginning either may be the repeat.
func (t *traffic) repeat(ctx context.Context, op *live, free <-chan struct{}) (came, ended bool) {
	first, before, _ := t.open(op)
	for {
		open, over, news := t.open(op)
		came = came || len(first) > 1
		for n := range open {
			came = came || !first[n]
		}
		for n := range over {
			if !before[n] && (!first[n] || len(first) > 1) {
				return true, true
			}
		}
		select {
		case <-news:
		case <-free:
			return came, false
		case <-ctx.Done():
			return came, false
		}
	}
}
