package config

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/inject/worker"
)

// TestSplit holds that a text is cut as a shell would.
func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"./payments --port 8080":             {"./payments", "--port", "8080"},
		`a 'b  c' "d e"f \g\ h ''`:           {"a", "b  c", "d ef", "g h", ""},
		`a "b'c" 'd"e' "f\"g\\" "\*" \*`:     {"a", "b'c", `d"e`, `f"g\`, `\*`, "*"},
		`a ${X} b${int 1 9}c "${Y Z}" '$${'`: {"a", "${X}", "b${int 1 9}c", "${Y Z}", "$${"},
		"a \\\n b":                           {"a", "b"},
		" a\n":                               {"a"},
		"a # b":                              {"a"},
		"":                                   nil,
		"# a":                                nil,
		"a {b,c} d=e":                        {"a", "{b,c}", "d=e"},
		"a ü 日本":                             {"a", "ü", "日本"},
	} {
		got, err := split(text)
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"a | b", "a && b", "a; b", "a;", "a &", "a > b", "X=1 a", "! a", "$X", `"$X"`, "`a`", "$(a)", "a *.go", "a b?", "a [bc]", "~/a", "(a)", "if a; then b; fi",
		"a\nb", "a 'b", "a \"$(b)\"", "a $((1))", "a \uE000", "a <(b)",
	} {
		if got, err := split(text); err == nil {
			t.Errorf("%q is taken as %q", text, got)
		}
	}
}

func TestWired(t *testing.T) {
	f := good(t, "wired")
	if got, want := f.Links[2].Toxics, []wire.Toxic{
		{Type: "latency", Upstream: true, Attributes: map[string]int64{"latency": 50, "jitter": 5}},
		{Type: "slicer", Attributes: map[string]int64{"average_size": 10, "delay": 3000}},
	}; !cmp.Equal(got, want) {
		t.Errorf("toxics: %s", cmp.Diff(want, got))
	}
	if l := f.Links[1]; l.Listen != "127.0.0.1:0" || l.To != "provider/card-charge" || l.fixed() || !f.Links[0].fixed() {
		t.Errorf("%+v", f.Links)
	}
	api, mailer := f.Workers[0], f.Workers[1]
	if api.Ready != (worker.Ready{URL: "http://127.0.0.1:8080/api/healthz"}) || mailer.Ready != (worker.Ready{Line: "^ready$", Within: 5 * time.Second}) {
		t.Errorf("%+v %+v", api.Ready, mailer.Ready)
	}
	if !api.Points || mailer.Points || api.Dir != "/srv" || api.Log != "api.log" || len(api.Env) != 4 {
		t.Errorf("%+v %+v", api, mailer)
	}
	if !slices.Contains(f.Redact.Values, "tok-secret") {
		t.Error("the token is not kept out of artefacts")
	}
}

// TestReadyTarget: without more, the first worker is ready when the target accepts connections.
func TestReadyTarget(t *testing.T) {
	for target, want := range map[string]string{"http://127.0.0.1:8080/x": "127.0.0.1:8080", "http://localhost": "localhost:80", "https://[::1]": "[::1]:443"} {
		f := parse(t, "target: \""+target+"\"\noperations: {a: {send: POST /a}}\nworkers: {w: {run: serve}, v: {run: serve, ready: started}}\n", nil)
		if got := f.Workers[0].Ready; got != (worker.Ready{Addr: want}) || f.Workers[1].Ready != (worker.Ready{}) {
			t.Errorf("%s: %+v", target, got)
		}
	}
}

// TestShown: an address that is shown is no secret because a worker is told it, too.
func TestShown(t *testing.T) {
	f := parse(t, `
target: http://${LISTEN}
operations: {a: {send: POST /a, headers: {Authorization: "Bearer ${TOKEN}"}}}
workers: {w: {run: "serve --listen ${LISTEN} --port ${PORT}", env: {TOKEN: "${TOKEN}", DB: "postgres://app:${PASSWORD}@127.0.0.1/shop"}}}
`, map[string]string{"LISTEN": "127.0.0.1:8080", "PORT": "8080", "TOKEN": "tok-secret", "PASSWORD": "pass-secret"})
	if got, want := f.Redact.Values, []string{"tok-secret", "pass-secret"}; !slices.Equal(got, want) {
		t.Errorf("secrets %q, want %q", got, want)
	}
}
