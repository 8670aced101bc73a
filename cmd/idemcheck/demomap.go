package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/internal/report"
	"github.com/idemcheck/idemcheck/scenarios"
)

// demoMap is what demo --output json prints of one window map.
type demoMap struct {
	Service      string `json:"service"`
	Sound        bool   `json:"sound"`
	Windows      int    `json:"windows"`
	Tried        int    `json:"tried"`
	Failed       int    `json:"failed"`
	Inconclusive int    `json:"inconclusive"`
}

// shown says whether the map says of the service what is true of it.
func (m demoMap) shown() bool {
	return m.Tried > 0 && m.Inconclusive == 0 && m.Sound == (m.Failed == 0)
}

// demoMapped are the services whose maps the demo shows: short waits, and as
// many processes side by side as keep the machine busy.
func demoMapped() []mapped {
	opt := scenarios.MapOptions{Idle: 100 * time.Millisecond, Hold: 100 * time.Millisecond}
	return []mapped{
		{Name: "provider-key-per-attempt", Doc: "the provider gets a new key at each attempt", Defect: "provider-key-per-attempt", instances: 4, opt: opt},
		{Name: "payments", Doc: "the service as it should be", instances: 4, opt: opt},
	}
}

// drawAll draws the maps one after the other.
func drawAll(ctx context.Context, services []mapped, progress func(done, total int, name string)) (runs []report.Run, maps []demoMap, err error) {
	for i, s := range services {
		progress(i, len(services), "map of "+s.Name)
		r, err := s.draw(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("map of %s: %w", s.Name, err)
		}
		m := demoMap{Service: s.Name, Sound: s.Defect == ""}
		if r.Report.Verdict() == checkers.Inconclusive {
			m.Inconclusive++ // the run itself
		}
		for _, one := range r.Maps {
			windows, tried, failed, open := one.Counts()
			m.Windows, m.Tried, m.Failed, m.Inconclusive = m.Windows+windows, m.Tried+tried, m.Failed+failed, max(m.Inconclusive, open)
		}
		runs, maps = append(runs, r), append(maps, m)
	}
	return runs, maps, nil
}

// mapsText shows the maps of the demo.
func mapsText(w io.Writer, services []mapped, runs []report.Run) error {
	if len(runs) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nWhere can it be killed without harm? Each step of a charge, and what a fault at it does:\n")
	for i, r := range runs {
		fmt.Fprintf(w, "\n%s: %s\n", services[i].Name, services[i].Doc)
		if err := report.Maps(w, r); err != nil {
			return err
		}
	}
	return nil
}
