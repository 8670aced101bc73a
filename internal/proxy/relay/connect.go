package relay

import (
	"net"
	"time"
)

// connect sees to a connection to the service on which nothing was sent, or which
// is open and was quiet since its last answer.
func (k *conn) connect() error {
	if k.up != nil {
		ok := k.pulse.alive(k.r.Start.Sub(k.last))
		if k.pulse.moved {
			k.says.at, k.pulse.moved = time.Time{}, false
		}
		if ok {
			return nil
		}
		k.hangUp()
	}
	up, err := k.hooks.Dial(k.s.ctx)
	if err != nil {
		return &dialError{err}
	}
	k.setUp(up)
	if k.s.ctx.Err() != nil {
		return errClosed
	}
	k.now = time.Now()
	k.says = reader{c: up}
	k.asks = writer{c: up, stall: k.s.StallTimeout}
	k.pulse.init(up)
	return nil
}

// A dialError: nothing was sent.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

func (k *conn) setUp(up net.Conn) {
	k.s.mu.Lock()
	defer k.s.mu.Unlock()
	k.up = up
}

// hangUp ends the connection to the service.
func (k *conn) hangUp() {
	if k.up != nil {
		_ = k.up.Close()
		k.setUp(nil)
	}
}
