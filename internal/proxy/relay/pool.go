package relay

import (
	"context"
	"net"
	"sync"
	"time"
)

// A Pool keeps warm connections to one service.
type Pool struct {
	Dial func(ctx context.Context) (net.Conn, error)
	Max  int // idle connections kept; 64

	mu     sync.Mutex
	idle   []net.Conn // the one used last at the end
	closed bool
}

// Get is an idle connection that the service has not closed, or a new one.
func (p *Pool) Get(ctx context.Context) (net.Conn, error) {
	for {
		c := p.take()
		if c == nil {
			return p.Dial(ctx)
		}
		var is pulse
		if is.init(c); is.alive(time.Hour) && c.SetReadDeadline(time.Time{}) == nil {
			return c, nil
		}
		_ = c.Close()
	}
}

func (p *Pool) take() net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	c := p.idle[last]
	p.idle = p.idle[:last]
	return c
}

// Put gives back a connection that is reusable.
func (p *Pool) Put(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= orInt(p.Max, 64) {
		_ = c.Close()
		return
	}
	p.idle = append(p.idle, c)
}

// Close closes the idle connections, and each that is put back later.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		_ = c.Close()
	}
	p.idle = nil
}
