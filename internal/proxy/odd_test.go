package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// raw sends text on a connection to the proxy and returns it with a reader.
func raw(t *testing.T, p *proxy.Proxy, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(p.URLs()[0], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// An upgraded connection is passed both ways, and counted.
func TestUpgrade(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, b, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		fmt.Fprint(b, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		b.Flush()
		line, _ := b.ReadString('\n')
		fmt.Fprint(b, "heard "+line)
		b.Flush()
	}))
	defer service.Close()
	p := begin(t, service.URL, rules(settings.Rule{Methods: []string{"GET"}}))
	c, r := raw(t, p, "GET /talk HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != 101 {
		t.Fatal(resp, err)
	}
	fmt.Fprint(c, "hello\n")
	if line, err := r.ReadString('\n'); err != nil || line != "heard hello\n" {
		t.Fatal(line, err)
	}
	c.Close()
	finish(t, p)
	if rep := p.Report(); len(rep.Routes) != 1 || rep.Routes[0].Upgraded != 1 || rep.Repeats != 0 {
		t.Errorf("%+v", rep.Routes)
	}
}

// 100 Continue, 103 Early Hints, and trailers both ways.
func TestInformationAndTrailers(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprintf(w, "%s %s %s", b, r.Header.Get("Expect"), r.Trailer.Get("X-In"))
		w.Header().Set("X-Sum", "7")
	}))
	defer service.Close()
	for _, odd := range []bool{false, true} {
		p := begin(t, service.URL)
		r, _ := http.NewRequestWithContext(t.Context(), "POST", p.URLs()[0]+"/x", io.MultiReader(strings.NewReader("body")))
		if odd {
			r.Header.Set("Expect", "100-continue")
			r.Trailer = http.Header{"X-In": {"in"}}
		}
		hints, continued := 0, 0
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
				if code == http.StatusEarlyHints {
					hints++
				}
				return nil
			},
			Got100Continue: func() { continued++ },
		}))
		resp, err := client(t).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.Trailer.Get("X-Sum") != "7" || !strings.HasPrefix(string(b), "body ") || odd && !strings.HasSuffix(string(b), " in") {
			t.Errorf("odd %v: %q %v, %v", odd, b, resp.Trailer, err)
		}
		if hints != 1 {
			t.Errorf("odd %v: %d early hints", odd, hints)
		}
		finish(t, p)
		if rep := p.Report(); rep.Repeats != 1 {
			t.Errorf("odd %v: %d repeats, %v", odd, rep.Repeats, rep.Notes)
		}
	}
}

// HTTP/1.0 gets an answer and an end.
func TestOldProtocol(t *testing.T) {
	s := newShop(t, false)
	p := begin(t, s.URL)
	_, r := raw(t, p, "POST /charges HTTP/1.0\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
	b, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(b), "ch_000001") {
		t.Errorf("%q, %v", b, err)
	}
	finish(t, p)
	if n := len(s.seen()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// Header fields come through net/http as they came, and no hop adds its own.
func TestHeadersAreLeftAlone(t *testing.T) {
	got := make(chan http.Header, 1)
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Clone() }))
	defer service.Close()
	p := begin(t, service.URL, rules(settings.Rule{Share: settings.Share{First: 1}, Path: "/never"}))
	_, r := raw(t, p, "POST /x HTTP/1.0\r\nHost: x\r\nX-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n")
	if _, err := io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	h := <-got
	if h.Get("X-Forwarded-For") != "1.2.3.4" || h.Get("Forwarded") != "for=1.2.3.4" || h.Get("Idempotency-Key") != "k" || h.Get("Via") != "" || h.Get("X-Forwarded-Proto") != "" || h.Get("User-Agent") != "" {
		t.Errorf("%v", h)
	}
}
