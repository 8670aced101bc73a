package relay

import (
	"context"
	"errors"
	"io"
	"net"
)

// Exchange sends a raw request on c and reads the answer to it, both as they are
// framed. Hold, if any, is called when all but the last byte was sent. The caller
// sets deadlines on c. Reusable tells whether c may carry another request.
func Exchange(c net.Conn, request io.Reader, answer io.Writer, hold func()) (a Answer, reusable bool, err error) {
	return Answer{}, false, errors.New("not yet")
}

// A Pool keeps warm connections to one service.
type Pool struct {
	Dial func(ctx context.Context) (net.Conn, error)
	Max  int // idle connections kept; 64
}

// Get is an idle connection that the service has not closed, or a new one.
func (p *Pool) Get(ctx context.Context) (net.Conn, error) { return p.Dial(ctx) }

// Put gives back a connection that is reusable.
func (p *Pool) Put(c net.Conn) { _ = c.Close() }

// Close closes the idle connections, and each that is put back later.
func (p *Pool) Close() {}
