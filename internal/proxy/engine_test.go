package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// A copy goes to the other replica, over either way.
func TestReplicas(t *testing.T) {
	for _, set := range []func(*http.Protocols){func(p *http.Protocols) { p.SetHTTP1(true) }, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }} {
		s := newShop(t, false)
		second := httptest.NewServer(s.handler("2"))
		t.Cleanup(second.Close)
		p := begin(t, s.URL, func(o *proxy.Options) { o.To = append(o.To, settings.Upstream{URL: second.URL}) })
		c := speaking(t, set)
		if _, _, err := post(t, c, p.URLs()[0]+"/charges", "k", "{}"); err != nil {
			t.Fatal(err)
		}
		c.CloseIdleConnections()
		finish(t, p)
		if got := s.seen(); len(got) != 2 || got[0].replica == got[1].replica {
			t.Errorf("%+v", got)
		}
	}
}

// A replica that is away is passed over, without an error of the caller's.
func TestDeadReplica(t *testing.T) {
	s := newShop(t, false)
	gone, _ := net.Listen("tcp", "127.0.0.1:0")
	gone.Close()
	p := begin(t, "http://"+gone.Addr().String(), func(o *proxy.Options) { o.To = append(o.To, settings.Upstream{URL: s.URL}) })
	for i := range 4 {
		if status, _, err := post(t, client(t), p.URLs()[0]+"/charges", fmt.Sprint(i), "{}"); err != nil || status != 200 {
			t.Errorf("%d: %d, %v", i, status, err)
		}
	}
	if err := p.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNoService(t *testing.T) {
	gone, _ := net.Listen("tcp", "127.0.0.1:0")
	gone.Close()
	p := begin(t, "http://"+gone.Addr().String())
	for _, set := range []func(*http.Protocols){func(p *http.Protocols) { p.SetHTTP1(true) }, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }} {
		if status, _, err := post(t, speaking(t, set), p.URLs()[0]+"/charges", "k", "{}"); err != nil || status != 502 {
			t.Errorf("%d, %v", status, err)
		}
	}
	if err := p.Ready(t.Context()); err == nil {
		t.Error("ready without a service")
	}
	finish(t, p)
	if r := p.Report(); r.Verdict == "certain" || r.Verdict == "likely" {
		t.Errorf("a service that was never there is %s", r.Verdict)
	}
}

func TestBudgetHolds(t *testing.T) {
	s := newShop(t, false)
	p := begin(t, s.URL, func(o *proxy.Options) { o.Budget = 5 })
	charge(t, p, 20)
	finish(t, p)
	if n := len(s.seen()); n != 25 {
		t.Errorf("the service saw %d requests", n)
	}
	if r := p.Report(); r.State.Refused != 15 || r.State.Used != 5 {
		t.Errorf("%+v", r.State)
	}
}

func TestSwitch(t *testing.T) {
	s := newShop(t, false)
	off := filepath.Join(t.TempDir(), "off")
	if err := os.WriteFile(off, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := begin(t, s.URL, func(o *proxy.Options) { o.Off = off })
	c := client(t)
	send := func(key string) {
		if _, _, err := post(t, c, p.URLs()[0]+"/charges", key, "{}"); err != nil {
			t.Fatal(err)
		}
	}
	send("a")
	os.Remove(off)
	until(t, "striking goes on: the file is looked for each second", func() bool { return p.Report().State.On })
	send("b")
	p.Switch(false)
	send("c")
	p.Switch(true)
	send("d")
	finish(t, p)
	var keys []string
	for _, r := range s.seen() {
		keys = append(keys, r.header.Get("Idempotency-Key"))
	}
	slices.Sort(keys)
	if got := strings.Join(keys, ""); got != "abbcdd" {
		t.Errorf("the service saw %s", got)
	}
}

// One seed chooses the same requests, however the packets are cut and whatever
// they are framed as.
func TestChoiceIsTheSame(t *testing.T) {
	choices := map[string]bool{}
	for _, cut := range []int{1 << 20, 7, 1} {
		s := newShop(t, true)
		p := begin(t, s.URL, func(o *proxy.Options) { o.Share, o.Seed = settings.Share{Percent: 30}, 42 })
		c, r := raw(t, p, "")
		for i := range 12 {
			body := fmt.Sprintf(`{"n":%d}`, i)
			text := fmt.Sprintf("POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			if i%2 == 1 {
				text = fmt.Sprintf("POST /charges HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
			}
			for ; len(text) > 0; text = text[min(cut, len(text)):] {
				if _, err := io.WriteString(c, text[:min(cut, len(text))]); err != nil {
					t.Fatal(err)
				}
			}
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		finish(t, p)
		var twice []string
		seen := map[string]int{}
		for _, r := range s.seen() {
			if seen[r.body]++; seen[r.body] == 2 {
				twice = append(twice, r.body)
			}
		}
		slices.Sort(twice)
		choices[strings.Join(twice, " ")] = true
	}
	if len(choices) != 1 || choices[""] {
		t.Errorf("%d choices: %v", len(choices), choices)
	}
}

// Drain lets an answer that is on its way come, takes nobody new, and sends late
// copies; what takes longer than its time is ended.
func TestDrain(t *testing.T) {
	s := newShop(t, false)
	arrived, goOn := make(chan struct{}), make(chan struct{})
	s.hook = func(*http.Request) { arrived <- struct{}{}; <-goOn }
	p := begin(t, s.URL, fault("delay: 1ms"))
	url := p.URLs()[0]
	answered := make(chan error)
	go func() {
		_, _, err := post(t, client(t), url+"/charges", "k", "{}")
		answered <- err
	}()
	<-arrived
	drained := make(chan error)
	go func() { drained <- p.Drain(t.Context()) }()
	until(t, "it drains", func() bool { return p.Ready(t.Context()) != nil })
	if c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://")); err == nil {
		c.Close()
		t.Error("it took another connection")
	}
	close(goOn)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

func TestDrainEnds(t *testing.T) {
	s := newShop(t, false)
	arrived, goOn := make(chan struct{}), make(chan struct{})
	s.hook = func(*http.Request) { arrived <- struct{}{}; <-goOn }
	defer close(goOn)
	p := begin(t, s.URL, fault("delay: 1ms"))
	go func() { _, _, _ = post(t, client(t), p.URLs()[0]+"/charges", "k", "{}") }()
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Drain(ctx); err == nil {
		t.Error("it says that all went well")
	}
}

// The page, the metrics and the health answer to GET only, and change nothing.
func TestAdmin(t *testing.T) {
	s := newShop(t, false)
	p := begin(t, s.URL, func(o *proxy.Options) { o.Page = "127.0.0.1:0" })
	c := client(t)
	for path, want := range map[string]int{"/": 200, "/metrics": 200, "/healthz": 200, "/readyz": 200, "/traffic.json": 200, "/x": 404} {
		resp, err := c.Get(p.PageURL() + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
		if resp, err = c.Post(p.PageURL()+path, "", nil); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want == 200 && resp.StatusCode != 405 {
			t.Errorf("POST %s: %d", path, resp.StatusCode)
		}
	}
}
