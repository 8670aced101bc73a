package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// amount is how much of a matrix is tried: a little in a plain go test, which is to
// end in a few minutes; more with IDEMCHECK_REQUIRE=all, as in .ci/run; all of it, or
// many times, under IDEMCHECK_LONG=1.
func amount[T any](plain, required, long T) T {
	switch {
	case os.Getenv("IDEMCHECK_LONG") != "":
		return long
	case os.Getenv("IDEMCHECK_REQUIRE") == "all":
		return required
	}
	return plain
}

// eachNth is the first of all and each nth after it.
func eachNth[T any](all []T, n int) (some []T) {
	for i, v := range all {
		if i%n == 0 {
			some = append(some, v)
		}
	}
	return some
}

// repeats is how often the matrices run, and every which of their services. The
// script of CI tries each defect in TestTableOfBugs, and all services in the demo.
func repeats() (times, every int) { return amount(1, 1, 10), amount(10, 5, 1) }

// TestDetectionMatrix holds which rule finds each defect: the first that fails,
// in the order of the rules, in the first case that fails. No hint is given.
func TestDetectionMatrix(t *testing.T) {
	unraced(t)
	var services []service
	times, every := repeats()
	for range times {
		for _, d := range eachNth(payments.Defects, every) {
			services = append(services, defectService(d))
		}
	}
	for i, r := range runAll(t, services) {
		s := services[i]
		d := defectOf(s, r)
		t.Logf("%-24s %-6s %-28s %s", d.Name, d.Bug, d.Scenario, d.Rule)
		if d.Verdict != "fail" || d.Rule != d.Expected {
			t.Errorf("%s (%s) must break %s: it broke %q in %q, verdict %s\n%s", d.Name, d.Bug, d.Expected, d.Rule, d.Scenario, d.Verdict, text(r))
		}
	}
}

// TestSoundVariants holds that no sound design is accused, under its own
// contract nor under none, while a neighbour uses the same service.
func TestSoundVariants(t *testing.T) {
	unraced(t)
	sound := []service{{Name: "payments", Contract: payments.Contract, Whole: true}}
	for _, v := range payments.Variants {
		sound = append(sound, variantService(v))
	}
	var services []service
	times, every := repeats()
	for range times {
		for _, s := range eachNth(sound, every) {
			s.started = noise
			services = append(services, s)
			s.Name += " under none"
			s.Contract = "none"
			services = append(services, s)
		}
	}
	cases := 0
	for i, r := range runAll(t, services) {
		if r.Report.Verdict() != checkers.Pass || len(r.Report.Cases) == 0 {
			t.Errorf("%s is sound: %s\n%s", services[i].Name, r.Report.Verdict(), text(r))
		}
		cases += len(r.Report.Cases)
		t.Logf("%-36s %d cases", services[i].Name, len(r.Report.Cases))
	}
	t.Logf("%d runs, %d cases", len(services), cases)
}

func runAll(t *testing.T, services []service) []report.Run {
	t.Helper()
	runs, err := runServices(t.Context(), services, func(done, total int, name string) {
		t.Logf("%d of %d: %s", done, total, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func text(r report.Run) string {
	var b strings.Builder
	if err := report.Text(&b, r); err != nil {
		return err.Error()
	}
	return b.String()
}

// noise sends operations of somebody else until it is stopped.
func noise(url string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(40 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				foreign(ctx, url, n)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// foreign sends one charge and one transfer, every third of them twice; their answers are nobody's business here.
func foreign(ctx context.Context, url string, n int) {
	for path, body := range map[string]string{
		"/charges":   fmt.Sprintf(`{"order":"noise-%d","amount":5,"currency":"EUR","customer":"nobody"}`, n),
		"/transfers": `{"from":"savings","to":"rent","amount":7}`,
	} {
		for range 1 + n%3/2 {
			r, err := http.NewRequestWithContext(ctx, "POST", url+path, strings.NewReader(body))
			if err != nil {
				return
			}
			r.Header.Set("Idempotency-Key", fmt.Sprintf("noise-%s-%d", path[1:], n))
			r.Header.Set("Authorization", "Bearer alice")
			if resp, err := http.DefaultClient.Do(r); err == nil {
				resp.Body.Close()
			}
		}
	}
}

// TestTableOfBugs holds that a scenario which docs/bugs.md names for a defect
// shows it, by the rule that stands there.
func TestTableOfBugs(t *testing.T) {
	unraced(t)
	rows := bugs(t)
	var services []service
	for _, d := range eachNth(payments.Defects, amount(4, 1, 1)) {
		s := defectService(d)
		s.plans = []scenarios.Plan{}
		for _, name := range shownBy(rows, d.Name) {
			if p, known := scenarios.Lookup(name); known {
				s.plans = append(s.plans, p)
			}
		}
		services = append(services, s)
	}
	for i, r := range runAll(t, services) {
		d := defectOf(services[i], r)
		t.Logf("%-24s %-28s %s", d.Name, d.Scenario, d.Rule)
		if d.Verdict != "fail" || d.Rule != d.Expected {
			t.Errorf("%s must break %s: it broke %q in %q, verdict %s\n%s", d.Name, d.Expected, d.Rule, d.Scenario, d.Verdict, text(r))
		}
	}
}

// unraced leaves out a matrix under the race detector, where
// timings mean little: the script of CI finds who calls it, and runs those without.
func unraced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skipf("it needs the race detector to be off: go test -run '^%s$' ./cmd/idemcheck", t.Name())
	}
}
