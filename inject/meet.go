package inject

import (
	"runtime"
	"time"
)

// meet waits at an effect until all attempts of the operation that run have come
// to theirs.
func (r *Run) meet(op *operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	mine := op.meeting
	for op.waiting++; op.meeting == mine; {
		if op.waiting >= len(op.running) {
			op.meeting++
			op.waiting = 0
			op.change()
			return
		}
		if op.changed == nil {
			op.changed = make(chan struct{})
		}
		changed := op.changed
		r.mu.Unlock()
		goOn := r.stand(changed)
		r.mu.Lock()
		if !goOn && op.meeting == mine {
			op.waiting--
			return
		}
	}
}

// stand waits for a change; false: there will be none.
func (r *Run) stand(changed <-chan struct{}) bool {
	for begin := time.Now(); time.Since(begin) < 5*time.Millisecond; runtime.Gosched() {
		select {
		case <-changed:
			return true
		default:
		}
	}
	return false
}
