package h2

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// Together delivers copies on one connection so that they overlap: all but the
// last byte of each body is sent first, then the frames that end the streams, in
// one write (two with an offset: the first copy's goes at 0, the others' at
// offset). Copies without a body are sent whole in that write. done is called
// as each answer comes, never twice at a time, and not after Together has
// returned. Spread and overlapped are as (*inject.Dialer).Together says.
func (d *Dialer) Together(ctx context.Context, rs []*http.Request, offset time.Duration, done func(i int, a inject.Answer)) (spread time.Duration, overlapped bool) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout()+offset)
	defer cancel()
	ms, bad := messages(rs)
	if bad == nil && !oneServer(ms) {
		bad = errSeveral
	}
	c, a := (*conn)(nil), inject.Answer{}
	if bad != nil {
		a = unsent(bad)
	} else {
		c, a = d.connect(ctx, ms[0])
	}
	if c == nil {
		for i := range rs {
			done(i, a)
		}
		return 0, false
	}
	defer c.close()
	copies := c.prepare(ms)
	var answered sync.WaitGroup
	var one sync.Mutex
	for i, o := range copies {
		answered.Go(func() {
			a := o.wait(d)
			one.Lock()
			defer one.Unlock()
			done(i, a)
		})
	}
	first, last := c.finishAll(ctx, copies, offset)
	answered.Wait()
	return max(0, last.Sub(first)-offset), overlap(copies, last)
}

// copied is one of several copies.
type copied struct {
	s    *stream
	err  error  // nothing of it was sent
	rest []byte // the frames that are held back
	sent bool
}

func (o *copied) wait(d *Dialer) inject.Answer {
	if o.err != nil {
		return unsent(o.err)
	}
	<-o.s.done
	return o.s.answer(d)
}

var errTooMuch = errors.New("its body is too large to be held back whole beside a copy without a body")

// prepare opens a stream for each copy and sends all that is not held back.
// Streams begin in the order of their ids, so that where one is held whole all are.
func (c *conn) prepare(ms []message) []*copied {
	whole := slices.ContainsFunc(ms, func(m message) bool { return len(m.body) == 0 })
	var copies []*copied
	for _, m := range ms {
		o := &copied{}
		copies = append(copies, o)
		if o.s, o.err = c.open(); o.err != nil {
			continue
		}
		n := max(0, len(m.body)-1)
		if whole {
			o.rest = headerFrames(o.s.id, m.block, c.frameSize(), len(m.body) == 0)
		} else if c.headers(o.s, m, false) != nil || c.data(o.s, m.body[:n]) != nil {
			continue // the stream has ended, and says why
		} else {
			m.body = m.body[n:]
		}
		if len(m.body) > 0 {
			n, err := c.take(o.s, len(m.body))
			if err == nil && n < len(m.body) {
				o.err = errTooMuch
			} else if err == nil {
				o.rest = append(o.rest, lastFrame(o.s, m.body)...)
			}
		}
	}
	return copies
}

// finishAll writes what is held back. What leaves in one write is sent when the
// write begins: no copy can be answered before another has left.
func (c *conn) finishAll(ctx context.Context, copies []*copied, offset time.Duration) (first, last time.Time) {
	groups := [][]*copied{copies}
	if offset > 0 && len(copies) > 1 {
		groups = [][]*copied{copies[:1], copies[1:]}
	}
	first = time.Now()
	for i, group := range groups {
		if i > 0 {
			sleep(ctx, offset-time.Since(first))
		}
		var b []byte
		for _, o := range group {
			b = append(b, o.rest...)
		}
		if last = time.Now(); i == 0 {
			first = last
		}
		err := c.write(b)
		for _, o := range group {
			o.sent = err == nil && len(o.rest) > 0
		}
	}
	return first, last
}

func overlap(copies []*copied, last time.Time) bool {
	for _, o := range copies {
		if !o.sent || !o.s.first.IsZero() && o.s.first.Before(last) {
			return false
		}
	}
	return len(copies) > 1
}
