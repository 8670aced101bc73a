package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// animal is a small service that was written without the catalogue in mind, and
// the file that its owner would write for it.
type animal struct {
	name     string
	serve    func(w *world) http.Handler
	file     string // all but target, contract and the observer; "": ordinary
	effects  string // "": counted; WORLD is where effects are counted
	contract string // what it promises, as YAML; "": it promises nothing
	finds    string // of a broken one: the scenarios that may find it, by the start of their names; "": it is sound
	silent   string // likewise, under contract: none; "-": none of them fails there, since only a promise is broken
	stated   bool   // it is run with its own contract only
	known    bool   // likewise, unless there is time
	unsure   string // of a sound one: scenarios that end inconclusive under its own contract
	replicas int    // addresses over one world; 0: one
	slow     bool   // only with IDEMCHECK_LONG

	only []scenarios.Plan // nil: those that may find it
}

const ordinary = `operations:
  order:
    send: POST /orders
    body: {order: "${id}", amount: "${int 100 999}", note: hello}
`

const scopes = `scopes:
  ann: {headers: {Authorization: ann}}
  ben: {headers: {Authorization: ben}}
`

const counted = `effects:
  done: {http: "GET WORLD/${id}", count: /n, scoped: true, say: "Order ${id} was done"}
`

const paid = counted + `  card:
    provider: {listen: "127.0.0.1:0", effect: POST /charges, id: body /order}
`

// visit runs the whole catalogue against an animal that promises what says says.
func (a animal) visit(says string) (r checkers.Report, err error) {
	w := newWorld()
	defer w.end()
	targets, listeners, err := a.addresses()
	if err != nil {
		return r, err
	}
	text := fmt.Sprintf("target: [%s]\ncontract: %s\nsettle: {bound: 1s}\n%s%s%s", strings.Join(targets, ", "), says,
		scopes, cmp.Or(a.file, ordinary), strings.ReplaceAll(cmp.Or(a.effects, counted), "WORLD", w.url))
	file, err := config.Parse("zoo.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		return r, err
	}
	id, err := newRun()
	if err != nil {
		return r, err
	}
	sys, end, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		return r, err
	}
	defer end()
	if p := sys.Providers["card"]; p != nil {
		w.provider = p.URL()
	}
	handler := a.serve(w)
	for _, l := range listeners {
		server := &http.Server{Handler: handler}
		go server.Serve(l)
		defer server.Close()
	}
	r, h, err := scenarios.Run(context.Background(), sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), Plans: a.plans()})
	if dir := os.Getenv("IDEMCHECK_ZOO_KEEP"); dir != "" && err == nil {
		dir = filepath.Join(dir, a.name+"-"+strings.Trim(says, "{}")[:4])
		err = errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "zoo.yaml"), []byte(text), 0o644), keep(dir, report.Run{History: h, Report: r}))
	}
	return r, err
}

// plans are those that may find what is broken; all for a sound service.
func (a animal) plans() []scenarios.Plan {
	if a.only != nil {
		return a.only
	}
	only := cmp.Or(os.Getenv("IDEMCHECK_ZOO_PLAN"), strings.TrimSpace(a.finds+" "+a.silent))
	if only == "" || os.Getenv("IDEMCHECK_LONG") != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(scenarios.Catalogue()), func(p scenarios.Plan) bool {
		return !slices.ContainsFunc(strings.Fields(only), func(s string) bool { return strings.SplitN(s, "/", 2)[0] == p.Name })
	})
}

func (a animal) addresses() (urls []string, ls []net.Listener, err error) {
	for range max(1, a.replicas) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, nil, err
		}
		urls, ls = append(urls, "http://"+l.Addr().String()), append(ls, l)
	}
	return urls, ls, nil
}

// visited is what came of one visit.
type visited struct {
	animal
	says string
	r    checkers.Report
	err  error
	took time.Duration
}

// TestZoo runs everything against sound services of many kinds, and against
// broken ones what may find them: no alarm at the first, and never a pass of the
// others. A few of them in a plain go test; under IDEMCHECK_LONG everything against all.
func TestZoo(t *testing.T) {
	unraced(t)
	if testing.Short() {
		t.Skip("takes a minute: leave out -short")
	}
	long := os.Getenv("IDEMCHECK_LONG") != ""
	var visits []*visited
	for _, a := range slices.Concat(shapes, keyPolicies, designs, workers, promising, broken) {
		if a.slow && !long || os.Getenv("IDEMCHECK_ZOO") != "" && !matches(os.Getenv("IDEMCHECK_ZOO"), a.name) {
			continue
		}
		for _, says := range slices.Compact([]string{"none", cmp.Or(a.contract, "none")}) {
			if says != "none" || !a.stated && (!a.known || long) {
				visits = append(visits, &visited{animal: a, says: says})
			}
		}
	}
	if os.Getenv("IDEMCHECK_ZOO") == "" {
		visits = eachNth(visits, amount(6, 1, 1))
	}
	var group sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, v := range visits {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			begin := time.Now()
			v.r, v.err = v.visit(v.says)
			v.took = time.Since(begin)
		})
	}
	group.Wait()
	var lines []string
	for _, v := range visits {
		t.Run(v.name+"/"+v.says, func(t *testing.T) {
			if v.err != nil {
				t.Fatal(v.err)
			}
			v.judge(t)
		})
		lines = append(lines, v.line())
	}
	t.Log("\n" + strings.Join(lines, "\n"))
}

// judge compares what was found with what there is to find.
func (a *visited) judge(t *testing.T) {
	t.Helper()
	finds := a.finds
	if a.says == "none" && a.silent != "" {
		finds = a.silent
	}
	found := ""
	for _, c := range a.r.Cases {
		switch {
		case c.Verdict == checkers.Fail && (a.finds == "" || finds == "-"):
			t.Errorf("false alarm at %s:\n%s", c.Name, tell(c))
		case c.Verdict == checkers.Fail && matches(finds, c.Name):
			found = c.Name
		case matches(finds, c.Name):
			t.Logf("%s at %s:\n%s", c.Verdict, c.Name, tell(c))
		}
	}
	if a.finds != "" && finds != "-" && found == "" && os.Getenv("IDEMCHECK_ZOO_PLAN") == "" {
		t.Errorf("not found by any of: %s", finds)
	}
	if a.finds == "" {
		a.sure(t)
	}
}

// sure demands that what a sound service promises is judged.
func (a *visited) sure(t *testing.T) {
	t.Helper()
	for _, c := range a.r.Cases {
		if c.Verdict == checkers.Inconclusive && !matches(a.unsure, c.Name) {
			report := t.Errorf
			if a.says == "none" || strings.Contains(tell(c), "came about in") { // this machine was too busy
				report = t.Logf
			}
			report("not judged, %s:\n%s", c.Name, tell(c))
		}
	}
}

// matches reports whether a case is one of the scenarios.
func matches(names, name string) bool {
	return slices.ContainsFunc(strings.Fields(names), func(s string) bool { return strings.HasPrefix(name, s) })
}

func tell(c checkers.Case) string {
	var b strings.Builder
	for _, v := range c.Violations {
		fmt.Fprintf(&b, "  %s %s: %s\n", v.Verdict, v.Rule, v.Reason)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "  note: %s\n", n)
	}
	return b.String()
}

// line of the matrix.
func (v *visited) line() string {
	n := map[checkers.Verdict]int{}
	for _, c := range v.r.Cases {
		n[cmp.Or(c.Verdict, "skipped")]++
	}
	promise := "promises"
	if v.says == "none" {
		promise = "none"
	}
	return fmt.Sprintf("%-26s %-8s %3d pass %3d fail %3d inconclusive %3d skipped  %6.1f s", v.name, promise,
		n[checkers.Pass], n[checkers.Fail], n[checkers.Inconclusive], n["skipped"], v.took.Seconds())
}
