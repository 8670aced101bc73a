package wire

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

// conn is one connection through a link.
type conn struct {
	link *Link
	id   int      // from 1
	down net.Conn // to the system
	up   net.Conn // to the dependency

	mu   sync.Mutex // for up, and for closing
	gone atomic.Bool
}

// dial reaches the dependency.
func (c *conn) dial() error {
	var d net.Dialer
	up, err := d.DialContext(c.link.done, c.link.to.network, c.link.to.name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone.Load() {
		reset(up)
		return net.ErrClosed
	}
	c.up = &tap{Conn: up, link: c.link}
	return nil
}

// call is a fresh Step.Call.
func (c *conn) call() int64 { return c.link.calls.Add(1) }

// watched reports whether somebody looks; if not, nobody needs the names of steps.
func (c *conn) watched() bool { return c.link.hook.Load() != nil }

// step asks the hook of the link; it fills in Link and Conn. What is asked of a
// connection that is cut is Cut, whatever the hook says.
func (c *conn) step(s Step) Action {
	hook := c.link.hook.Load()
	if c.gone.Load() {
		return Cut
	}
	if hook == nil {
		return Pass
	}
	s.Link, s.Conn, s.From, s.Text = c.link.config.Name, c.id, c.down.RemoteAddr().String(), short(s.Text)
	action := (*hook)(s)
	if c.gone.Load() {
		return Cut
	}
	if action == ReadOnly && s.Phase == After {
		return Pass
	}
	return action
}

// short is at most 200 bytes of a text.
func short(text string) string {
	if len(text) > 200 {
		text = text[:200]
	}
	return strings.ToValidUTF8(text, "")
}

// cut resets both sides at once (RST, not FIN).
func (c *conn) cut() {
	c.gone.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	reset(c.down)
	if c.up != nil {
		reset(c.up)
	}
}

// close ends both sides in good order.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down.Close()
	c.up.Close()
}

// both runs one function for each direction and waits for the two. An error of
// one resets the connection, and so ends the other.
func (c *conn) both(one, other func() error) error {
	first := make(chan error, 1)
	go func() { first <- c.orCut(one) }()
	second := c.orCut(other)
	if err := <-first; err != nil && (second == nil || ended(second)) {
		return err
	}
	return second
}

func (c *conn) orCut(f func() error) error {
	err := f()
	if err != nil {
		if !ended(err) && !c.gone.Load() {
			c.link.note(err)
		}
		c.cut()
	}
	return err
}

// reset closes a connection with RST. A unix socket has none: its other end sees
// a reset where it had sent what nobody read, else an end.
func reset(side net.Conn) {
	if t, ok := side.(*tap); ok {
		side = t.Conn
	}
	if tcp, ok := side.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	side.Close()
}

// closeWrite says that nothing more will be written to a side, which can still answer.
func closeWrite(side net.Conn) {
	if t, ok := side.(*tap); ok {
		side = t.Conn
	}
	if half, ok := side.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// ended reports whether an error only says that a side is gone.
func ended(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
