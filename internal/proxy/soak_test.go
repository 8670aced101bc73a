package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// soakTime is how long the soak runs: 2 s, a minute where all tests must run
// (IDEMCHECK_REQUIRE=all), half an hour with IDEMCHECK_LONG=1.
func soakTime() time.Duration {
	switch {
	case os.Getenv("IDEMCHECK_LONG") != "":
		return 30 * time.Minute
	case os.Getenv("IDEMCHECK_REQUIRE") == "all":
		return time.Minute
	}
	return 2 * time.Second
}

// echo answers each request with what identifies it: method, target, header and body.
func echo(t *testing.T) (*httptest.Server, *sync.Map) {
	seen := &sync.Map{} // request id to how often it came
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		n, _ := seen.LoadOrStore(r.Header.Get("X-Id"), new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
		if strings.HasSuffix(r.URL.Path, "7") {
			w.(http.Flusher).Flush() // chunked
		}
		fmt.Fprintf(w, "%s %s %s ", r.Method, r.RequestURI, r.Header.Get("X-Id"))
		_, _ = w.Write(b)
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Start()
	t.Cleanup(s.Close)
	return s, seen
}

// soaker sends requests one after the other and checks each answer.
type soaker struct {
	c        *http.Client
	url      string
	n        int
	sizes    []int
	sent     atomic.Int64
	lost     atomic.Int64
	wrong    atomic.Int64
	lastFail atomic.Value
}

func (s *soaker) one(i int) {
	id := fmt.Sprintf("%d-%d", s.n, i)
	method := []string{"POST", "PUT", "GET", "PATCH"}[i%4]
	body := ""
	if method != "GET" {
		body = `{"id":"` + id + `","pad":"` + strings.Repeat("x", s.sizes[i%len(s.sizes)]) + `"}`
	}
	target := fmt.Sprintf("/things/%d?try=%s", i%10, id)
	want := method + " " + target + " " + id + " " + body
	for range 5 { // an answer that was lost is asked for again
		var in io.Reader = strings.NewReader(body)
		if i%3 == 0 && body != "" {
			in = io.MultiReader(in) // chunked
		}
		r, err := http.NewRequest(method, s.url+target, in)
		if err != nil {
			panic(err)
		}
		r.GetBody = nil
		r.Header.Set("X-Id", id)
		r.Header.Set("Content-Type", "application/json")
		r.Header["idempotency-key"] = []string{"key-" + id}
		resp, err := s.c.Do(r)
		s.sent.Add(1)
		if err != nil {
			s.lost.Add(1)
			continue
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode == 502 && resp.Header.Get("Idemcheck-Proxy") == "replaced" {
			s.lost.Add(1)
			continue
		}
		if err != nil || string(b) != want {
			s.wrong.Add(1)
			s.lastFail.Store(fmt.Sprintf("%s %s: status %d, %v, %d bytes of %d: %.200s", method, target, resp.StatusCode, err, len(b), len(want), b))
		}
		return
	}
	s.wrong.Add(1)
	s.lastFail.Store(method + " " + target + ": no answer in five tries")
}

// TestSoak: at full rate, with every fault at once, no answer is lost, changed or
// mixed up.
func TestSoak(t *testing.T) {
	service, seen := echo(t)
	share := settings.Share{Percent: 3}
	var rs []settings.Rule
	for _, f := range []inject.Fault{
		inject.Repeat, {Name: "repeat", Arg: "before-answer"}, inject.Overlap, {Name: "late", Arg: "20ms"}, inject.LoseAnswer,
		{Name: "delay", Arg: "1ms"}, inject.ReplaceAnswer, inject.Reencode, inject.DropKey,
	} {
		rs = append(rs, settings.Rule{Fault: f, Share: share})
	}
	p := begin(t, service.URL, rules(rs...), func(o *proxy.Options) {
		o.Dir, o.History = t.TempDir(), settings.History{File: 1 << 20, Limit: 16 << 20}
	})
	h1 := func(p *http.Protocols) { p.SetHTTP1(true) }
	h2 := func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }
	var all []*soaker
	for n := range 24 {
		set := h1
		if n%6 == 5 {
			set = h2
		}
		s := &soaker{c: speaking(t, set), url: p.URLs()[0], n: n, sizes: []int{0, 100, 5000, 3, 40_000}}
		all = append(all, s)
	}
	var wg sync.WaitGroup
	end := time.Now().Add(soakTime())
	for _, s := range all {
		wg.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				s.one(i)
			}
		})
	}
	wg.Wait()
	var sent, lost int64
	for _, s := range all {
		s.c.CloseIdleConnections()
		sent, lost = sent+s.sent.Load(), lost+s.lost.Load()
		if n := s.wrong.Load(); n > 0 {
			t.Errorf("client %d: %d wrong answers, the last: %v", s.n, n, s.lastFail.Load())
		}
	}
	finish(t, p)
	r := p.Report()
	t.Logf("%d requests, %d answers hidden, %d repeats, state %+v, notes %v", sent, lost, r.Repeats, r.State, r.Notes)
	if r.Requests != sent {
		t.Errorf("%d requests were sent, %d counted", sent, r.Requests)
	}
	if r.Repeats == 0 || lost == 0 {
		t.Error("nothing was struck")
	}
	if r.Verdict == "certain" || r.Verdict == "likely" {
		t.Errorf("an echo is accused: %s", r.Verdict)
	}
	n := 0
	seen.Range(func(_, _ any) bool { n++; return true })
	if n == 0 {
		t.Error("the service saw nothing")
	}
}
