package relay

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// rig is a relay before a service.
type rig struct {
	t      *testing.T
	server *Server
	addr   string
	up     string // the service's address

	act  func(r *Request) *Act
	over func(r *Request, act *Act)

	mu      sync.Mutex
	ends    []ended1
	refused []string
	dials   int
	odd     int
	ended   chan struct{} // gets one for each End
}

// ended1 is what End was told, kept.
type ended1 struct {
	method, target, host, head, peek string
	peekAll, peekCut                 bool
	length, sent                     int64
	answerHead                       string
	a                                Answer
}

// newRig starts a relay before the service at up. Change may set limits.
func newRig(t *testing.T, up string, change func(*Server)) *rig {
	t.Helper()
	g := &rig{t: t, up: up, ended: make(chan struct{}, 10000)}
	g.server = &Server{
		Open:    func(net.Conn) Hooks { return g },
		Refused: func(_ net.Conn, _ int, why string) { g.mu.Lock(); g.refused = append(g.refused, why); g.mu.Unlock() },
		Odd: func(c net.Conn) {
			g.mu.Lock()
			g.odd++
			g.mu.Unlock()
			_, _ = io.WriteString(c, "HTTP/1.1 299 Odd\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		},
	}
	if change != nil {
		change(g.server)
	}
	l := listen(t)
	g.addr = l.Addr().String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { g.server.Serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		g.server.Close()
		wg.Wait()
	})
	return g
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (g *rig) Dial(ctx context.Context) (net.Conn, error) {
	g.mu.Lock()
	g.dials++
	g.mu.Unlock()
	var d net.Dialer
	return d.DialContext(ctx, "tcp", g.up)
}

func (g *rig) Begin(r *Request) *Act {
	if g.act == nil {
		return nil
	}
	return g.act(r)
}

func (g *rig) End(r *Request, a *Answer, act *Act) {
	if g.over != nil {
		g.over(r, act)
	}
	e := ended1{
		method: string(r.Method), target: string(r.Target), host: string(r.Host), head: string(r.Head), peek: string(r.Peek),
		peekAll: r.PeekAll, peekCut: r.PeekCut, length: r.Length, sent: r.Sent, answerHead: string(a.Head), a: *a,
	}
	e.a.Head = nil
	g.mu.Lock()
	g.ends = append(g.ends, e)
	g.mu.Unlock()
	g.ended <- struct{}{}
}

// end waits for the next End and returns what it was told.
func (g *rig) end() ended1 {
	g.t.Helper()
	select {
	case <-g.ended:
	case <-time.After(20 * time.Second):
		g.t.Fatal("End was not called")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ends[len(g.ends)-1]
}

// dial connects a raw caller.
func (g *rig) dial() *caller {
	g.t.Helper()
	c, err := net.Dial("tcp", g.addr)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return &caller{t: g.t, c: c.(*net.TCPConn), r: bufio.NewReader(c)}
}

// A caller speaks raw HTTP.
type caller struct {
	t *testing.T
	c *net.TCPConn
	r *bufio.Reader
}

func (c *caller) send(pieces ...string) {
	c.t.Helper()
	for _, p := range pieces {
		if _, err := io.WriteString(c.c, p); err != nil {
			c.t.Fatal(err)
		}
	}
}

// answer reads one answer.
func (c *caller) answer(method string) (status int, body string, a *http.Response) {
	c.t.Helper()
	a, err := http.ReadResponse(c.r, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := io.ReadAll(a.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return a.StatusCode, string(b), a
}

// rest reads to the end of the connection.
func (c *caller) rest() (string, error) {
	b, err := io.ReadAll(c.r)
	return string(b), err
}

// raw is a service that is a function of each of its connections.
func raw(t *testing.T, serve func(c *net.TCPConn, r *bufio.Reader)) string {
	t.Helper()
	l := listen(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(20 * time.Second))
				serve(c.(*net.TCPConn), bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	return l.Addr().String()
}

// service is a net/http server, without a word in the log.
func service(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	s.Start()
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}
