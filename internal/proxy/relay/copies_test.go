package relay

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func dialer(addr string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", addr)
	}
}

// pooled is a connection of the pool with a deadline.
func pooled(t *testing.T, p *Pool) net.Conn {
	t.Helper()
	c, err := p.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

func TestExchange(t *testing.T) {
	up := service(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusProcessing)
		_, _ = io.WriteString(w, strings.Repeat(string(b), 2))
	})
	p := &Pool{Dial: dialer(up)}
	defer p.Close()
	var first net.Conn
	for name, ask := range shapes {
		for _, held := range []bool{false, true} {
			for _, known := range []bool{false, true} {
				c := pooled(t, p)
				var answer bytes.Buffer
				var hold func()
				fired := false
				if held {
					hold = func() { fired = true }
				}
				var from io.Reader = strings.NewReader(ask)
				if !known {
					from = iotest.HalfReader(from)
				}
				a, reusable, err := Exchange(c, from, &answer, hold)
				_, sent, _ := SplitRequest([]byte(ask))
				got, body, split := SplitAnswer(answer.Bytes(), "POST")
				if err != nil || split != nil || !reusable || fired != held || !a.Whole || !a.SentAll || a.Status != 200 || got.Status != 200 {
					t.Fatalf("%s: %v %v, %v, %v, %+v", name, err, split, reusable, fired, a)
				}
				if string(body) != strings.Repeat(string(sent), 2) {
					t.Errorf("%s: %d bytes", name, len(body))
				}
				if first != nil && first != c {
					t.Error("the connection was not used again")
				}
				first = c
				p.Put(c)
			}
		}
	}
}

func TestExchangeHoldsTheLastByte(t *testing.T) {
	for name, ask := range shapes {
		got, next := make(chan int), make(chan bool)
		up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
			_, _ = io.ReadFull(r, make([]byte, len(ask)-1))
			got <- r.Buffered()
			<-next
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, "HTTP/1.1 204 No\r\nConnection: close\r\n\r\n")
		})
		p := &Pool{Dial: dialer(up)}
		a, reusable, err := Exchange(pooled(t, p), strings.NewReader(ask), io.Discard, func() {
			if more := <-got; more > 0 {
				t.Errorf("%s: %d bytes too many", name, more)
			}
			next <- true
		})
		if a.Status != 204 || reusable || err != nil {
			t.Errorf("%s: %+v %v %v", name, a, reusable, err)
		}
	}
}

func TestExchangeThatFails(t *testing.T) {
	for says, want := range map[string]error{
		"": errNoAnswer,
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe": errCut,
		"HTTP/1.1 200": errCut,
		"nonsense\n\n": badStatus,
	} {
		up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
			_, _ = io.ReadFull(r, make([]byte, len(small)))
			_, _ = io.WriteString(c, says)
		})
		p := &Pool{Dial: dialer(up)}
		a, reusable, err := Exchange(pooled(t, p), strings.NewReader(small), io.Discard, nil)
		if !errors.Is(err, want) || a.Err == nil || reusable {
			t.Errorf("%q: %v, %v", says, err, reusable)
		}
	}
	up := raw(t, func(_ *net.TCPConn, r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) })
	p := &Pool{Dial: dialer(up)}
	c := pooled(t, p)
	_ = c.SetDeadline(time.Now().Add(10 * time.Millisecond))
	if _, _, err := Exchange(c, strings.NewReader(small), io.Discard, nil); !isTimeout(err) {
		t.Error(err)
	}
	_ = c.Close()
}

func TestPool(t *testing.T) {
	conns := make(chan *net.TCPConn, 4)
	up := raw(t, func(c *net.TCPConn, r *bufio.Reader) {
		conns <- c
		_, _ = io.Copy(io.Discard, r)
	})
	p := &Pool{Dial: dialer(up), Max: 1}
	a := pooled(t, p)
	theirs := <-conns
	b := pooled(t, p)
	<-conns
	p.Put(a)
	p.Put(b) // one too many
	if _, err := b.Write([]byte("x")); err == nil {
		t.Error("more are kept than may be")
	}
	if c := pooled(t, p); c != a {
		t.Error("the idle connection was not used")
	}
	p.Put(a)
	_ = theirs.Close()
	c := pooled(t, p)
	if c == a {
		t.Error("a connection that the service closed")
	}
	p.Close()
	p.Put(c)
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("a closed pool keeps a connection")
	}
}

func TestSplit(t *testing.T) {
	a, body, err := SplitAnswer([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\netag:  x \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n"), "GET")
	if tag, ok := a.Header("ETag"); string(body) != "hi" || err != nil || string(tag) != "x" || !ok || a.Status != 200 {
		t.Errorf("%q %v %+v", body, err, a)
	}
	if _, ok := a.Header("tag"); ok {
		t.Error("a field that is not there")
	}
	for _, raw := range []string{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe"} {
		if a, body, err := SplitAnswer([]byte(raw), "GET"); string(body) != "he" || err == nil || a.Whole {
			t.Errorf("%q %v", body, err)
		}
	}
	if a, body, err := SplitAnswer([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), "HEAD"); len(body) > 0 || err != nil || !a.Whole {
		t.Errorf("%q %v", body, err)
	}
	r, body, err := SplitRequest([]byte(chunked("5;x\r\nhello\r\n0\r\n\r\n")))
	if string(body) != "hello" || err != nil || string(r.Method) != "POST" || r.Length != -1 {
		t.Errorf("%q %v %+v", body, err, r)
	}
}
