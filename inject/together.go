package inject

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Together delivers copies so that they overlap. Connections are made and all
// bytes but the last of each copy are written first; then one goroutine writes
// the last bytes: the first copy's at once, those of the others together at
// offset. done is called as each answer comes, never twice at a time, and not
// after Together has returned.
//
// The spread is the time between the first and the last of these writes, less
// the offset. overlapped means that there are two copies or more, and that the
// last byte of each was sent before the first byte of any answer had come. It is
// strict: where the machine was too busy to tell, it is false.
func (d *Dialer) Together(ctx context.Context, rs []*http.Request, offset time.Duration, done func(i int, a Answer)) (spread time.Duration, overlapped bool) {
	ctx, cancel := context.WithTimeout(ctx, positive(d.Timeout, 10*time.Second)+offset)
	defer cancel()
	var one sync.Mutex
	report := func(i int, a Answer) {
		one.Lock()
		defer one.Unlock()
		done(i, a)
	}
	copies := make([]*oneOf, len(rs))
	var ready, answered sync.WaitGroup
	for i, r := range rs {
		copies[i] = &oneOf{}
		ready.Add(1)
		answered.Go(func() {
			report(i, copies[i].run(ctx, d, r, ready.Done))
		})
	}
	ready.Wait()
	first, last := release(ctx, copies, offset)
	answered.Wait()
	return max(0, last.Sub(first)-offset), overlap(copies, last)
}

// oneOf is one of several copies.
type oneOf struct {
	c     *connection // nil if none could be made
	last  []byte      // the byte that is held back
	sent  bool        // it was written
	first time.Time   // when the first byte of the answer came
}

// run brings the copy to its last byte, says that it is ready, and waits for the
// answer. Reading starts before writing: see exchange.
func (o *oneOf) run(ctx context.Context, d *Dialer, r *http.Request, ready func()) Answer {
	m, err := newMessage(r)
	if err != nil {
		ready()
		return Answer{Status: unreachable, Err: fmt.Errorf("nothing was sent: %w", err)}
	}
	c, a := d.connect(ctx, m)
	if c == nil {
		ready()
		return a
	}
	defer c.close()
	var writing sync.WaitGroup
	writing.Go(func() {
		defer ready()
		n := len(m.bytes) - 1
		if _, err := c.Write(m.bytes[:n]); err == nil {
			o.c, o.last = c, m.bytes[n:]
		}
	})
	a, o.first = d.readTimed(c, m.method)
	c.stopWriting()
	writing.Wait()
	return a
}

// release writes the bytes held back, and nothing else, in a tight loop.
func release(ctx context.Context, copies []*oneOf, offset time.Duration) (first, last time.Time) {
	first = time.Now()
	for i, o := range copies {
		if i == 1 && offset > 0 {
			sleep(ctx, offset-time.Since(first))
		}
		if o.c != nil {
			_, err := o.c.Write(o.last)
			o.sent = err == nil
		}
	}
	return first, time.Now()
}

func overlap(copies []*oneOf, last time.Time) bool {
	for _, o := range copies {
		if !o.sent || !o.first.IsZero() && o.first.Before(last) {
			return false
		}
	}
	return len(copies) > 1
}
