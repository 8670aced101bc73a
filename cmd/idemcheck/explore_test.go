package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/scenarios"
)

// searched is what a search on one service came to.
type searched struct {
	service
	did scenarios.Explored
	err error
}

func (s service) explore(ctx context.Context, opt scenarios.ExploreOptions) (r searched) {
	r.service = s
	id, err := newRun()
	if err != nil {
		r.err = err
		return r
	}
	sys, end, err := s.start(ctx, id)
	if err != nil {
		r.err = err
		return r
	}
	defer end()
	opt.Run, opt.Tool = id, tool()
	r.did, _, _, r.err = scenarios.Explore(ctx, sys, opt)
	return r
}

func TestExploreTry(t *testing.T) {
	var services []service
	for _, d := range payments.Defects {
		if only := os.Getenv("ONLY"); only == "" || strings.Contains(only, d.Name) {
			services = append(services, defectService(d))
		}
	}
	budget, _ := time.ParseDuration(os.Getenv("BUDGET"))
	side := 2
	fmt.Sscan(os.Getenv("SIDE"), &side)
	all := make([]searched, len(services))
	var group sync.WaitGroup
	slots := make(chan struct{}, side)
	found := 0
	for i, s := range services {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			all[i] = s.explore(t.Context(), scenarios.ExploreOptions{Seed: 1, Time: budget, First: os.Getenv("ALL") == ""})
			r := all[i]
			fmt.Printf("%-26s want %-22s %d plans %d passed %d failed %d inconclusive %d tries %.1f s err %v\n", s.Name, s.Defect.Rule, r.did.Plans, r.did.Passed, r.did.Failed, r.did.Inconclusive, r.did.Tries, r.did.Seconds, r.err)
			for _, f := range r.did.Finds {
				fmt.Printf("     %s %s plan %d after %.1f s, %d steps -> %d, %d of %d, met %d\n%s\n", f.Rule, f.Case, f.Number, f.Seconds, f.Drawn, f.Steps, f.Failed, f.Of, f.Met, f.Reason+"\n"+f.Plan.Source)
			}
		})
	}
	group.Wait()
	for _, r := range all {
		if len(r.did.Finds) > 0 {
			found++
		}
	}
	fmt.Println("found", found, "of", len(all))
}

func TestExploreSoundTry(t *testing.T) {
	services := []service{{Name: "payments", Contract: payments.Contract, Whole: true}}
	for _, v := range payments.Variants {
		services = append(services, variantService(v))
	}
	budget, _ := time.ParseDuration(os.Getenv("BUDGET"))
	seed := 1
	fmt.Sscan(os.Getenv("SEED"), &seed)
	var group sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, s := range services {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			r := s.explore(t.Context(), scenarios.ExploreOptions{Seed: uint64(seed), Time: budget})
			fmt.Printf("%-26s %d plans %d passed %d failed %d inconclusive %d tries %.1f s err %v\n", s.Name, r.did.Plans, r.did.Passed, r.did.Failed, r.did.Inconclusive, r.did.Tries, r.did.Seconds, r.err)
			for _, f := range r.did.Finds {
				fmt.Printf("     %s %s plan %d after %.1f s, %d steps -> %d, %d of %d, met %d\n%s\n", f.Rule, f.Case, f.Number, f.Seconds, f.Drawn, f.Steps, f.Failed, f.Of, f.Met, f.Reason+"\n"+f.Plan.Source)
			}
		})
	}
	group.Wait()
}
