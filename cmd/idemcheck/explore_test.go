package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/scenarios"
)

// searched is what a search on one service came to.
type searched struct {
	service
	did    scenarios.Explored
	report checkers.Report
	alarm  string // what the shortest plan broke on the sound service; "": nothing
	err    error
}

// explore searches the service for failures, from one seed for all services.
func (s service) explore(ctx context.Context, opt scenarios.ExploreOptions) (r searched) {
	r.service = s
	if opt.Run, r.err = newRun(); r.err != nil {
		return r
	}
	sys, end, err := s.start(ctx, opt.Run)
	if r.err = err; err != nil {
		return r
	}
	defer end()
	r.did, r.report, _, r.err = scenarios.Explore(ctx, sys, opt)
	return r
}

// exploreAll searches several services side by side.
func exploreAll(t *testing.T, services []service, sideBySide int, each func(service) searched) []searched {
	all := make([]searched, len(services))
	var group sync.WaitGroup
	slots := make(chan struct{}, sideBySide)
	for i, s := range services {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			all[i] = each(s)
		})
	}
	group.Wait()
	for _, r := range all {
		if r.err != nil {
			t.Fatalf("%s: %v", r.Name, r.err)
		}
	}
	return all
}

// TestExploreFinds holds that a search finds the defects which no scenario is
// named for, in plans of at most four steps, and that these plans accuse nobody else.
func TestExploreFinds(t *testing.T) {
	unraced(t)
	budget, every, side := amount[time.Duration](15, 15, 60)*time.Second, amount(12, 5, 1), amount(4, 4, 3)
	var services []service
	for _, d := range eachNth(payments.Defects, every) {
		services = append(services, defectService(d))
	}
	found := 0
	for _, r := range exploreAll(t, services, side, func(s service) searched { return s.hunted(t, budget) }) {
		if len(r.did.Finds) == 0 {
			continue
		}
		switch f := r.did.Finds[0]; {
		case r.alarm != "":
			t.Errorf("%s: the plan accuses the sound service: %s\n%s", r.Name, r.alarm, f.Source)
		case f.Steps > 4:
			t.Errorf("%s: %d steps are left\n%s", r.Name, f.Steps, f.Source)
		case f.Seconds <= budget.Seconds() && f.Failed > 0:
			found++
		}
	}
	t.Logf("found %d of %d within %v each (%.0f %%)", found, len(services), budget, 100*float64(found)/float64(len(services)))
	if enough := amount(0.5, 0.5, 0.9); float64(found) < enough*float64(len(services)) {
		t.Errorf("found %d of %d, want %.0f %%", found, len(services), 100*enough)
	}
}

// hunted searches until the first find, and runs what is left of it on the sound service.
func (s service) hunted(t *testing.T, budget time.Duration) searched {
	r := s.explore(t.Context(), scenarios.ExploreOptions{Seed: 1, Time: budget, First: true})
	if r.err != nil || len(r.did.Finds) == 0 {
		t.Logf("%-26s MISSED %d plans, %d inconclusive, %.1f s", r.Name, r.did.Plans, r.did.Inconclusive, r.did.Seconds)
		return r
	}
	f := r.did.Finds[0]
	t.Logf("%-26s %-24s plan %3d, %4.1f s, %2d steps cut to %d, failed %d of %d, %s", r.Name, f.Rule, f.Number, f.Seconds, f.Drawn, f.Steps, f.Failed, f.Of, f.Case)
	sound := s
	sound.Defect, sound.Config, sound.plans = nil, payments.Config{}, []scenarios.Plan{r.did.Finds[0].Plan}
	run, err := sound.run(t.Context())
	r.err = err
	if run.Report.Verdict() == checkers.Fail {
		r.alarm = firstReason(run.Report)
	}
	return r
}

// TestExploreSound holds that no drawn plan accuses a sound design.
func TestExploreSound(t *testing.T) {
	unraced(t)
	services := []service{{Name: "payments", Contract: payments.Contract, Whole: true}}
	budget, every := amount[time.Duration](5, 10, 60)*time.Second, amount(10, 5, 1)
	for _, v := range eachNth(payments.Variants, every) {
		services = append(services, variantService(v))
	}
	seed := uint64(1)
	if err := seedFromEnvironment(&seed); err != nil {
		t.Fatal(err)
	}
	for _, r := range exploreAll(t, services, 2, func(s service) searched {
		return s.explore(t.Context(), scenarios.ExploreOptions{Seed: seed, Time: budget})
	}) {
		t.Logf("%-24s seed %d: %d plans, %d passed, %d inconclusive", r.Name, seed, r.did.Plans, r.did.Passed, r.did.Inconclusive)
		if len(r.did.Finds) > 0 || r.did.Failed > 0 || r.report.Verdict() != checkers.Pass {
			t.Errorf("%s is sound: %s", r.Name, findsText(r.did))
		}
	}
}

func findsText(did scenarios.Explored) (text string) {
	for _, f := range did.Finds {
		text += fmt.Sprintf("%s %d of %d: %s\n%s", f.Case, f.Failed, f.Of, f.Reason, f.Source)
	}
	return text
}
