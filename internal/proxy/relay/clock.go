package relay

import (
	"errors"
	"net"
	"os"
	"time"
)

var longAgo = time.Unix(1, 0)

// A reader reads from a connection until a time. Setting a deadline costs more
// than a time-out that comes too early once in a while; so a deadline that was
// set stays until it is too late or has passed.
type reader struct {
	c  net.Conn
	at time.Time // the deadline of c
	// Early, if any, is asked when a time-out came early: true ends the reading.
	early func() bool
}

// read is c.Read, which fails with a time-out when until has passed.
func (r *reader) read(b []byte, until time.Time) (int, error) {
	if r.at.IsZero() || r.at.After(until) {
		if err := r.set(until); err != nil {
			return 0, err
		}
		if r.early != nil && r.early() {
			return 0, os.ErrDeadlineExceeded
		}
	}
	for {
		n, err := r.c.Read(b)
		if n > 0 || err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if r.early != nil && r.early() || !time.Now().Before(until) {
			return 0, err
		}
		if err := r.set(until); err != nil {
			return 0, err
		}
	}
}

func (r *reader) set(at time.Time) error {
	r.at = at
	return r.c.SetReadDeadline(at)
}

// A writer writes to a connection that takes something within stall, or at the
// earliest half of it.
type writer struct {
	c     net.Conn
	at    time.Time
	stall time.Duration
}

// write is c.Write; now may be some moments old.
func (w *writer) write(b []byte, now time.Time) (int, error) {
	if w.at.Sub(now) < w.stall/2 {
		w.at = now.Add(w.stall)
		if err := w.c.SetWriteDeadline(w.at); err != nil {
			return 0, err
		}
	}
	return w.c.Write(b)
}

// closeWrite tells the other side that no more comes, where that can be told.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	} else {
		_ = c.Close()
	}
}

// reset closes a connection so that the other side sees it broken.
func reset(c net.Conn) {
	under := c
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		under = t.NetConn()
	}
	if t, ok := under.(interface{ SetLinger(int) error }); ok {
		_ = t.SetLinger(0)
	}
	_ = under.Close()
}

// isTimeout tells whether a deadline has passed.
func isTimeout(err error) bool {
	if err == nil {
		return false
	}
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
