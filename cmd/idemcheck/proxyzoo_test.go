package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
	"github.com/idemcheck/idemcheck/scenarios"
)

// herd is traffic for a service of the zoo: each operation, many times.
const herd = "name: herd\nsteps: [{send: a}, {fill: 60}]\n"

// inProxy are the broken ones of the zoo that repeats show.
var inProxy = []string{"x-no-keys", "x-stored-after-work", "x-only-while-it-runs", "x-memory-of-one-replica"}

// watched is a service of the zoo behind a proxy.
type watched struct {
	animal
	report traffic.Report
	err    error
}

// TestProxyZoo stands before services of many kinds that were written without
// the proxy in mind: no sound one is accused, whether effects are counted or not.
func TestProxyZoo(t *testing.T) {
	unraced(t)
	t.Chdir(t.TempDir())
	var all []*watched
	for _, a := range slices.Concat(shapes, keyPolicies, designs, workers, promising, broken) {
		if (a.finds == "" && !a.slow) || slices.Contains(inProxy, a.name) {
			all = append(all, &watched{animal: a})
		}
	}
	all = eachNth(all, amount(4, 2, 1))
	var group sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, w := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			w.report, w.err = w.watch(t)
		})
	}
	group.Wait()
	for _, w := range all {
		t.Run(w.name, func(t *testing.T) { w.judge(t) })
	}
}

func (w *watched) judge(t *testing.T) {
	if w.err != nil {
		t.Fatal(w.err)
	}
	t.Logf("%s: %d requests, %d repeats", w.report.Verdict, w.report.Requests, w.report.Repeats)
	accused := slices.ContainsFunc(w.report.Routes, func(r traffic.Route) bool {
		return (r.Verdict == traffic.Certain || r.Verdict == traffic.Likely) && r.Operation != "create" // makes what others are about, without a key
	})
	if accused != (w.finds != "") || w.report.Repeats < 20 {
		var b strings.Builder
		w.report.Text(&b, false)
		t.Errorf("%s is %s\n%s", w.name, map[bool]string{true: "sound", false: "broken"}[w.finds == ""], b.String())
	}
}

// watch sends the herd through a proxy.
func (a animal) watch(t *testing.T) (r traffic.Report, err error) {
	w := newWorld()
	defer w.end()
	targets, listeners, err := a.addresses()
	if err != nil {
		return r, err
	}
	own := cmp.Or(a.file, ordinary) // without scopes: the proxy counts for all alike
	if a.stated {
		own = "contract: " + a.contract + "\n" + own
	}
	dir := a.name
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return r, err
	}
	effects, _, _ := strings.Cut(a.seen(w), "  card:\n") // the herd's own file has the stand-in
	text := fmt.Sprintf("target: [%s]\n%s%s%s", strings.Join(targets, ", "), own, effects, zooRules)
	if err := os.WriteFile(filepath.Join(dir, "idemcheck.yaml"), []byte(text), 0o600); err != nil {
		return r, err
	}
	handler := a.serve(w)
	for _, l := range listeners {
		server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			r.Host = l.Addr().String() // replicas are told apart by it
			handler.ServeHTTP(rw, r)
		})}
		go server.Serve(l)
		defer server.Close()
	}
	p := stand(t, "--seed", "1", "--output", "json", "--budget", "100000", "-f", filepath.Join(dir, "idemcheck.yaml"))
	for range 3 { // a first request that meets its copy may end a run
		if err := a.drive(w, p.URL, own); err != nil {
			return r, err
		}
	}
	_, report := p.end()
	return traffic.ReadReport(strings.NewReader(report))
}

// seen are the effects of the animal, as its file has them.
func (a animal) seen(w *world) string {
	return strings.NewReplacer("WORLD", w.url, ", scoped: true", "").Replace(cmp.Or(a.effects, counted))
}

// drive sends the herd to an address.
func (a animal) drive(w *world, url, own string) error {
	text := fmt.Sprintf("target: %s\nsettle: {bound: 1s}\n%s%s", url, own, a.seen(w))
	file, err := config.Parse("zoo.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		return err
	}
	id, err := newRun()
	if err != nil {
		return err
	}
	sys, end, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		return err
	}
	defer end()
	if p := sys.Providers["card"]; p != nil {
		w.provider = p.URL()
	}
	plan, err := scenarios.Parse("herd.yaml", []byte(herd))
	if err != nil {
		return err
	}
	_, _, err = scenarios.Run(context.Background(), sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), Plans: []scenarios.Plan{plan}})
	return err
}

const zooRules = `proxy:
  rules:
    - {fault: repeat, share: 20%}
    - {fault: overlap, share: 20%}
    - {fault: {late: 200ms}, share: 20%}
    - {match: {type: application/json}, fault: reencode, share: 20%}
`
