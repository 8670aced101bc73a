package relay

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shapes are requests as the relay meets them: without a body, small, large,
// chunked.
var shapes = map[string]string{
	"no body": "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
	"small":   "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
	"large":   "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("abc", 100_000),
	"chunked": chunked(strings.Repeat("5\r\nhello\r\n", 20_000) + "0\r\n\r\n"),
}

func TestHold(t *testing.T) {
	for name, ask := range shapes {
		t.Run(name, func(t *testing.T) {
			came, held := make(chan string, 2), make(chan bool)
			up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
				b := make([]byte, len(ask))
				_, _ = io.ReadFull(r, b[:len(ask)-1])
				came <- string(b[:len(ask)-1])
				if r.Buffered() > 0 {
					t.Error("the last byte was not held")
				}
				held <- true
				_, _ = io.ReadFull(r, b[len(ask)-1:])
				came <- string(b)
				_, _ = io.WriteString(c, "HTTP/1.1 204 No\r\n\r\n")
			})
			g := newRig(t, up, nil)
			var request, answer bytes.Buffer
			sent := false
			g.act = func(*Request) *Act {
				return &Act{
					Request: &request, Answer: &answer,
					Hold: func() {
						if all := request.String(); all != ask || <-came != ask[:len(ask)-1] {
							t.Errorf("held with %d bytes", len(all))
						}
						<-held
					},
					Sent: func() { sent = true },
				}
			}
			c := g.dial()
			c.send(ask)
			if status, _, _ := c.answer("GET"); status != 204 {
				t.Error(status)
			}
			e := g.end()
			if all := <-came; all != ask || !sent || !e.a.SentAll || e.sent != int64(len(ask)-len(e.head)) {
				t.Errorf("%d bytes, sent %v, %+v", len(all), sent, e.a)
			}
			if answer.String() != "HTTP/1.1 204 No\r\n\r\n" {
				t.Errorf("%q", answer.String())
			}
		})
	}
}

func TestLoseAnswer(t *testing.T) {
	for name, ask := range shapes {
		t.Run(name, func(t *testing.T) {
			up := service(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(http.StatusEarlyHints)
				_, _ = io.WriteString(w, strings.Repeat("answer", 20_000))
			})
			g := newRig(t, up, nil)
			var answer bytes.Buffer
			g.act = func(*Request) *Act { return &Act{Answer: &answer, Lose: true} }
			c := g.dial()
			c.send(ask)
			if got, err := c.rest(); got != "" || !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the caller saw %q, %v", got, err)
			}
			e := g.end()
			a, body, err := SplitAnswer(answer.Bytes(), e.method)
			if !e.a.Whole || e.a.Given || e.a.Err != nil || a.Status != 200 || len(body) != 120_000 || err != nil {
				t.Errorf("%+v; %d bytes, %v", e.a, len(body), err)
			}
		})
	}
}

func TestReplaceAnswer(t *testing.T) {
	up := service(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "done") })
	g := newRig(t, up, nil)
	var answer bytes.Buffer
	g.act = func(r *Request) *Act {
		if string(r.Target) != "/a" {
			return nil
		}
		return &Act{Answer: &answer, Replace: []byte("HTTP/1.1 502 No\r\nContent-Length: 3\r\n\r\nno\n"), Delay: 10 * time.Millisecond}
	}
	c := g.dial()
	for _, want := range []string{"no\n", "no\n"} {
		c.send(shapes["small"])
		if status, body, _ := c.answer("POST"); status != 502 || body != want {
			t.Errorf("%d %q", status, body)
		}
		if e := g.end(); e.a.Status != 200 || e.a.First < 10*time.Millisecond || !strings.HasSuffix(answer.String(), "done") {
			t.Errorf("%+v %q", e.a, answer.String())
		}
	}
	c.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
	if status, body, _ := c.answer("GET"); status != 200 || body != "done" {
		t.Errorf("%d %q", status, body)
	}
}

func TestActOdd(t *testing.T) {
	g := newRig(t, "127.0.0.1:1", nil)
	g.act = func(*Request) *Act { return &Act{Odd: true} }
	rest := make(chan string, 1)
	g.server.Odd = func(c net.Conn) {
		b, _ := io.ReadAll(c)
		rest <- string(b)
	}
	for name, ask := range shapes {
		c := g.dial()
		c.send(ask)
		_ = c.c.CloseWrite()
		if got := <-rest; got != ask {
			t.Errorf("%s: %d bytes, not %d", name, len(got), len(ask))
		}
	}
	if g.dials+len(g.ends) > 0 {
		t.Errorf("%d connections, %d ends", g.dials, len(g.ends))
	}
}

func TestPeek(t *testing.T) {
	up := service(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	long := strings.Repeat("0123456789", 1000)
	for _, x := range []struct {
		name, ask, peek string
		all             bool
	}{
		{"none", shapes["no body"], "", true},
		{"small", shapes["small"], "hello", true},
		{"just", post("Content-Length: 4096", long[:MaxPeek]), long[:MaxPeek], true},
		{"long", post("Content-Length: 10000", long), long[:MaxPeek], false},
		{"chunked", chunked("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), "hello", true},
		{"chunked, long", chunked("2\r\n01\r\n270e\r\n" + long[2:] + "\r\n0\r\n\r\n"), long[:MaxPeek], false},
		{"chunked, tiny", chunked(strings.Repeat("1\r\nx\r\n", 10_000) + "0\r\n\r\n"), strings.Repeat("x", (peekRaw+2)/6), false},
	} {
		for _, cut := range []int{1, 1000, len(x.ask)} {
			g := newRig(t, up, nil)
			c := g.dial()
			go func() { // the service may answer before all is sent
				for ask := x.ask; len(ask) > 0; ask = ask[min(cut, len(ask)):] {
					_, _ = io.WriteString(c.c, ask[:min(cut, len(ask))])
				}
			}()
			c.answer("POST")
			if e := g.end(); e.peek != x.peek || e.peekAll != x.all || e.peekCut {
				t.Errorf("%s in pieces of %d: %d bytes, %v, %v", x.name, cut, len(e.peek), e.peekAll, e.peekCut)
			}
		}
	}
}

func TestSlowBodyIsRelayedAsItComes(t *testing.T) {
	for _, ask := range []string{post("Content-Length: 5", ""), chunked("")} {
		begun := make(chan string)
		up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
			b := make([]byte, len(ask)+3)
			_, _ = io.ReadFull(r, b)
			begun <- string(b)
			_, _ = io.Copy(io.Discard, io.LimitReader(r, 2))
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		})
		g := newRig(t, up, func(s *Server) { s.PeekTimeout = time.Millisecond })
		c := g.dial()
		c.send(ask, "2\r\n")
		if got := <-begun; got != ask+"2\r\n" {
			t.Errorf("%q", got)
		}
		c.send("01")
		c.answer("POST")
		if e := g.end(); !e.peekCut || e.peekAll {
			t.Errorf("%+v", e)
		}
	}
}
