package config

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// TestEffectKinds: each kind of observer is made into something that counts.
func TestEffectKinds(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer b-token" {
			fmt.Fprint(w, `{"data":[1,2],"v":"2"}`)
		}
	}))
	defer service.Close()
	redis := miniredis.RunT(t)
	redis.Set("charges:bob:r-1", "2")
	f := parse(t, `
target: ${BASE}
operations: {a: {send: POST /a}}
scopes: {alice: {headers: {Authorization: Bearer a-token}}, bob: {headers: {Authorization: Bearer b-token}}}
effects:
  api: {http: "GET /a/${id}", count: /data, version: /v, scoped: true, headers: {Authorization: none}}
  path: {http: "GET /${scope}/${id}", count: /data}
  cache: {redis: "${REDIS}", count: "charges:${scope}:${id}"}
  mail: {smtp: {listen: "127.0.0.1:0", id: "subject /order (.*)/"}}
  files: {command: ["./gone"], by: key}
`, map[string]string{"BASE": service.URL, "REDIS": "redis://" + redis.Addr()})
	sys, closeAll, err := f.System(Options{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	q := observe.Query{IDs: []string{"r-1"}, Run: "r", Scope: "bob"}
	var kinds []string
	for i, want := range []string{"[{r-1  bob 2 2}]", "[{r-1  bob 2 }]", "[{r-1  bob 2 }]", "[]", "command ./gone: "} {
		o := sys.Observers[i]
		kinds = append(kinds, fmt.Sprint(o.Name, " ", o.Kind, " ", o.By, " ", o.Scoped, " ", o.Attach != nil))
		counts, err := o.Read.Read(t.Context(), q)
		if got := fmt.Sprint(counts); err == nil && got != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s, %v, want %s", o.Name, got, err, want)
		}
	}
	want := []string{"api http id true false", "path http id true false", "cache redis id true false", "mail smtp id false true", "files command key false false"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Error(d)
	}
	if err := f.Ask(t.Context(), sys); err == nil || !strings.Contains(err.Error(), "f: effect files: command ./gone") {
		t.Errorf("got %v", err)
	}
	q.Scope = "alice"
	if counts, err := sys.Observers[0].Read.Read(t.Context(), q); err != nil || len(counts) != 0 {
		t.Errorf("alice: %v, %v", counts, err)
	}
}

// A metric of several replicas is the sum of what each of them counts.
func TestMetricOfReplicas(t *testing.T) {
	env := map[string]string{}
	for name, text := range map[string]string{"ONE": "replays_total 2\n", "TWO": "replays_total 3\n"} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
		defer service.Close()
		env[name] = service.URL
	}
	f := parse(t, `target: http://127.0.0.1:1
operations: {pay: {send: POST /pay}}
effects: none
exclusive: true
rules:
  - {name: replays, metrics: ["${ONE}", "${TWO}"], counted: replays_total}
`, env)
	sys, end, err := f.System(Options{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	rows, n, err := sys.Checks[0].Rows(t.Context())
	if err != nil || n != 1 || rows[0] != `{"value":5}` {
		t.Errorf("got %v, %d, %v", rows, n, err)
	}
}
