package inject

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// Serve starts a real net/http server for the handler and returns a client of it.
// Their connections are pairs of net.Pipe: no socket is opened, so that both work
// inside a bubble of testing/synctest. Both are closed when the test ends; the
// host of URLs is of no matter.
//
// It strikes nothing: wrap the client's Transport by [Run.Requests].
func Serve(t TB, h http.Handler) *http.Client {
	t.Helper()
	l := &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // it ends by Close
	}()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close() // closes pipes only
		<-ended
	})
	return &http.Client{Transport: transport}
}

// pipes is a net.Listener whose connections are made in memory.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.waiting <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, io.EOF
	}
}

// Close implements net.Listener.
func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
