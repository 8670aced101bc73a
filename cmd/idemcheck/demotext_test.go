package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/internal/report"
)

// A sound service that is no pass says why, in the text and in the JSON.
func TestDemoSaysWhy(t *testing.T) {
	open := checkers.Case{Name: "overlap/charge", Verdict: checkers.Inconclusive, Violations: []checkers.Violation{{Verdict: checkers.Inconclusive, Reason: "It was too busy."}}}
	bad := checkers.Case{Name: "repeat/charge", Verdict: checkers.Fail, Violations: []checkers.Violation{{Verdict: checkers.Fail, Reason: "It came twice."}}}
	for want, r := range map[string]checkers.Report{
		"one: repeat/charge: It came twice.":    {Cases: []checkers.Case{open, bad}},
		"one: overlap/charge: It was too busy.": {Cases: []checkers.Case{open}},
		"one: it was cut short":                 {Problems: []string{"it was cut short"}},
	} {
		services, runs := []service{{Name: "one"}}, []report.Run{{Report: r}}
		result := summarise(services, runs)
		if !slices.Equal(result.Sound.Reasons, []string{want}) {
			t.Errorf("got %q, want %q", result.Sound.Reasons, want)
		}
		var b bytes.Buffer
		if err := demoText(&b, services, runs, result); err != nil || !strings.Contains(b.String(), "! "+want) {
			t.Errorf("%v, want %q in\n%s", err, want, &b)
		}
	}
}
