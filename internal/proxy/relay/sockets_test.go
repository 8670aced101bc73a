package relay

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTLS: on both sides; the service's tickets, which come unasked, are no answer.
func TestTLS(t *testing.T) {
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	}))
	up.StartTLS()
	defer up.Close()
	g := newRig(t, up.Listener.Addr().String(), nil)
	trust := up.Client().Transport.(*http.Transport).TLSClientConfig
	hooks := &tlsHooks{rig: g, config: &tls.Config{RootCAs: trust.RootCAs, ServerName: "example.com"}}
	g.server.Open = func(net.Conn) Hooks { return hooks }
	l := listen(t)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.server.Serve(tls.Server(c, &tls.Config{Certificates: up.TLS.Certificates}))
		}
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), hooks.config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	for i := range 12 {
		body := strings.Repeat("x", i*i*500)
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		got, err := readAnswer(c)
		if err != nil || got != body {
			t.Fatalf("%d: %d bytes, %v", i, len(got), err)
		}
	}
	if g.dials != 1 {
		t.Errorf("%d connections", g.dials)
	}
}

type tlsHooks struct {
	*rig
	config *tls.Config
}

func (h *tlsHooks) Dial(ctx context.Context) (net.Conn, error) {
	c, err := h.rig.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return tls.Client(c, h.config), nil
}

// readAnswer reads one answer with a length, byte by byte where it must.
func readAnswer(c net.Conn) (string, error) {
	var head []byte
	for headEnd(head, 0) < 0 {
		var b [1]byte
		if _, err := io.ReadFull(c, b[:]); err != nil {
			return "", err
		}
		head = append(head, b[0])
	}
	var a Answer
	if v := parseAnswer(head, &a); v != nil {
		return "", v
	}
	if a.Chunked {
		a.length = 0
		rest := []byte{}
		for f := a.body([]byte("POST")); ; {
			b := make([]byte, 1)
			if _, err := io.ReadFull(c, b); err != nil {
				return "", err
			}
			rest = append(rest, b...)
			if _, done, err := f.take(b); done || err != nil {
				break
			}
		}
		_, body, err := SplitAnswer(append(head, rest...), "POST")
		return string(body), err
	}
	body := make([]byte, a.length)
	_, err := io.ReadFull(c, body)
	return string(body), err
}

func TestUnix(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "up"))
	if err != nil {
		t.Skip(err)
	}
	up := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })}
	go func() { _ = up.Serve(l) }()
	defer up.Close()
	g := newRig(t, "", nil)
	g.server.Open = func(net.Conn) Hooks { return unixHooks{g, filepath.Join(dir, "up")} }
	front, err := net.Listen("unix", filepath.Join(dir, "front"))
	if err != nil {
		t.Fatal(err)
	}
	defer front.Close()
	go func() {
		for {
			c, err := front.Accept()
			if err != nil {
				return
			}
			go g.server.Serve(c)
		}
	}()
	c, err := net.Dial("unix", filepath.Join(dir, "front"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		_, _ = io.WriteString(c, small)
		if got, err := readAnswer(c); got != "hello" || err != nil {
			t.Fatal(got, err)
		}
	}
}

type unixHooks struct {
	*rig
	path string
}

func (h unixHooks) Dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", h.path)
}
