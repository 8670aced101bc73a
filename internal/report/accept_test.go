package report

import (
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
)

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		accept, name string
		want         bool
	}{
		{"lost-answer/refund", "lost-answer/refund", true},
		{"lost-answer/refund", "lost-answer/charge", false},
		{"*/refund", "overlap/refund", true},
		{"lost-answer/*", "lost-answer/charge/others=10", true},
		{"late-repeat/charge", "late-repeat/charge/others=10", true},
		{"late-repeat/charge/others=10", "late-repeat/charge/others=10", true},
		{"late-repeat/charge/others=10", "late-repeat/charge/others=100", false},
		{"late-repeat/charge/others=10", "late-repeat/charge", false},
		{"rule/no order twice", "rule/no order twice", true},
		{"*/no order twice", "rule/no order twice", false},
		{"rule/*", "rule/no order twice", false},
		{"rule/a/b", "rule/a/b", true},
	} {
		if got := (Accept{Case: c.accept}).covers(c.name); got != c.want {
			t.Errorf("%s covers %s: %t, want %t", c.accept, c.name, got, c.want)
		}
	}
}

// Only what is meant is let pass: each rule that a case broke must be accepted, in
// time, and nothing that could not be judged is hidden.
func TestAcceptedIsNarrow(t *testing.T) {
	b := newBook("r1")
	double := twice(b)
	other := double
	other.Rule = "same-answer"
	open := checkers.Violation{Rule: "overlap", Verdict: checkers.Inconclusive, Reason: "It did not fire."}
	one := with1(pass("lost-answer/charge"), double)
	two := with1(one, other)
	half := with1(one, open)
	half.Verdict = checkers.Fail
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) // that of the run
	all, only := Accept{Case: "lost-answer/charge", Until: day}, Accept{Case: "lost-answer/charge", Rule: "at-most-once", Until: day}
	past := Accept{Case: "lost-answer/charge", Until: day.AddDate(0, 0, -2)}
	for name, c := range map[string]struct {
		c      checkers.Case
		accept []Accept
		want   state
		exit   int
	}{
		"nothing":             {one, nil, failing, 1},
		"the case":            {one, []Accept{all}, tolerated, 0},
		"the rule":            {one, []Accept{only}, tolerated, 0},
		"another rule too":    {two, []Accept{only}, failing, 1},
		"both rules":          {two, []Accept{all}, tolerated, 0},
		"expired":             {one, []Accept{past}, failing, 1},
		"expired and renewed": {one, []Accept{past, all}, tolerated, 0},
		"not judged in full":  {half, []Accept{all}, undecided, 3},
		"inconclusive":        {with1(pass("lost-answer/charge"), open), []Accept{all}, undecided, 3},
		"skipped":             {skipped("lost-answer/charge", "why"), []Accept{all}, leftOut, 3},
		"passed":              {pass("lost-answer/charge"), []Accept{all}, passing, 0},
	} {
		r := Run{History: b.h, Report: checkers.Report{Cases: []checkers.Case{c.c}}, Accept: c.accept}
		if got := r.state(c.c); got != c.want || Exit(r) != c.exit {
			t.Errorf("%s: %s, exit %d, want %s, %d", name, got, Exit(r), c.want, c.exit)
		}
		if stale := len(r.stale()) > 0; stale != (name == "passed") {
			t.Errorf("%s: stale %q", name, r.stale())
		}
	}
}
