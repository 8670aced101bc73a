package inject

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Dialer is an HTTP/1.1 client for faults that net/http cannot make. Each
// attempt has a fresh connection, goes over the wire exactly once, and is bound
// in time and memory. Redirects are answers like any other. The zero value is
// ready; a Dialer is safe for use by many goroutines.
type Dialer struct {
	TLS     *tls.Config   // for https; nil: the system's roots
	Timeout time.Duration // of an attempt, the connecting included; 0: 10 s. The context may end it earlier
	Limit   int64         // bytes of an answer's body kept; 0: 1 MiB
	Read    int64         // bytes of an answer read at most; 0: 16 MiB
}

// Send delivers one request and waits for its answer. The zero Fault is none;
// lose-request, lose-answer, cut-client, delay and replace-answer are carried
// here. Faults of the payload are for whoever makes the request: with these, and
// with a request that cannot be written, nothing is sent, the status is
// "unreachable", and Err says why.
func (d *Dialer) Send(ctx context.Context, r *http.Request, f Fault) Answer {
	m, err := newMessage(r)
	if err == nil {
		err = carried(f, m)
	}
	if err != nil {
		return Answer{Status: unreachable, Err: fmt.Errorf("nothing was sent: %w", err)}
	}
	if f.Name == Delay.Name && !sleep(ctx, f.duration(50*time.Millisecond)) {
		return Answer{Status: timeout, Err: fmt.Errorf("nothing was sent: time was up during the delay: %w", ctx.Err())}
	}
	ctx, cancel := context.WithTimeout(ctx, positive(d.Timeout, 10*time.Second))
	defer cancel()
	c, a := d.connect(ctx, m)
	if c == nil {
		return a
	}
	defer c.close()
	return d.deliver(c, m, f)
}

func (d *Dialer) deliver(c *connection, m message, f Fault) Answer {
	switch f.Name {
	case LoseRequest.Name:
		return Answer{Status: reset, Fired: true, Err: errReset(f)}
	case CutClient.Name:
		return d.cut(c, m, f)
	}
	a := d.exchange(c, m)
	switch f.Name {
	case Delay.Name:
		a.Fired = true
	case LoseAnswer.Name, ReplaceAnswer.Name:
		a = a.Withheld(f)
	}
	return a
}

// carried tells whether a Dialer can do the fault to this message.
func carried(f Fault, m message) error {
	switch f.Name {
	case "":
		return nil
	case LoseRequest.Name, LoseAnswer.Name, Delay.Name, ReplaceAnswer.Name:
		return f.Check()
	case CutClient.Name:
		_, err := m.until(f.Arg)
		return err
	}
	if err := f.Check(); err != nil {
		return err
	}
	return fmt.Errorf("fault %s is not one that a connection can carry: lose-request, lose-answer, cut-client, delay, replace-answer are", f.Name)
}

// exchange writes the whole message and reads the answer. Reading starts at
// once: a server may answer, and stop reading, before a long body is sent.
func (d *Dialer) exchange(c *connection, m message) Answer {
	answer := make(chan Answer, 1)
	go func() {
		a := d.read(c, m.method)
		c.stopWriting()
		answer <- a
	}()
	_, err := c.Write(m.bytes)
	return (<-answer).broke(err)
}

// cut leaves in the middle of the exchange. The caller sees what it would see
// of a connection that broke.
func (d *Dialer) cut(c *connection, m message, f Fault) Answer {
	n, err := m.until(f.Arg)
	if err == nil {
		_, err = c.Write(m.bytes[:n])
	}
	if err == nil && f.Arg == stageAnswer {
		_, err = c.Read(make([]byte, 1))
	}
	if err != nil {
		return Answer{Status: trouble(err, false), Err: fmt.Errorf("the client was to be cut at %s: %w", f, err)}
	}
	return Answer{Status: reset, Fired: true, Err: errReset(f)}
}

// sleep waits; false means that the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func positive[T int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// connection is one fresh connection that ends with its context.
type connection struct {
	net.Conn          // what is written and read: TLS, if there is any
	raw      net.Conn // below it
	release  func() bool
}

func (d *Dialer) connect(ctx context.Context, m message) (*connection, Answer) {
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", m.address)
	if err != nil {
		return nil, notConnected(ctx, err)
	}
	c := &connection{Conn: raw, raw: raw}
	c.release = context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	if m.server != "" {
		secure := tls.Client(raw, d.secure(m.server))
		if err := secure.HandshakeContext(ctx); err != nil {
			c.close()
			return nil, notConnected(ctx, fmt.Errorf("TLS with %s: %w", m.address, err))
		}
		c.Conn = secure
	}
	return c, Answer{}
}

func (d *Dialer) secure(server string) *tls.Config {
	cfg := d.TLS.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	if cfg.ServerName == "" {
		cfg.ServerName = server
	}
	cfg.NextProtos = []string{"http/1.1"}
	cfg.ClientSessionCache = nil // no session tickets: unread, they would turn the FIN of cut-client into a reset
	return cfg
}

func notConnected(ctx context.Context, err error) Answer {
	if ctx.Err() != nil || trouble(err, false) == timeout {
		return Answer{Status: timeout, Err: fmt.Errorf("no connection in time: %w", err)}
	}
	if errors.Is(err, syscall.ECONNRESET) {
		return Answer{Status: reset, Err: err} // it was made, and reset before we could use it
	}
	return Answer{Status: unreachable, Err: err}
}

// stopWriting wakes a writer that nobody reads from any more.
func (c *connection) stopWriting() { _ = c.raw.SetWriteDeadline(time.Unix(1, 0)) }

// close ends the connection below TLS, as a client does that is gone: a FIN, or
// a reset if bytes of an answer were left unread.
func (c *connection) close() {
	c.release()
	_ = c.raw.Close()
}
