package wire

import (
	"errors"
	"io"
	"net"
	"sync"
)

// TCP passes bytes on and knows no steps. It is for faults on bytes, and for
// Down and Up.
var TCP = Protocol{Name: "tcp", serve: func(c *conn) error { return c.pass(c.down, c.up) }}

// pass moves all bytes both ways. What a codec has read and not passed on comes
// first in its readers.
func (c *conn) pass(down, up io.Reader) error {
	return c.both(
		func() error { return relay(c.up, down) },
		func() error { return relay(c.down, up) },
	)
}

// buffers are for relay.
var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// relay copies until from ends, and hands on the end.
func relay(to net.Conn, from io.Reader) error {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for {
		n, err := from.Read(*buffer)
		if n > 0 {
			if _, err := to.Write((*buffer)[:n]); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			closeWrite(to)
			return nil
		}
		if err != nil {
			return err
		}
	}
}
