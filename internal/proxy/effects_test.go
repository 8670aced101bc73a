package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// counter counts what a shop made by the order in the body.
type counter struct {
	s     *shop
	older map[string]int // what was there before
}

func (c counter) Read(_ context.Context, q observe.Query) (counts []observe.Count, err error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for _, id := range q.IDs {
		if n := c.s.effects[id] + c.older[id]; n > 0 {
			counts = append(counts, observe.Count{ID: id, N: n})
		}
	}
	return counts, nil
}

// counted are the options of a proxy whose file names the operation and counts it.
func counted(c counter, dir string) func(*proxy.Options) {
	path, _ := template.Parse("/charges")
	id, _ := template.Parse("o-${id}")
	charge := proxy.Operation{Name: "charge", Operation: target.Operation{
		Method: "POST", Path: path, Key: target.Carrier{In: "header", Name: "Idempotency-Key"},
		Body: target.Body{JSON: true, Tree: template.Node{Kind: template.Mapping, Fields: []template.Field{{Name: "order", Node: template.Node{Kind: template.String, Text: id}}}}},
	}}
	return func(o *proxy.Options) {
		o.Dir, o.Operations, o.Share = dir, []proxy.Operation{charge}, settings.Share{Percent: 50}
		o.System = scenarios.System{
			Limits:   scenarios.Limits{Settle: 300 * time.Millisecond},
			Contract: contract.Contract{Name: "none"}, Observers: []scenarios.Observer{{
				Observer: history.Observer{Name: "rows", Kind: "sql", By: "id", Of: []string{"charge"}, Say: "Order ${id} was charged"}, Read: c,
			}}}
	}
}

// charge sends n orders, each once.
func charge(t *testing.T, p *proxy.Proxy, n int) {
	c := client(t)
	for i := range n {
		key := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		body, _ := json.Marshal(map[string]string{"order": "o-" + key})
		if _, _, err := post(t, c, p.URLs()[0]+"/charges", "key-"+key, string(body)); err != nil {
			t.Fatal(err)
		}
	}
}

// histories are those of a proxy's directory, with a name that begins so.
func histories(t *testing.T, dir, name string) (all []history.History) {
	files, _ := filepath.Glob(filepath.Join(dir, name+"-*.jsonl"))
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, h)
	}
	return all
}

func TestEffects(t *testing.T) {
	for i := range 4 {
		broken, forms := i%2 > 0, i > 1
		s, dir := newShop(t, broken), t.TempDir()
		s.forms = forms
		p := begin(t, s.URL, counted(counter{s: s}, dir))
		charge(t, p, 40)
		finish(t, p)
		r := p.Report()
		want, wantCase, name := traffic.Held, checkers.Pass, "proxy/POST /charges"
		if broken { // the report accuses; the history of single requests leaves it open
			want, wantCase, name = traffic.Certain, checkers.Inconclusive, "proxy-uncounted/POST /charges"
		}
		if r.Verdict != want {
			t.Errorf("broken %v, forms %v: %s: %+v", broken, forms, r.Verdict, r.Routes)
		}
		if c := r.Routes[0].Counted; len(c) != 1 || c[0].Controls < 3 || c[0].Repeated < 10 {
			t.Errorf("broken %v, forms %v: counted %+v", broken, forms, c)
		}
		hs := histories(t, dir, "history")
		if len(hs) != 1 {
			t.Fatalf("%d histories", len(hs))
		}
		report := expression.Judge(hs[0], contract.Contract{})
		i := slices.IndexFunc(report.Cases, func(c checkers.Case) bool { return c.Name == name })
		if i < 0 || report.Cases[i].Verdict != wantCase {
			t.Errorf("broken %v, forms %v: judged %+v, %v", broken, forms, report.Cases, report.Problems)
		}
		for _, h := range histories(t, dir, "traffic") {
			if n := len(h.Events); n != 82 {
				t.Errorf("%d events of traffic", n)
			}
			if report := expression.Judge(h, contract.Contract{}); len(report.Problems) > 0 || slices.ContainsFunc(report.Cases, func(c checkers.Case) bool { return c.Verdict == checkers.Fail }) {
				t.Errorf("traffic is judged: %+v", report)
			}
		}
	}
}

// What was there before the proxy came accuses nobody.
func TestEffectsOfThePast(t *testing.T) {
	s := newShop(t, false)
	older := map[string]int{}
	for i := range 26 {
		older[string(rune('a'+i))] = i % 3
	}
	p := begin(t, s.URL, counted(counter{s: s, older: older}, t.TempDir()))
	charge(t, p, 26)
	finish(t, p)
	if r := p.Report(); r.Verdict != traffic.Held {
		t.Errorf("%s: %+v", r.Verdict, r.Routes)
	}
}

var secret = regexp.MustCompile("DE8937|hunter2|sesame99|cs_99|abcquery|accq1")

// Secrets and bodies: what the history may hold.
func TestHistoryKeepsNoSecrets(t *testing.T) {
	s, dir := newShop(t, false), t.TempDir()
	p := begin(t, s.URL, func(o *proxy.Options) {
		o.Dir = dir
		o.System.Redact = history.Redactor{Fields: []string{"iban"}, Values: []string{"hunter2hunter2"}}
	})
	if _, _, err := post(t, client(t), p.URLs()[0]+"/charges?token=abcquery&access_token=accq1", "k", `{"iban":"DE89370400440532013000","note":"hunter2hunter2","password":"sesame99","nested":{"client_secret":"cs_99"}}`); err != nil {
		t.Fatal(err)
	}
	finish(t, p)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		b, _ := os.ReadFile(filepath.Join(dir, f.Name()))
		if secret.Match(b) {
			t.Errorf("%s tells a secret:\n%s", f.Name(), b)
		}
	}
	if len(files) < 4 {
		t.Errorf("only %d files", len(files))
	}
}

func TestRotation(t *testing.T) {
	s, dir := newShop(t, false), t.TempDir()
	p := begin(t, s.URL, func(o *proxy.Options) {
		o.Dir, o.History = dir, settings.History{File: 4 << 10, Limit: 40 << 10}
	})
	charge(t, p, 200)
	finish(t, p)
	var size int64
	for _, name := range []string{"traffic", "history"} {
		hs := histories(t, dir, name)
		if len(hs) < 2 {
			t.Errorf("%s: %d files", name, len(hs))
		}
		for _, h := range hs {
			if h.Events[len(h.Events)-1].Name != history.MarkEnd {
				t.Errorf("%s: a file has no end", name)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, name+"-*.jsonl"))
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
		}
	}
	if size > 44<<10 {
		t.Errorf("%d bytes are kept", size)
	}
	if r := p.Report(); r.State.Dropped == 0 {
		t.Error("nothing was deleted")
	}
}

// An id far behind in a body is read before the last byte goes, whoever sends it;
// one in a body that is zipped as well.
func TestLateIDs(t *testing.T) {
	for _, set := range []func(*http.Protocols){func(p *http.Protocols) { p.SetHTTP1(true) }, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }} {
		s := newShop(t, true)
		p := begin(t, s.URL, counted(counter{s: s}, t.TempDir()))
		c := speaking(t, set)
		for i := range 40 {
			body := fmt.Sprintf(`{"pad":%q,"order":"o-%d"}`, strings.Repeat("x", 20_000), i)
			if _, _, err := post(t, c, p.URLs()[0]+"/charges", fmt.Sprintf("key-%d", i), body); err != nil {
				t.Fatal(err)
			}
		}
		c.CloseIdleConnections()
		finish(t, p)
		r := p.Report()
		if len(r.Routes[0].Counted) != 1 || r.Routes[0].Counted[0].Repeated < 10 || r.Routes[0].Counted[0].Controls < 3 || r.Verdict != traffic.Certain {
			t.Errorf("%s: %+v", r.Verdict, r.Routes[0].Counted)
		}
	}
}

// What callers sent more than once by themselves accuses nobody, in the report
// nor in the history.
func TestSentAgainByCallers(t *testing.T) {
	s, dir := newShop(t, false), t.TempDir()
	p := begin(t, s.URL, counted(counter{s: s}, dir))
	c := client(t)
	for i := range 60 { // each order is charged twice, under keys of its own
		body := fmt.Sprintf(`{"order":"o-%d"}`, i%30)
		if _, _, err := post(t, c, p.URLs()[0]+"/charges", fmt.Sprintf("key-%d", i), body); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, p)
	if r := p.Report(); r.Verdict == traffic.Certain || r.Verdict == traffic.Likely {
		t.Errorf("%s", r.Verdict)
	}
	for _, h := range histories(t, dir, "history") {
		for _, c := range expression.Judge(h, contract.Contract{}).Cases {
			if c.Verdict == checkers.Fail {
				t.Errorf("%s: %+v", c.Name, c.Violations)
			}
		}
	}
}
