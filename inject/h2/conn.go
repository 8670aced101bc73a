package h2

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idemcheck/idemcheck/inject"
)

// What we tell the server: it may send all that we are ready to read, so that
// no answer ever waits for us.
const (
	window     = 1<<31 - 1
	mostHeader = 1 << 20
)

// conn is one fresh connection that ends with its context.
type conn struct {
	net.Conn          // what is written and read: TLS, if there is any
	raw      net.Conn // below it
	d        *Dialer
	release  func() bool
	framer   *http2.Framer
	ended    chan struct{} // closed when nothing is read any more; nil before the first read

	writing sync.Mutex // one write at a time

	mu      sync.Mutex
	changed *sync.Cond // windows, streams, settings or the end
	ready   bool       // the server's SETTINGS came
	broken  error      // why nothing more can come
	streams map[uint32]*stream
	next    uint32
	most    uint32 // streams at once
	frame   int    // bytes of a frame at most
	initial int64  // window of a new stream
	window  int64  // of the connection
}

// connect makes a connection and waits until the server has said SETTINGS: what
// does not is no HTTP/2 server.
func (d *Dialer) connect(ctx context.Context, m message) (*conn, inject.Answer) {
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", m.address)
	if err != nil {
		return nil, notConnected(ctx, err)
	}
	c := newConn(raw, d)
	c.release = context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	if m.server != "" {
		if err := c.secure(ctx, d.TLS, m.server); err != nil {
			c.end()
			return nil, notConnected(ctx, fmt.Errorf("TLS with %s: %w", m.address, err))
		}
	}
	if err := c.begin(); err != nil {
		c.close()
		return nil, inject.Failed(fmt.Errorf("no HTTP/2 server answers at %s: %w", m.address, err), false)
	}
	return c, inject.Answer{}
}

// newConn has the numbers that hold until the server says others (RFC 9113, 6.5.2).
func newConn(raw net.Conn, d *Dialer) *conn {
	c := &conn{Conn: raw, raw: raw, d: d, release: func() bool { return true }, streams: map[uint32]*stream{}, next: 1, most: 1 << 20}
	c.frame, c.initial, c.window = 16384, 65535, 65535
	c.changed = sync.NewCond(&c.mu)
	return c
}

func (c *conn) secure(ctx context.Context, given *tls.Config, server string) error {
	cfg := given.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	if cfg.ServerName == "" {
		cfg.ServerName = server
	}
	cfg.NextProtos = []string{"h2"}
	cfg.ClientSessionCache = nil
	secure := tls.Client(c.raw, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		return err
	}
	if p := secure.ConnectionState().NegotiatedProtocol; p != "h2" {
		return fmt.Errorf("the server does not speak HTTP/2 (ALPN %q)", p)
	}
	c.Conn = secure
	return nil
}

// begin says hello and waits for the server's.
func (c *conn) begin() error {
	hello := frames(func(f *http2.Framer) error {
		err := f.WriteSettings(
			http2.Setting{ID: http2.SettingEnablePush, Val: 0},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: window},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: mostHeader},
		)
		if err == nil {
			err = f.WriteWindowUpdate(0, window-65535)
		}
		return err
	})
	c.framer = http2.NewFramer(io.Discard, c.Conn)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.MaxHeaderListSize = mostHeader
	c.framer.SetMaxReadFrameSize(16384) // what a server may send that was told nothing else
	if err := c.write(append([]byte(http2.ClientPreface), hello...)); err != nil {
		return err
	}
	c.ended = make(chan struct{})
	go c.read() // it may write too, so not before the preface
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ready && c.broken == nil {
		c.changed.Wait()
	}
	return c.broken
}

// open makes a stream.
func (c *conn) open() (*stream, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.broken != nil:
		return nil, c.broken
	case uint32(len(c.streams)) >= c.most:
		return nil, fmt.Errorf("the server takes %d streams at once on a connection, not more", c.most)
	}
	s := &stream{id: c.next, window: c.initial, began: make(chan struct{}), done: make(chan struct{})}
	c.streams[s.id] = s
	c.next += 2
	return s, nil
}

func (c *conn) write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.Write(b)
	return err
}

// headers sends the header block of a stream.
func (c *conn) headers(s *stream, m message, end bool) error {
	return c.write(headerFrames(s.id, m.block, c.frameSize(), end))
}

func (c *conn) frameSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frame
}

// data sends part of a body as the server's windows allow.
func (c *conn) data(s *stream, b []byte) error {
	for len(b) > 0 {
		n, err := c.take(s, len(b))
		if err != nil {
			return err
		}
		part := b[:n]
		if err := c.write(frames(func(f *http2.Framer) error { return f.WriteData(s.id, false, part) })); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

var errAnswered = errors.New("the answer came before the whole request was sent")

// take waits until something can be sent, and says how much.
func (c *conn) take(s *stream, want int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.broken == nil && !s.over && min(s.window, c.window) <= 0 {
		c.changed.Wait()
	}
	switch {
	case c.broken != nil:
		return 0, c.broken
	case s.over:
		return 0, errAnswered
	}
	n := min(int64(want), s.window, c.window, int64(c.frame))
	s.window -= n
	c.window -= n
	return int(n), nil
}

// close ends the connection as a client does that is gone.
func (c *conn) close() {
	c.end()
	if c.ended != nil {
		<-c.ended
	}
}

// leaveBound is how long a server gets to see that the client is gone.
const leaveBound = 250 * time.Millisecond

// leave tells the server that no more comes. A close at once would be a reset
// where something of the server's is unread, and a reset takes back what was
// sent: so what it says is read until it closes too, or the bound has passed.
func (c *conn) leave() {
	if tcp, ok := c.raw.(*net.TCPConn); ok && tcp.CloseWrite() == nil {
		bound := time.NewTimer(leaveBound)
		defer bound.Stop()
		select {
		case <-c.ended:
		case <-bound.C:
		}
	}
}

func (c *conn) end() {
	c.release()
	_ = c.raw.Close()
}

func notConnected(ctx context.Context, err error) inject.Answer {
	a := inject.Failed(err, false)
	switch {
	case ctx.Err() != nil || a.Status == "timeout":
		return inject.Answer{Status: "timeout", Err: fmt.Errorf("no connection in time: %w", err)}
	case errors.Is(err, syscall.ECONNRESET):
		return a
	}
	return inject.Answer{Status: "unreachable", Err: err}
}
