package main

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/scenarios"
)

func init() { // services are started from the command, not from the test
	self = func() (string, error) { return exec.LookPath("idemcheck") }
}

// cellsOf are the windows of a map that failed, those that equal another
// included. At a point nothing is done: there "kill after" says nothing more.
func cellsOf(m scenarios.Map) (red, open []payments.Cell) {
	for _, w := range m.Windows {
		at := m.Moments[w.Moment]
		if at.Point && w.Column == "kill after" {
			continue
		}
		c := payments.Cell{Moment: at.Name, Column: w.Column}
		if w.Equal > 0 {
			w = m.Windows[w.Equal-1]
		}
		switch c.Word = w.Word; w.Verdict {
		case checkers.Fail:
			red = append(red, c)
		case checkers.Inconclusive:
			open = append(open, c)
		}
	}
	return red, open
}

// expected are the red cells of a defect: on SQLite there is no link db.
func expected(d payments.Defect, postgres bool) (red []payments.Cell) {
	for _, c := range d.Cells {
		if postgres || !strings.HasPrefix(c.Moment, "db ") {
			red = append(red, c)
		}
	}
	return red
}

// sameCells holds that two lists of cells are equal, in any order.
func sameCells(t *testing.T, name string, got, want []payments.Cell) bool {
	t.Helper()
	ok := true
	for _, c := range got {
		if !slices.Contains(want, c) {
			t.Errorf("%s: %s, %s is %s and should not be", name, c.Moment, c.Column, c.Word)
			ok = false
		}
	}
	for _, c := range want {
		if !slices.Contains(got, c) {
			t.Errorf("%s: %s, %s is not %s", name, c.Moment, c.Column, c.Word)
			ok = false
		}
	}
	return ok
}

// TestMapMatrix holds the red cells of each defect that windows show, and that
// the sound service has none: on SQLite with points, on PostgreSQL with links too.
// A sample by default, all of them ten times under IDEMCHECK_LONG.
func TestMapMatrix(t *testing.T) {
	unraced(t)
	t.Run("SQLite", func(t *testing.T) { mapMatrix(t, "") })
	t.Run("PostgreSQL", func(t *testing.T) { mapMatrix(t, needPostgres(t)) })
}

// mapMatrix draws the maps, two at a time.
func mapMatrix(t *testing.T, server string) {
	var group sync.WaitGroup
	defer group.Wait()
	slots := make(chan struct{}, 2)
	for _, d := range mapDefects(server != "") {
		s := mapped{Name: cmp.Or(d.Name, "sound"), Defect: d.Name, instances: 3}
		if server != "" {
			for range s.instances {
				s.databases = append(s.databases, database(t, server))
			}
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			mapOf(t, s, expected(d, server != ""), d.Rule)
		})
	}
}

// mapOf holds that the map of a service has the red cells that it should have,
// that each breaks the rule, and that nothing is left open.
func mapOf(t *testing.T, s mapped, want []payments.Cell, rule string) {
	r, err := s.draw(t.Context())
	if err != nil {
		t.Errorf("%s: %v", s.Name, err)
		return
	}
	red, open := cellsOf(r.Maps[0])
	t.Logf("%-32s %d red cells, %.1f s", s.Name, len(red), r.Took.Seconds())
	if !sameCells(t, s.Name, red, want) || len(open) > 0 {
		t.Errorf("%s: open %v\n%s", s.Name, open, text(r))
	}
	if others := redWithout(r.Report, rule); len(others) > 0 {
		t.Errorf("%s: not for %s are red %v\n%s", s.Name, rule, others, text(r))
	}
}

// redWithout are the windows that failed, but not by that rule.
func redWithout(r checkers.Report, rule string) (all []string) {
	for _, c := range r.Cases {
		broken := slices.ContainsFunc(c.Violations, func(v checkers.Violation) bool { return v.Rule == rule && v.Verdict == checkers.Fail })
		if strings.HasPrefix(c.Name, "map/") && c.Verdict == checkers.Fail && !broken {
			all = append(all, c.Name)
		}
	}
	return all
}

func TestRedWithout(t *testing.T) {
	fails := func(name, rule string) checkers.Case {
		return checkers.Case{Name: name, Verdict: checkers.Fail, Violations: []checkers.Violation{{Rule: rule, Verdict: checkers.Fail}}}
	}
	open := checkers.Case{Name: "map/charge/1 held", Verdict: checkers.Inconclusive}
	r := checkers.Report{Cases: []checkers.Case{fails("map/charge/1 cut", "progress"), fails("map/charge/2 cut", "at-most-once"), open}}
	if got := redWithout(r, "progress"); !slices.Equal(got, []string{"map/charge/2 cut"}) {
		t.Error(got)
	}
}

// mapDefects are the sound service, which has no name, and the defects that a
// map can show; IDEMCHECK_MAP picks one, or all of them once.
func mapDefects(postgres bool) (picked []payments.Defect) {
	all := []payments.Defect{{}}
	for _, d := range slices.Concat(payments.Windows, payments.Defects) {
		if len(expected(d, postgres)) > 0 && (postgres || !d.NeedsPostgres) {
			all = append(all, d)
		}
	}
	times, every := repeats()
	only := os.Getenv("IDEMCHECK_MAP")
	if only != "" {
		times, every = 1, 1
	}
	for range times {
		for i, d := range all {
			if i%every == 0 && (only == "" || only == "all" || only == d.Name) {
				picked = append(picked, d)
			}
		}
	}
	return picked
}

// TestMapsOfSoundVariants holds that no sound design is accused, wherever it is killed.
func TestMapsOfSoundVariants(t *testing.T) {
	unraced(t)
	times, every := repeats()
	if os.Getenv("IDEMCHECK_MAP") == "all" {
		times, every = 1, 1
	}
	for range times {
		for i, v := range payments.Variants {
			if i%every == 0 {
				mapOf(t, mapped{Name: v.Name, Variant: v.Name, Contract: v.Contract, instances: 4}, nil, "")
			}
		}
	}
}
