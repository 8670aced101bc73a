package relay

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func hasty(s *Server) { s.WatchAfter, s.PeekTimeout = 5*time.Millisecond, 5*time.Millisecond }

// TestCallerLeaves: the service sees it, before its answer and in the midst of it.
func TestCallerLeaves(t *testing.T) {
	for _, says := range []string{"", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhe"} {
		for _, hard := range []bool{false, true} {
			left := make(chan error, 1)
			up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
				_, _ = io.ReadFull(r, make([]byte, len(small)))
				_, _ = io.WriteString(c, says)
				_, err := r.ReadByte()
				left <- err
			})
			g := newRig(t, up, hasty)
			c := g.dial()
			c.send(small)
			if says != "" {
				_, _ = c.r.Peek(len(says))
			}
			if hard {
				_ = c.c.SetLinger(0)
			}
			_ = c.c.Close()
			if err := <-left; err == nil {
				t.Error("the service read a byte")
			}
			if e := g.end(); e.a.Err == nil {
				t.Errorf("%+v", e.a)
			}
		}
	}
}

// TestCallerSendsNoMore: half of its connection is closed, and it gets its answer.
func TestCallerSendsNoMore(t *testing.T) {
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		if _, err := r.ReadByte(); err == io.EOF {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")
		}
	})
	g := newRig(t, up, hasty)
	c := g.dial()
	c.send(small)
	_ = c.c.CloseWrite()
	if _, body, _ := c.answer("POST"); body != "late" {
		t.Errorf("%q", body)
	}
}

// TestCallerSendsAhead: while it is watched, the next request comes.
func TestCallerSendsAhead(t *testing.T) {
	next := make(chan bool)
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		for range 3 {
			if _, err := io.ReadFull(r, make([]byte, len(small))); err != nil {
				return
			}
			<-next
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	g := newRig(t, up, func(s *Server) { s.WatchAfter = time.Nanosecond })
	c := g.dial()
	c.send(small)
	c.send(small[:9])
	c.send(small[9:], small)
	for range 3 {
		next <- true
		if _, body, _ := c.answer("POST"); body != "ok" {
			t.Errorf("%q", body)
		}
	}
}

// TestCallerLeavesInTheBody: the service sees a body that is cut off.
func TestCallerLeavesInTheBody(t *testing.T) {
	for _, ask := range []string{post("Content-Length: 100000", strings.Repeat("x", 50_000)), chunked("c350\r\n" + strings.Repeat("x", 40_000))} {
		got := make(chan int, 1)
		up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
			b, _ := io.ReadAll(r)
			got <- len(b)
			_, _ = io.WriteString(c, "HTTP/1.1 400 Cut\r\nContent-Length: 0\r\n\r\n")
		})
		g := newRig(t, up, hasty)
		c := g.dial()
		c.send(ask)
		_ = c.c.CloseWrite()
		if n := <-got; n != len(ask) {
			t.Errorf("%d bytes, not %d", n, len(ask))
		}
		if status, _, _ := c.answer("POST"); status != 400 {
			t.Error(status)
		}
		if e := g.end(); e.a.SentAll {
			t.Errorf("%+v", e.a)
		}
	}
}

func TestBadChunkAfterTheStart(t *testing.T) {
	got := make(chan string, 1)
	up := raw(t, func(_ *net.TCPConn, r *bufio.Reader) {
		b, _ := io.ReadAll(r)
		got <- string(b)
	})
	g := newRig(t, up, nil)
	c := g.dial()
	c.send(chunked(strings.Repeat("1000\r\n"+strings.Repeat("x", 4096)+"\r\n", 30) + "zz\r\n" + evil))
	if status, _, _ := c.answer("POST"); status != 400 {
		t.Error(status)
	}
	if b := <-got; strings.Contains(b, "evil") || strings.HasSuffix(b, "0\r\n\r\n") {
		t.Errorf("the service got %d bytes, with what is malformed", len(b))
	}
	g.end()
}

func TestDrain(t *testing.T) {
	asked, next := make(chan bool), make(chan bool)
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		for {
			if _, err := io.ReadFull(r, make([]byte, len(small))); err != nil {
				return
			}
			asked <- true
			<-next
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	g := newRig(t, up, nil)
	quiet, fresh, busy := g.dial(), g.dial(), g.dial()
	for _, c := range []*caller{quiet, busy} {
		c.send(small)
		<-asked
		next <- true
		c.answer("POST")
	}
	busy.send(small)
	<-asked
	g.server.Drain()
	for _, c := range []*caller{quiet, fresh} {
		if rest, err := c.rest(); rest != "" || err != nil {
			t.Errorf("%q, %v", rest, err)
		}
	}
	next <- true
	if _, body, _ := busy.answer("POST"); body != "ok" {
		t.Errorf("%q", body)
	}
	if rest, err := busy.rest(); rest != "" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestClose(t *testing.T) {
	asked := make(chan bool)
	up := raw(t, func(_ *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		asked <- true
		_, _ = io.Copy(io.Discard, r)
	})
	g := newRig(t, up, nil)
	c, late := g.dial(), g.dial()
	c.send(small)
	<-asked
	g.act = func(*Request) *Act { asked <- true; return &Act{Delay: time.Hour} }
	late.send(small)
	<-asked
	g.server.Close()
	for range 2 {
		if e := g.end(); e.a.Err == nil {
			t.Errorf("%+v", e.a)
		}
	}
	if _, err := g.dial().rest(); err != nil {
		t.Error(err)
	}
}
