package inject

import (
	"context"
	"sync"
)

// Queue delivers messages at least once.
type Queue struct {
	run     *Run
	mu      sync.Mutex
	pending []*operation
}

// Queue makes a queue with one message for each id.
func (r *Run) Queue(ids ...string) *Queue {
	q := &Queue{run: r}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, id := range ids {
		q.pending = append(q.pending, r.know(id, i+1))
	}
	return q
}

// mostDeliveries is how often a message is delivered at most.
const mostDeliveries = 20

// Consume delivers each message until it is acknowledged, that is, until f has
// returned nil for it and no fault has lost that. It returns when nothing is left.
func (q *Queue) Consume(f func(ctx context.Context, id string) error) {
	for {
		q.mu.Lock()
		if len(q.pending) == 0 {
			q.mu.Unlock()
			return
		}
		op := q.pending[0]
		q.pending = q.pending[1:]
		q.mu.Unlock()
		q.deliver(op, f)
	}
}

func (q *Queue) deliver(op *operation, f func(ctx context.Context, id string) error) {
	c := invocation{run: q.run, name: SiteMessage, op: op, f: func(ctx context.Context) ([]byte, func(), error) {
		return nil, func() {}, f(ctx, op.id)
	}}
	var err error
	for range mostDeliveries {
		if _, err = c.do(); err == nil {
			return
		}
	}
	q.run.fail("%s %s was delivered %d times and never acknowledged: %v.", q.run.options.Name, op.id, mostDeliveries, err)
}
