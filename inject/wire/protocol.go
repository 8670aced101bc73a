package wire

import "net"

// Protocol finds the steps in what goes over a connection. Each is one file.
type Protocol struct {
	Name string // "postgres", "http", "tcp"

	// serve moves all bytes between c.down and c.up until either side ends, and
	// asks c.step at each step. It starts the goroutines that it needs and waits
	// for them; when it returns the link closes both sides. An error says what it
	// could not understand, for people.
	serve func(c *conn) error
}

// conn is one connection through a link.
type conn struct {
	link *Link
	id   int      // from 1
	down net.Conn // to the system
	up   net.Conn // to the dependency
}

// call is a fresh Step.Call.
func (c *conn) call() int64 { return 0 }

// step asks the hook of the link; it fills in Link and Conn.
func (c *conn) step(s Step) Action { return Pass }

// cut resets both sides at once (RST, not FIN).
func (c *conn) cut() {}
