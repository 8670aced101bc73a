package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

func TestProxyBlock(t *testing.T) {
	want := &settings.Settings{
		Listen: []settings.Listen{{Address: "127.0.0.1:8080"}, {Address: "unix:./p.sock"}, {Address: "127.0.0.1:8443", Cert: "cert.pem", Key: "key.pem"}},
		To:     []settings.Upstream{{URL: "http://127.0.0.1:9001"}, {URL: "http://127.0.0.1:9002"}},
		Page:   "127.0.0.1:9180", Share: settings.Share{Percent: 5}, Fault: inject.Repeat, Budget: 300,
		Exclude: []string{"/login", "/auth/**"}, Off: ".idemcheck/off", History: settings.History{Limit: 1 << 30, File: 64 << 20},
		Rules: []settings.Rule{
			{Methods: []string{"POST"}, Path: "/charges", Fault: inject.Fault{Name: "repeat", Arg: "before-answer"}, Share: settings.Share{Percent: 10}, ID: "body /order"},
			{Methods: []string{"POST", "PUT"}, Path: "/orders/**", Header: map[string]string{"X-Env": "staging"}, Key: "present", Type: "application/json",
				Fault: inject.Fault{Name: "late", Arg: "30s"}, Share: settings.Share{Every: 20}},
			{Path: "/refunds/*", Fault: inject.LoseAnswer, Share: settings.Share{First: 3}},
		},
	}
	if diff := cmp.Diff(want, good(t, "proxy").Proxy); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The upstream may be said in many ways; without a word it is the target.
func TestProxyUpstreams(t *testing.T) {
	for block, want := range map[string][]settings.Upstream{
		"proxy: {share: 1%}":            {{URL: "http://127.0.0.1:9001"}},
		"proxy: {to: unix:/run/s.sock}": {{URL: "unix:/run/s.sock"}},
		"proxy: {to: [\"h2c://127.0.0.1:1\", {url: \"https://localhost:2\", ca: x.pem}]}": {{URL: "h2c://127.0.0.1:1"}, {URL: "https://localhost:2", CA: "x.pem"}},
	} {
		f, err := Parse("f", []byte("target: http://127.0.0.1:9001/api\noperations: {charge: {send: POST /charges}}\n"+block), lookup)
		if err != nil {
			t.Errorf("%s: %v", block, err)
			continue
		}
		if diff := cmp.Diff(want, f.Proxy.To); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", block, diff)
		}
	}
	for block, want := range map[string]string{
		"proxy: {to: {url: http://127.0.0.1:1, insecure: true}}": "ca and insecure are for https: only",
		"proxy: {listen: {address: 127.0.0.1:1, cert: x}}":       "TLS needs both",
		"proxy: {history: some}":                                 "must be none, or a mapping",
		"proxy: {rules: [{match: {method: post}}]}":              "in capitals",
		"proxy: {rules: [{fault: kill-before}]}":                 "the proxy has: repeat",
	} {
		_, err := Parse("f", []byte("target: http://127.0.0.1:9001\noperations: {charge: {send: POST /charges}}\n"+block), lookup)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want an error with %q, got %v", block, want, err)
		}
	}
}

// A file for the proxy alone needs no operations, and cannot be run.
func TestProxyAlone(t *testing.T) {
	f, err := Parse("f", []byte("proxy: {to: \"http://127.0.0.1:9001\"}"), lookup)
	if err != nil || len(f.Proxy.To) != 1 {
		t.Fatal(f, err)
	}
	if _, _, err := f.System(Options{}); err == nil || !strings.Contains(err.Error(), "target") {
		t.Errorf("it was made into a system: %v", err)
	}
	if _, close, err := f.Watch(Options{Run: "r"}); err != nil {
		t.Error(err)
	} else {
		close()
	}
}

// The proxy reads the totals of rules, and starts nothing for it.
func TestWatchReadsRules(t *testing.T) {
	f := parse(t, `
target: http://127.0.0.1:9
operations:
  charge: {send: POST /charges, body: {order: "${id}"}}
effects:
  card: {provider: {listen: "127.0.0.1:0", effect: POST /v1/charges, id: body /order}}
exclusive: true
rules:
  - name: books
    agree:
      own: {sql: "${DB}", query: select count(*) from charges}
      outside: {provider: card}
`, map[string]string{"DB": shop(t)})
	sys, end, err := f.Watch(Options{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if len(sys.Checks) != 1 || !sys.Exclusive {
		t.Fatalf("%+v", sys.Checks)
	}
	if rows, n, err := sys.Checks[0].Rows(t.Context()); err != nil || n != 1 || len(rows) != 1 {
		t.Errorf("%q, %d, %v", rows, n, err)
	}
}
