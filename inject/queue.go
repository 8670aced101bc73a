package inject

import (
	"context"
	"slices"
	"sync"
)

// Queue delivers messages at least once, each as attempts of one operation. Make
// one by [Run.Queue].
type Queue struct {
	run *Run

	mu      sync.Mutex
	pending []*parcel // in the order of delivery
	late    []func()  // copies that come after all
}

type parcel struct {
	op    *operation
	stays bool // it was put behind another one already
}

// Queue makes a queue with a message for each id, in this order. Ids that are
// not of [Run.IDs] are new operations.
func (r *Run) Queue(ids ...string) *Queue {
	q := &Queue{run: r}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if r.ops[id] == nil {
			r.queued++
		}
		q.pending = append(q.pending, &parcel{op: r.know(id, r.queued)})
	}
	return q
}

// mostDeliveries is how often a message is delivered at most.
const mostDeliveries = 20

// Consume delivers the messages to f, one after the other, until each has been
// acknowledged: f has returned nil for it, and no fault has lost that. Then it
// returns. A message that was not acknowledged is delivered again at once, and
// at most 20 times in all: then the test fails. An error of f is recorded as
// unknown, since f may have done its work before.
//
//	lose-request  this delivery does not come; the next one does
//	lose-answer   f returns nil, and the acknowledgement is lost
//	repeat        the message comes once more, after it was acknowledged
//	overlap       two consumers get the message at once
//	late          the message comes once more, after all others
//	reorder       the next message comes first
//	kill-before   the consumer ends at its Effect, before it
//	kill-after    the consumer ends at its Effect, after it
//
// Several goroutines may consume one queue.
func (q *Queue) Consume(f func(ctx context.Context, id string) error) {
	q.run.t.Helper()
	for m := q.next(); m != nil; m = q.next() {
		q.deliver(m, f)
	}
	q.mu.Lock()
	late := q.late
	q.late = nil
	q.mu.Unlock()
	for _, again := range late {
		again()
	}
}

// next takes the message that is to be delivered; nil if there is none.
func (q *Queue) next() *parcel {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) == 0 {
		return nil
	}
	m := q.pending[0]
	q.pending = q.pending[1:]
	if m.stays || !q.run.reorders(m.op, len(q.pending) == 0) {
		return m
	}
	m.stays = true
	first := q.pending[0]
	q.pending = slices.Insert(q.pending[1:], 0, m)
	return first
}

// reorders reports whether the next delivery is to come behind the next message,
// and can: of a turn, the last message waits for none.
func (r *Run) reorders(op *operation, last bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Site{Name: SiteMessage, Number: op.number, Attempt: op.requests[SiteMessage] + 1}
	f, ok := named(r.schedule(s), Reorder)
	if !ok {
		return false
	}
	if !last {
		r.arm(s.Name, f)
		r.fired(op, 0, f)
	} else if r.options.Schedule != nil {
		r.arm(s.Name, f)
	}
	return !last
}

func (q *Queue) deliver(m *parcel, f func(ctx context.Context, id string) error) {
	q.run.t.Helper()
	e := errand{run: q.run, op: m.op, site: SiteMessage, actor: "queue", late: q.later,
		do: func(ctx context.Context) ([]byte, func(), error) { return nil, nil, f(ctx, m.op.id) }}
	var err error
	for range mostDeliveries {
		if err = e.send().err; err == nil {
			return
		}
	}
	q.run.t.Errorf("inject: %s %s was delivered %d times and never acknowledged, the last time: %v", q.run.options.Name, m.op.id, mostDeliveries, err)
}

func (q *Queue) later(again func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.late = append(q.late, again)
}
