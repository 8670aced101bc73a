package relay

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Server relays the connections of callers.
type Server struct {
	// Open is called once for each connection.
	Open func(c net.Conn) Hooks
	// Odd takes over a connection whose next request the relay does not carry.
	// That request comes out of c first. It returns when it is done with c.
	// Nil: such requests are refused.
	Odd func(c net.Conn)
	// Refused, if any, is told of each request that was refused, and why.
	Refused func(c net.Conn, status int, why string)

	MaxHead int // bytes of a request's or an answer's head; 64 KiB

	HeadTimeout  time.Duration // from the first byte of a head to its last; 10 s
	IdleTimeout  time.Duration // between two requests; 3 min
	StallTimeout time.Duration // without a byte more of a body, or taken by the other side; 2 min
	PeekTimeout  time.Duration // for the start of a body; 1 s, then Begin is called without it
	WatchAfter   time.Duration // a caller whose answer takes longer is watched for leaving; 1 s

	once     sync.Once
	ctx      context.Context
	stop     context.CancelFunc
	draining atomic.Bool
	mu       sync.Mutex
	conns    map[*conn]struct{}
}

func (s *Server) init() {
	s.once.Do(func() {
		s.ctx, s.stop = context.WithCancel(context.Background())
		s.conns = map[*conn]struct{}{}
		s.MaxHead = orInt(s.MaxHead, 64<<10)
		s.HeadTimeout = orTime(s.HeadTimeout, 10*time.Second)
		s.IdleTimeout = orTime(s.IdleTimeout, 3*time.Minute)
		s.StallTimeout = orTime(s.StallTimeout, 2*time.Minute)
		s.PeekTimeout = orTime(s.PeekTimeout, time.Second)
		s.WatchAfter = orTime(s.WatchAfter, time.Second)
	})
}

func orInt(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

func orTime(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}

// Serve relays one connection until it ends, and closes it.
func (s *Server) Serve(c net.Conn) {
	s.init()
	k := newConn(s, c)
	if !s.add(k) {
		_ = c.Close()
		return
	}
	rest, odd := k.serve()
	s.remove(k)
	if !odd {
		return
	}
	_ = c.SetDeadline(time.Time{})
	p := &Prefixed{Conn: c, rest: rest}
	defer p.Close()
	s.Odd(p)
}

func (s *Server) add(k *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.conns[k] = struct{}{}
	return true
}

func (s *Server) remove(k *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, k)
}

// Drain ends each connection as soon as no answer is on its way.
func (s *Server) Drain() {
	s.init()
	s.draining.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.conns {
		_ = k.c.SetReadDeadline(longAgo) // whoever waits for a request looks up
	}
}

// Close ends all connections at once. Those that Odd has are not ended.
func (s *Server) Close() {
	s.init()
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.conns {
		_ = k.c.Close()
		if k.up != nil {
			_ = k.up.Close()
		}
	}
}

// Prefixed is a connection of which something was read. That comes first.
type Prefixed struct {
	net.Conn
	rest []byte
}

// Read gives what was read before, then what comes.
func (p *Prefixed) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return p.Conn.Read(b)
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// CloseWrite ends one direction, where the connection can.
func (p *Prefixed) CloseWrite() error {
	closeWrite(p.Conn)
	return nil
}

// NetConn is the connection itself.
func (p *Prefixed) NetConn() net.Conn { return p.Conn }
