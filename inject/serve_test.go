package inject

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// raw is a server on loopback that does as it is told with each connection.
func raw(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		running.Wait()
	})
	return "http://" + l.Addr().String()
}

// says answers every request with the same bytes and closes.
func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		skipRequest(c)
		_, _ = io.WriteString(c, text)
	}
}

// skipRequest reads a header and as much of the body as comes with it.
func skipRequest(c net.Conn) {
	var got strings.Builder
	b := make([]byte, 64<<10)
	for !strings.Contains(got.String(), "\r\n\r\n") {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		got.Write(b[:n])
	}
}

func breaks(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

// silent waits until the client has gone.
func silent(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func post(t *testing.T, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "k1")
	return r
}

// within waits for something that must come, with a bound against a hang.
func within[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(10 * time.Second):
		t.Fatal("it did not come in 10 s")
	}
	return v
}
