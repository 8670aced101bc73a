package relay

import (
	"errors"
	"io"
	"time"
)

// A pump carries a large or slow request while the answer may already come. Until
// it is done, it alone uses the caller's reader, the service's writer and the
// frame.
type pump struct {
	k    *conn
	done chan struct{}
	buf  *[]byte

	sent    int64
	sentAll bool
	spare   []byte   // read, but of the next request
	bad     *verdict // the body is malformed or does not come
}

func startPump(k *conn) *pump {
	p := &pump{k: k, done: make(chan struct{}), buf: larges.Get().(*[]byte)}
	go func() {
		defer close(p.done)
		p.run()
	}()
	return p
}

// run sends what has come, and then what comes.
func (p *pump) run() {
	k := p.k
	if p.send(k.in.data()[:k.have], false) != nil {
		return
	}
	for !p.sentAll {
		room := *p.buf
		if !k.frame.chunked {
			room = room[:min(int64(len(room)), k.frame.left)]
		}
		n, err := k.from.read(room, time.Now().Add(k.s.StallTimeout))
		if n == 0 {
			p.lost(err)
			return
		}
		used, done, err := k.frame.take(room[:n])
		if err != nil {
			p.give(err.(*verdict))
			return
		}
		if p.send(room[:used], done) != nil {
			return
		}
		p.spare = room[used:n]
	}
}

func (p *pump) send(b []byte, last bool) error {
	if err := p.k.send(b, last, time.Now()); err != nil {
		return err
	}
	p.sent += int64(len(b))
	p.sentAll = last
	return nil
}

// lost: the caller's bytes ended too early. The service sees the same.
func (p *pump) lost(err error) {
	switch {
	case p.k.stopped.Load():
	case errors.Is(err, io.EOF):
		p.k.ended = true
		closeWrite(p.k.up)
	case isTimeout(err):
		p.give(slowBody)
	default:
		_ = p.k.up.Close()
	}
}

// give gives the request up.
func (p *pump) give(v *verdict) {
	p.bad = v
	_ = p.k.up.Close()
}

// cancel ends the pump: nobody wants the rest. The connections end, too.
func (p *pump) cancel() {
	p.k.stopped.Store(true)
	_ = p.k.up.Close()
	_ = p.k.c.SetReadDeadline(longAgo)
}

// over tells whether the pump is done.
func (p *pump) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *pump) free() { larges.Put(p.buf) }
