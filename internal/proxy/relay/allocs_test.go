package relay

import (
	"bufio"
	"io"
	"net"
	"testing"
)

// TestNoAllocations: a request that is not chosen costs none.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	says := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	up := raw(t, func(c *net.TCPConn, _ *bufio.Reader) {
		b := make([]byte, len(small))
		for {
			if _, err := io.ReadFull(c, b); err != nil {
				return
			}
			_, _ = c.Write(says)
		}
	})
	l := listen(t)
	defer l.Close()
	s := &Server{Open: func(net.Conn) Hooks { return idle(up) }}
	defer s.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			s.Serve(c)
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask, b := []byte(small), make([]byte, len(says))
	if n := testing.AllocsPerRun(2000, func() {
		_, _ = c.Write(ask)
		_, _ = io.ReadFull(c, b)
	}); n >= 1 {
		t.Errorf("%v allocations for a request", n)
	}
}
