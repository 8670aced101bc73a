package report

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/idemcheck/idemcheck/checkers"
)

// What is written is SARIF 2.1.0 by its schema, and a finding keeps its fingerprint from run to run.
func TestSARIFIsValid(t *testing.T) {
	all := stories()
	maps.Copy(all, mapped())
	for name, r := range all {
		text := print(t, SARIF, r)
		strict := json.NewDecoder(strings.NewReader(text))
		strict.DisallowUnknownFields()
		log, err := sarif.FromString(text)
		if err := errors.Join(err, strict.Decode(sarif.NewReport())); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, run := range log.Runs { // the library writes these even where they are not there, and then misses them
			run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en", "en", []string{"\n"}
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := stories()["failed"]
	first := print(t, SARIF, one)
	one.History.Header.Run, one.Report.Cases[2].Violations[0].Op = "other", "other-12"
	prints := func(s string) (list []string) {
		for line := range strings.Lines(s) {
			if strings.Contains(line, `"idemcheck/v1"`) {
				list = append(list, line)
			}
		}
		return list
	}
	if a, b := prints(first), prints(print(t, SARIF, one)); len(a) != 2 || strings.Join(a, "") != strings.Join(b, "") {
		t.Errorf("fingerprints %q, then %q", a, b)
	}
}

// An annotation is one line, whatever a service says, and there are ten at most.
func TestAnnotations(t *testing.T) {
	c := with1(pass("plain/charge"), checkers.Violation{Rule: "x", Verdict: checkers.Fail, Reason: "50% of\n::error::forged\r\x1b[2J"})
	r := Run{File: "./a,b:c.yaml", Lines: map[string]int{"charge": 7}}
	for range 12 {
		r.Report.Cases = append(r.Report.Cases, c)
	}
	text := print(t, Annotations, r)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	want := `::error file=a%2Cb%3Ac.yaml,line=7,title=idemcheck plain/charge::50%25 of%0A::error::forged\x0d\x1b[2J`
	if len(lines) != 10 || lines[0] != want {
		t.Errorf("%d lines, the first %q, want %q", len(lines), lines[0], want)
	}
}

// Nothing of the run is markup in the summary.
func TestMarkdownIsHarmless(t *testing.T) {
	hostile := "a|b`c <img src=x> @team #12 [x](http://evil) **b** ~~s~~ $x$"
	c := with1(pass("plain/charge"), checkers.Violation{Rule: hostile, Verdict: checkers.Fail, Reason: hostile, Cause: hostile})
	text := print(t, Markdown, Run{Report: checkers.Report{Cases: []checkers.Case{c}, Observed: []string{hostile}}})
	for _, bad := range []string{"<img", "@team", " #12", "[x](", " **b", "a|b"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q stands in the summary:\n%s", bad, text)
		}
	}
}
