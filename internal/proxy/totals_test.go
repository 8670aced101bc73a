package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// everyone is a query without parameters: it shows all effects, whoever is asked for.
type everyone struct{ value func() int }

func (e everyone) Read(context.Context, observe.Query) ([]observe.Count, error) {
	return []observe.Count{{ID: "all", N: e.value()}}, nil
}

// counts are how many things the shop made, and how often it recognised one.
func (s *shop) counts() (made, repeats int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n, len(s.got) - s.n
}

// totalBench is a shop behind a proxy with one total.
type totalBench struct {
	s      *shop
	others atomic.Int64 // what somebody else wrote
	p      *proxy.Proxy
	c      *http.Client
	sent   int
}

func newTotalBench(t *testing.T, broken bool, set func(b *totalBench, sys *scenarios.System), more ...func(*proxy.Options)) *totalBench {
	b := &totalBench{s: newShop(t, broken), c: client(t)}
	options := append([]func(*proxy.Options){counted(counter{s: b.s}, ""), func(o *proxy.Options) {
		o.System.Observers, o.System.Exclusive = nil, true
		o.System.Limits.Settle = time.Millisecond
		set(b, &o.System)
	}}, more...)
	b.p = begin(t, b.s.URL, options...)
	b.p.ReadTotals()
	return b
}

// bySQL is an effect whose query has no parameters.
func bySQL(of ...string) func(*totalBench, *scenarios.System) {
	return func(b *totalBench, sys *scenarios.System) {
		b.others.Add(1) // a row of before
		sys.Observers = []scenarios.Observer{{
			Observer: history.Observer{Name: "rows", Kind: "sql", By: "id", Of: of, Say: "Order ${id} was charged"},
			Read:     everyone{func() int { made, _ := b.s.counts(); return made + int(b.others.Load()) }},
		}}
	}
}

// byBooks is a sum that a rule compares with a provider.
func byBooks(b *totalBench, sys *scenarios.System) {
	sys.Checks = []scenarios.Check{{UserRule: history.UserRule{Name: "books", Kind: history.RuleAgree, Outside: "card"}, Rows: func(context.Context) ([]string, int, error) {
		made, _ := b.s.counts()
		return []string{fmt.Sprintf(`{"sum":"%d.50"}`, 5*made)}, 1, nil
	}}}
}

// byMetric is a metric of the repeats that were recognised.
func byMetric(t *testing.T) func(*totalBench, *scenarios.System) {
	return func(b *totalBench, sys *scenarios.System) {
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, repeats := b.s.counts()
			fmt.Fprintf(w, "# TYPE replays_total counter\nreplays_total %d\n", repeats)
		}))
		t.Cleanup(page.Close)
		m := observe.Metrics{URL: page.URL}
		sys.Checks = []scenarios.Check{{UserRule: history.UserRule{Name: "replays", Kind: history.RuleCounted, Of: []string{"charge"}}, Rows: func(ctx context.Context) ([]string, int, error) {
			v, found, err := m.Value(ctx, observe.Series{Name: "replays_total"})
			if !found {
				return []string{`{"value":null}`}, 1, err
			}
			return []string{fmt.Sprintf(`{"value":%g}`, v)}, 1, err
		}}}
	}
}

// windows sends requests between so many readings, to one path after the other of each.
func (b *totalBench) windows(t *testing.T, n int, between func(i int), paths ...string) {
	t.Helper()
	for i := range n {
		for k := range 4 + i%5 {
			b.sent++
			if _, _, err := post(t, b.c, b.p.URLs()[0]+paths[k%len(paths)], fmt.Sprintf("key-%d", b.sent), `{}`); err != nil {
				t.Fatal(err)
			}
		}
		b.settled(t)
		if between != nil {
			between(i)
		}
		b.p.ReadTotals()
	}
	finish(t, b.p)
}

// settled waits until all that was sent was counted, with its copies: a connection
// serves its next request when it is done with the last.
func (b *totalBench) settled(t *testing.T) {
	t.Helper()
	resp, err := b.c.Get(b.p.URLs()[0] + "/charges/none")
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	until(t, "the copies have ended", func() bool { return b.p.Report().State.InFlight == 0 })
}

// sum is what totals say of a route.
func sum(r traffic.Report, route string) (verdict traffic.Verdict, words string) {
	for _, r := range r.Routes {
		if i := slices.IndexFunc(r.Findings, func(f traffic.Finding) bool { return f.Kind == "sum" }); r.Name == route && i >= 0 {
			return r.Findings[i].Verdict, r.Findings[i].Words
		}
	}
	return "", ""
}

// A total shows that copies count; it never makes a route hold.
func TestTotals(t *testing.T) {
	for name, set := range map[string]func(*totalBench, *scenarios.System){
		"sql": bySQL("charge"), "sql of all": bySQL(), "books": byBooks, "metric": byMetric(t),
	} {
		for _, broken := range []bool{false, true} {
			b := newTotalBench(t, broken, set)
			b.windows(t, 30, nil, "/charges")
			v, words := sum(b.p.Report(), "POST /charges")
			if broken != (v == traffic.Likely) {
				t.Errorf("%s, broken %v: %q %s", name, broken, v, words)
			}
			if got := b.p.Report().Routes[0].Verdict; !broken && got != traffic.Unknown {
				t.Errorf("%s: a sound route is %s: %+v", name, got, b.p.Report().Routes)
			}
		}
	}
}

// Who writes beside the proxy keeps a total from telling anything.
func TestTotalsOfOthers(t *testing.T) {
	for name, write := range map[string]func(b *totalBench, i int){
		"meanwhile": func(b *totalBench, i int) { b.others.Add(int64(i * i * 7 % 31)) },
		"in between": func(b *totalBench, _ int) {
			b.p.ReadTotals()
			b.others.Add(20)
		},
	} {
		for _, broken := range []bool{false, true} {
			b := newTotalBench(t, broken, bySQL("charge"))
			write := func(i int) { write(b, i) }
			b.windows(t, 40, write, "/charges")
			if v, words := sum(b.p.Report(), "POST /charges"); v == traffic.Likely || v == traffic.Certain {
				t.Errorf("%s, broken %v: %s %s", name, broken, v, words)
			}
		}
	}
}

// Where several routes may change it, none is blamed for another.
func TestTotalsOfSeveralRoutes(t *testing.T) {
	b := newTotalBench(t, true, byBooks)
	b.windows(t, 30, nil, "/charges", "/refunds")
	r := b.p.Report()
	for _, route := range []string{"POST /charges", "POST /refunds"} {
		if v, words := sum(r, route); v != "" {
			t.Errorf("%s: %s %s", route, v, words)
		}
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "several routes may have changed it") }) {
		t.Errorf("it is not told why: %q", r.Notes)
	}

	b = newTotalBench(t, true, bySQL("charge")) // refunds are not its business: what they write is noise
	b.windows(t, 30, nil, "/charges", "/charges", "/refunds")
	if v, words := sum(b.p.Report(), "POST /refunds"); v != "" {
		t.Errorf("refunds: %s %s", v, words)
	}
}

// Copies that are not a lot of all requests show nothing: those that get one may be
// the ones that do more.
func TestTotalsNeedALot(t *testing.T) {
	for name, rule := range map[string]settings.Rule{
		"key":      {Key: settings.KeyPresent, Share: settings.Share{Percent: 50}},
		"path":     {Path: "/char*es", Header: map[string]string{"Content-Type": "*"}},
		"each nth": {Share: settings.Share{Every: 2}},
	} {
		b := newTotalBench(t, true, bySQL("charge"), rules(rule))
		b.windows(t, 30, nil, "/charges")
		r := b.p.Report()
		if v, words := sum(r, "POST /charges"); v == traffic.Likely {
			t.Errorf("%s: %s %s", name, v, words)
		}
		if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "no plain repeats") }) {
			t.Errorf("%s: it is not told why: %q", name, r.Notes)
		}
	}
}

// Without exclusive: no total is read.
func TestTotalsNeedToBeExclusive(t *testing.T) {
	b := newTotalBench(t, true, bySQL("charge"), func(o *proxy.Options) { o.System.Exclusive = false })
	b.windows(t, 15, nil, "/charges")
	if v, words := sum(b.p.Report(), "POST /charges"); v != "" {
		t.Errorf("%s %s", v, words)
	}
}
