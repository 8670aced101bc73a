package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// shop is a small service. A POST makes an object for its key; the broken one
// makes another at each.
type shop struct {
	*httptest.Server
	broken bool
	forms  bool                  // it leads on by a redirect, as services do that were posted a form
	hook   func(r *http.Request) // called in each handler; nil: nothing

	mu      sync.Mutex
	made    map[string]string // key to the answer
	objects map[string]string // by id
	effects map[string]int    // by the order in the body: o-1
	got     []received
	n       int
}

// received is one request as the service saw it.
type received struct {
	method, uri, body, replica string
	header                     http.Header
}

func newShop(t *testing.T, broken bool) *shop {
	s := &shop{broken: broken, made: map[string]string{}, objects: map[string]string{}, effects: map[string]int{}}
	s.Server = httptest.NewServer(s.handler("1"))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) handler(replica string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if s.hook != nil {
			s.hook(r)
		}
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			s.show(w, r)
			return
		}
		answer := s.serve(r, string(b), replica)
		if s.forms {
			w.Header().Set("Location", "/thanks")
			w.WriteHeader(http.StatusFound)
		}
		io.WriteString(w, answer)
	})
}

// show answers a GET of an object: /charges/ch_000001.
func (s *shop) show(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.objects[path.Base(r.URL.Path)]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
	}
	io.WriteString(w, a)
}

func (s *shop) serve(r *http.Request, body, replica string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, received{r.Method, r.RequestURI, body, replica, r.Header.Clone()})
	key := r.Header.Get("Idempotency-Key")
	if a, ok := s.made[key]; ok && key != "" && !s.broken {
		return a
	}
	s.n++
	a := fmt.Sprintf(`{"id":"ch_%06d","key":%q,"length":%d}`, s.n, key, len(body))
	s.made[key] = a
	var order struct{ Order string }
	if json.Unmarshal([]byte(body), &order) == nil {
		s.effects[strings.TrimPrefix(order.Order, "o-")]++
	}
	s.objects[fmt.Sprintf("ch_%06d", s.n)] = a
	return a
}

// seen are the requests so far.
func (s *shop) seen() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.got...)
}

// begin starts a proxy before a service.
func begin(t *testing.T, to string, set ...func(*proxy.Options)) *proxy.Proxy {
	t.Helper()
	opt := proxy.Options{
		Settings: settings.Settings{
			Listen: []settings.Listen{{Address: "127.0.0.1:0"}}, To: []settings.Upstream{{URL: to}},
			Share: settings.Share{Percent: 100}, Budget: 1 << 30,
		},
		Run: "r7", Agent: "idemcheck/test", Seed: 1, Log: func(line string) { t.Log(line) },
	}
	for _, f := range set {
		f(&opt)
	}
	p, err := proxy.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func fault(text string) func(*proxy.Options) {
	return func(o *proxy.Options) {
		f, err := settings.ParseFault(text)
		if err != nil {
			panic(err)
		}
		o.Fault = f
	}
}

func rules(rs ...settings.Rule) func(*proxy.Options) {
	return func(o *proxy.Options) { o.Rules = rs }
}

// client is one without a pool that outlives the test.
func client(t *testing.T) *http.Client {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// post sends one request and returns the answer.
func post(t *testing.T, c *http.Client, url, key, body string) (status int, answer string, err error) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header["idempotency-key"] = []string{key} // net/http does not see it, and sends nothing again
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// finish ends a proxy, so that all copies were sent.
func finish(t *testing.T, p *proxy.Proxy) {
	t.Helper()
	if err := p.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// await waits until the service saw n requests.
func (s *shop) await(t *testing.T, n int) {
	t.Helper()
	for len(s.seen()) < n {
		select {
		case <-t.Context().Done():
			t.Fatal("the service did not see them")
		case <-time.After(time.Millisecond):
		}
	}
}

// until looks again and again whether something has come about, for at most 10 s.
func until(t *testing.T, what string, look func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.After(10 * time.Second); !look(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}
