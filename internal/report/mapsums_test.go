package report

import (
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// TestNobodyToKill: without a worker the windows in which one dies can not be;
// the others are the map. Of clean runs alone nothing is known.
func TestNobodyToKill(t *testing.T) {
	skipped := checkers.Case{Name: "map/charge/1 kill before", Skipped: "no worker can be killed"}
	passed := checkers.Case{Name: "map/charge/1 cut", Verdict: checkers.Pass}
	clean := checkers.Case{Name: "map/charge/clean 1", Verdict: checkers.Pass}
	for _, c := range []struct {
		name, worker string
		cases        []checkers.Case
		of           checkers.Verdict // the map's
		run          checkers.Verdict
	}{
		{"no worker", "", []checkers.Case{clean, passed, skipped}, checkers.Pass, checkers.Pass},
		{"the run ended before", "api", []checkers.Case{clean, passed, skipped}, checkers.Inconclusive, checkers.Pass}, // an error of the run says so
		{"nothing was tried", "", []checkers.Case{clean, skipped}, checkers.Inconclusive, checkers.Inconclusive},
	} {
		m := scenarios.Map{Operation: "charge", Worker: c.worker, Moments: []scenarios.Moment{{Name: "db COMMIT"}}}
		for _, k := range c.cases[1:] {
			m.Windows = append(m.Windows, scenarios.Window{Case: k.Name, Column: k.Name[len("map/charge/1 "):], Verdict: k.Verdict})
		}
		r := Run{Maps: []scenarios.Map{m}, Report: checkers.Report{Cases: c.cases}}
		if got := r.charts()[0].sums().verdict(); got != c.of {
			t.Errorf("%s: the map is %s, want %s", c.name, got, c.of)
		}
		if got := r.Verdict(); got != c.run {
			t.Errorf("%s: the run is %s, want %s", c.name, got, c.run)
		}
	}
}

// What would let a worker be killed is said once.
func TestNobodyToKillIsSaidOnce(t *testing.T) {
	add := "add   " + workerYAML
	cases := []checkers.Case{{Name: "map/charge/1 cut", Verdict: checkers.Pass}, {Name: "map/charge/1 kill before", Skipped: "no worker can be killed: " + add}}
	m := scenarios.Map{Operation: "charge", Moments: []scenarios.Moment{{Name: "db COMMIT"}}, Windows: []scenarios.Window{
		{Column: "cut", Case: cases[0].Name, Verdict: checkers.Pass, Word: "pass"},
		{Column: "kill before", Case: cases[1].Name, Reason: cases[1].Skipped}}}
	text := print(t, Text, Run{Maps: []scenarios.Map{m}, Report: checkers.Report{Cases: cases}})
	if n := strings.Count(text, "workers: {api"); n != 1 {
		t.Errorf("said %d times:\n%s", n, text)
	}
}

// Long names of steps break after an underscore, not within a word.
func TestNamesOfStepsBreak(t *testing.T) {
	if page := print(t, HTML, mapped()["map-long"]); !strings.Contains(page, "a_<wbr>schema_<wbr>with_") || strings.Contains(page, "<wbr></") {
		t.Error("no place to break")
	}
}
