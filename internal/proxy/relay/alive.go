package relay

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// A pulse tells whether a connection that nobody uses is still open. What came
// unasked makes it unusable too.
type pulse struct {
	c   net.Conn
	raw syscall.RawConn
	fn  func(fd uintptr) bool
	was state

	moved bool // the read deadline of c is not what it was
	turns bool // what comes can be read without c
}

type state uint8

const (
	quiet  state = iota // open, and nothing came
	spoken              // something came
	closed
)

func (p *pulse) init(c net.Conn) {
	p.c, p.raw, p.moved = c, nil, false
	_, p.turns = c.(syscall.Conn)
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if s, ok := c.(syscall.Conn); ok {
		p.raw, _ = s.SyscallConn()
	}
	p.turns = p.turns && p.raw != nil && canPeek
	p.fn = func(fd uintptr) bool { p.was = peek(fd); return true }
}

// alive tells whether the connection can take a request, after it was not used for
// a time. Where one cannot look at it, one has to wait, and that only pays if it
// was not used for long.
func (p *pulse) alive(unused time.Duration) bool {
	if p.raw == nil || !canPeek {
		return unused < time.Second || p.ask()
	}
	if p.raw.Read(p.fn) != nil {
		p.moved = true // it had passed
		if p.c.SetReadDeadline(time.Time{}) != nil || p.raw.Read(p.fn) != nil {
			return false
		}
	}
	return p.was == quiet || p.was == spoken && p.underTLS() && p.ask()
}

// underTLS: what came may be a session ticket, which is no answer.
func (p *pulse) underTLS() bool {
	_, ok := p.c.(interface{ NetConn() net.Conn })
	return ok
}

// ask reads for a moment.
func (p *pulse) ask() bool {
	p.moved = true
	if p.c.SetReadDeadline(time.Now().Add(time.Millisecond)) != nil {
		return false
	}
	var b [1]byte
	_, err := p.c.Read(b[:])
	return errors.Is(err, os.ErrDeadlineExceeded)
}
