package relay

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const small = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"

func TestEarlyAnswer(t *testing.T) {
	large := post("Content-Length: 20000000", strings.Repeat("0123456789", 2_000_000))
	for _, x := range []struct {
		name, says string
		reads      int // of the body
		again      bool
	}{
		{"closes", "HTTP/1.1 413 Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig", 10, false},
		{"reads on", "HTTP/1.1 413 Large\r\nContent-Length: 3\r\n\r\nbig", 20_000_000, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
				for {
					if _, err := http.ReadRequest(bufio.NewReader(io.LimitReader(r, int64(len(large)-20_000_000)))); err != nil {
						return
					}
					_, _ = io.WriteString(c, x.says)
					_, _ = io.CopyN(io.Discard, r, int64(x.reads))
					if !x.again {
						return
					}
				}
			})
			g := newRig(t, up, nil)
			c := g.dial()
			for range 2 {
				go func() { _, _ = io.WriteString(c.c, large) }()
				if status, body, _ := c.answer("POST"); status != 413 || body != "big" {
					t.Errorf("%d %q", status, body)
				}
				e := g.end()
				if e.a.SentAll != x.again || !e.a.Given {
					t.Errorf("%+v", e.a)
				}
				if !x.again {
					break
				}
			}
		})
	}
}

func TestServiceClosedWhileIdle(t *testing.T) {
	closed := make(chan bool)
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		_, _ = io.WriteString(c, "HTTP/1.1 204 No\r\n\r\n")
		<-closed
		_ = c.Close()
		closed <- true
	})
	g := newRig(t, up, nil)
	c := g.dial()
	for range 3 {
		c.send(small)
		if status, _, _ := c.answer("POST"); status != 204 {
			t.Error(status)
		}
		closed <- true
		<-closed
	}
	if g.dials != 3 {
		t.Errorf("%d connections", g.dials)
	}
}

func TestSpokenWhileIdle(t *testing.T) {
	spoken := make(chan bool)
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		_, _ = io.WriteString(c, "HTTP/1.1 204 No\r\n\r\n")
		<-spoken
		_, _ = io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		spoken <- true
		_, _ = io.Copy(io.Discard, r)
	})
	g := newRig(t, up, nil)
	c := g.dial()
	for range 2 {
		c.send(small)
		if status, _, _ := c.answer("POST"); status != 204 {
			t.Error(status)
		}
		spoken <- true
		<-spoken
	}
}

// TestNeverSentAgain: a request that may have reached the service is not sent
// again, and the caller sees what it would see without the relay.
func TestNeverSentAgain(t *testing.T) {
	for _, x := range []struct {
		name  string
		first bool // on a connection that has carried nothing
		says  string
		reset bool
		err   error
	}{
		{"closed", true, "", false, nil},
		{"closed, used before", false, "", false, nil},
		{"reset", true, "", true, syscall.ECONNRESET},
		{"reset, used before", false, "", true, syscall.ECONNRESET},
		{"cut in the head", true, "HTTP/1.1 200", false, syscall.ECONNRESET},
		{"cut in the body", true, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", false, nil},
		{"reset to the end", true, "HTTP/1.1 200 OK\r\n\r\nhe", true, syscall.ECONNRESET},
	} {
		t.Run(x.name, func(t *testing.T) {
			var asked atomic.Int64
			read := make(chan bool, 1)
			up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
				if !x.first {
					_, _ = io.ReadFull(r, make([]byte, len(small)))
					_, _ = io.WriteString(c, "HTTP/1.1 204 No\r\n\r\n")
				}
				_, _ = io.ReadFull(r, make([]byte, len(small)))
				asked.Add(1)
				_, _ = io.WriteString(c, x.says)
				if x.says != "" {
					<-read // a reset may overtake what was written
				}
				if x.reset {
					_ = c.SetLinger(0)
				}
			})
			g := newRig(t, up, nil)
			c := g.dial()
			if !x.first {
				c.send(small)
				c.answer("POST")
				g.end()
			}
			c.send(small)
			if strings.Contains(x.says, "\r\n\r\n") {
				_, err := c.r.Peek(len(x.says))
				if err != nil {
					t.Fatal(err)
				}
			}
			read <- true
			got, err := c.rest()
			if !errors.Is(err, x.err) || err != nil && x.err == nil {
				t.Errorf("the caller saw %q, %v", got, err)
			}
			e := g.end()
			if e.a.Err == nil || asked.Load() != 1 || g.dials != 1 {
				t.Errorf("%v, sent %d times on %d connections", e.a.Err, asked.Load(), g.dials)
			}
		})
	}
}

func TestNotReachable(t *testing.T) {
	l := listen(t)
	_ = l.Close()
	g := newRig(t, l.Addr().String(), nil)
	c := g.dial()
	c.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n")
	status, _, a := c.answer("HEAD")
	if status != 502 || a.Header.Get(Mark) == "" {
		t.Errorf("%d %v", status, a.Header)
	}
	if rest, err := c.rest(); rest != "" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	if e := g.end(); e.a.Err == nil || e.a.Status != 0 || e.a.Given {
		t.Errorf("%+v", e.a)
	}
}

func TestAnswersThatAreNotUnderstood(t *testing.T) {
	for _, says := range []string{
		"SSH-2.0-OpenSSH\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 70<<10) + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
	} {
		up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
			_, _ = io.ReadFull(r, make([]byte, len(small)))
			_, _ = io.WriteString(c, says)
			_, _ = io.Copy(io.Discard, r)
		})
		g := newRig(t, up, nil)
		c := g.dial()
		c.send(small)
		status, _, a := c.answer("POST")
		if e := g.end(); status/100 == 2 || a.Header.Get(Mark) == "" || e.a.Err == nil {
			t.Errorf("%.40q: %d %v", says, status, e.a.Err)
		}
	}
}

func TestAnswerToTheEnd(t *testing.T) {
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", 100_000))
	})
	g := newRig(t, up, nil)
	c := g.dial()
	c.send(small)
	if _, body, _ := c.answer("POST"); len(body) != 100_000 {
		t.Errorf("%d bytes", len(body))
	}
	if e := g.end(); e.a.Err != nil || !e.a.ToEnd || e.a.Length != 100_000 || !e.a.Whole {
		t.Errorf("%+v", e.a)
	}
}

func TestServiceSaysTooMuch(t *testing.T) {
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		_, _ = io.WriteString(c, "HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
		_, _ = io.Copy(io.Discard, r)
	})
	g := newRig(t, up, nil)
	c := g.dial()
	c.send(small + small)
	if got, err := c.rest(); got != "HTTP/1.1 204 No\r\n\r\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTimeouts(t *testing.T) {
	g := newRig(t, "127.0.0.1:1", func(s *Server) {
		s.HeadTimeout, s.IdleTimeout, s.StallTimeout = 20*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
	})
	c := g.dial()
	if got, err := c.rest(); got != "" || err != nil {
		t.Errorf("idle: %q, %v", got, err)
	}
	c = g.dial()
	c.send("GET /a HTTP/1.1\r\nHo")
	if status, _, _ := c.answer("GET"); status != 408 {
		t.Errorf("slow head: %d", status)
	}
}

func TestBodyThatStalls(t *testing.T) {
	up := raw(t, func(_ *net.TCPConn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) })
	g := newRig(t, up, func(s *Server) { s.PeekTimeout, s.StallTimeout = time.Millisecond, 20*time.Millisecond })
	c := g.dial()
	c.send(small[:len(small)-1])
	if status, _, _ := c.answer("POST"); status != 408 {
		t.Error(status)
	}
	if e := g.end(); e.a.SentAll || e.a.Err == nil || e.sent != 4 {
		t.Errorf("%+v", e)
	}
}

// TestCallerThatDoesNotRead: the relay does not keep the answer for it, and gives
// up.
func TestCallerThatDoesNotRead(t *testing.T) {
	stopped := make(chan error, 1)
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		_, _ = io.ReadFull(r, make([]byte, len(small)))
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1048576000\r\n\r\n")
		part := make([]byte, 1<<20)
		for i := 0; i < 1000 && err == nil; i++ {
			_, err = c.Write(part)
		}
		stopped <- err
	})
	g := newRig(t, up, func(s *Server) { s.StallTimeout = 50 * time.Millisecond })
	g.dial().send(small)
	if e := g.end(); !errors.Is(e.a.Err, errGone) || e.a.Given || e.a.Whole {
		t.Errorf("%+v", e.a)
	}
	if err := <-stopped; err == nil {
		t.Error("all was taken")
	}
}

// TestEmptyLineBetween: some callers send one behind a body.
func TestEmptyLineBetween(t *testing.T) {
	up := service(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	g := newRig(t, up, nil)
	for _, between := range []string{"\r\n", "\r"} {
		c := g.dial()
		c.send(small, between)
		c.answer("POST")
		c.send("\r\n"[len(between):], small, "\r\n\r\n")
		if _, body, _ := c.answer("POST"); body != "hello" {
			t.Errorf("%q", body)
		}
		if status, _, _ := c.answer("POST"); status != 400 {
			t.Errorf("two empty lines: %d", status)
		}
	}
}
