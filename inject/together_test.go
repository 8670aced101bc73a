package inject

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// meeting is a service whose handlers wait for one another: they can end only
// if all copies are whole in it at the same time.
func meeting(t *testing.T, n int, secure bool) (*httptest.Server, *tls.Config) {
	var in atomic.Int64
	all := make(chan struct{})
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if in.Add(1) == int64(n) {
			close(all)
		}
		select {
		case <-all:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	if !secure {
		s.Start()
		return s, nil
	}
	s.StartTLS()
	return s, s.Client().Transport.(*http.Transport).TLSClientConfig
}

func TestTogetherOverlaps(t *testing.T) {
	for name, secure := range map[string]bool{"plain": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			s, cfg := meeting(t, 5, secure)
			d := &Dialer{TLS: cfg}
			rs := make([]*http.Request, 5)
			for i := range rs {
				rs[i] = post(t, s.URL, `{"a":1}`)
			}
			seen := map[int]string{}
			spread, overlapped := d.Together(t.Context(), rs, 0, func(i int, a Answer) { seen[i] = a.Status })
			for i := range rs {
				if seen[i] != "200" {
					t.Errorf("copy %d: %q", i, seen[i])
				}
			}
			// All copies met, or there would be no answer. Whether it could be
			// told is up to the machine: see TestTogetherTellsOverlap.
			t.Logf("overlapped %v, spread %v", overlapped, spread)
		})
	}
}

// A service that has all copies whole and answers none: they overlapped, for sure.
func TestTogetherTellsOverlap(t *testing.T) {
	for name, secure := range map[string]bool{"plain": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var in atomic.Int64
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if in.Add(1) == 5 {
					cancel()
				}
				<-r.Context().Done()
			}))
			defer s.Close()
			d := &Dialer{}
			if !secure {
				s.Start()
			} else {
				s.StartTLS()
				d.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig
			}
			rs := make([]*http.Request, 5)
			for i := range rs {
				rs[i] = post(t, s.URL, `{"a":1}`)
			}
			if spread, overlapped := d.Together(ctx, rs, 0, func(int, Answer) {}); !overlapped || spread <= 0 {
				t.Errorf("overlapped %v, spread %v", overlapped, spread)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	last := time.Now()
	after, before := &oneOf{sent: true, first: last.Add(1)}, &oneOf{sent: true, first: last.Add(-1)}
	silent, lost := &oneOf{sent: true}, &oneOf{}
	for i, test := range []struct {
		copies []*oneOf
		want   bool
	}{
		{[]*oneOf{after, after}, true}, {[]*oneOf{after, silent}, true},
		{[]*oneOf{after, before}, false}, {[]*oneOf{before, after}, false}, {[]*oneOf{after, lost}, false}, {[]*oneOf{after}, false}, {nil, false},
	} {
		if overlap(test.copies, last) != test.want {
			t.Errorf("test %d: not %v", i, test.want)
		}
	}
}

// No copy is whole before the first last byte goes, and none of the others
// before the offset has passed.
func TestTogetherHoldsBackTheLastByte(t *testing.T) {
	var mu sync.Mutex
	var whole []time.Time
	body := strings.Repeat("x", 100_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if string(b) == body {
			whole = append(whole, time.Now())
		}
	}))
	defer s.Close()
	const offset = 80 * time.Millisecond
	begin := time.Now()
	new(Dialer).Together(t.Context(), []*http.Request{post(t, s.URL, body), post(t, s.URL, body), post(t, s.URL, body)}, offset, func(int, Answer) {})
	if len(whole) != 3 {
		t.Fatalf("%d of 3 came whole", len(whole))
	}
	if whole[1].Sub(begin) < offset {
		t.Errorf("the second came after %v, the offset is %v", whole[1].Sub(begin), offset)
	}
}

func TestTogetherWithTrouble(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := "http://" + l.Addr().String()
	_ = l.Close()
	ok := raw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	early := raw(t, func(c net.Conn) { // answers before the request is whole
		_, _ = io.WriteString(c, "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")
		silent(c)
	})
	for name, test := range map[string]struct {
		urls []string
		want string
	}{
		"one cannot be reached": {[]string{ok, gone, ok}, "200 unreachable 200"},
		"first too":             {[]string{gone, ok}, "unreachable 200"},
		"bad request":           {[]string{ok, "x://y"}, "200 unreachable"},
		"alone":                 {[]string{ok}, "200"},
		"answers early":         {[]string{early, early}, "401 401"},
		"none":                  {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			seen := make([]string, len(test.urls))
			var rs []*http.Request
			for _, u := range test.urls {
				rs = append(rs, post(t, u, "{}"))
			}
			spread, overlapped := new(Dialer).Together(t.Context(), rs, 0, func(i int, a Answer) { seen[i] = a.Status })
			if got := strings.Join(seen, " "); got != test.want || overlapped && name != "answers early" || spread < 0 {
				t.Errorf("got %s, overlapped %v, spread %v, want %s", got, overlapped, spread, test.want)
			}
		})
	}
	t.Run("silence", func(t *testing.T) {
		url := raw(t, silent)
		d := &Dialer{Timeout: 30 * time.Millisecond}
		var n int
		d.Together(t.Context(), []*http.Request{post(t, url, "{}"), post(t, url, "{}")}, 0, func(_ int, a Answer) {
			if n++; a.Status != "timeout" {
				t.Errorf("got %q", a.Status)
			}
		})
		if n != 2 {
			t.Errorf("%d answers", n)
		}
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		d := &Dialer{}
		_, overlapped := d.Together(ctx, []*http.Request{post(t, ok, "{}"), post(t, ok, "{}")}, time.Hour, func(_ int, a Answer) {
			if a.Status != "timeout" {
				t.Errorf("got %q", a.Status)
			}
		})
		if overlapped {
			t.Error("overlapped")
		}
	})
}
