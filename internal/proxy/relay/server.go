package relay

import (
	"net"
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
}

// Serve relays one connection until it ends, and closes it.
func (s *Server) Serve(c net.Conn) { _ = c.Close() }

// Drain ends each connection as soon as no answer is on its way.
func (s *Server) Drain() {}

// Close ends all connections at once. Those that Odd has are not ended.
func (s *Server) Close() {}
