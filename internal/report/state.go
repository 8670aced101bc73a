package report

import (
	"slices"

	"github.com/idemcheck/idemcheck/checkers"
)

// state is what a report shows of a case: its verdict, skipped, or accepted.
type state string

const (
	passing   state = "pass"
	failing   state = "FAIL"
	undecided state = "inconclusive"
	leftOut   state = "skipped"
	tolerated state = "accepted" // it failed, and the user accepts that
)

// state of one case. What is accepted and could not be judged in full stays
// inconclusive: accepting a failure hides nothing else.
func (r Run) state(c checkers.Case) state {
	switch {
	case c.Skipped != "":
		return leftOut
	case c.Verdict == checkers.Pass:
		return passing
	case c.Verdict != checkers.Fail:
		return undecided
	case r.accepted(c) == nil:
		return failing
	case len(with(c, checkers.Inconclusive)) > 0:
		return undecided
	}
	return tolerated
}

// verdict is the colour of a state.
func (s state) verdict() checkers.Verdict {
	switch s {
	case passing:
		return checkers.Pass
	case failing:
		return checkers.Fail
	case undecided, tolerated:
		return checkers.Inconclusive
	}
	return ""
}

// Verdict is that of the whole run once what is accepted is let pass.
func (r Run) Verdict() checkers.Verdict {
	n := r.counts()
	switch {
	case n.Failed > 0:
		return checkers.Fail
	case n.Inconclusive > 0 || n.judged() == 0 || len(r.Report.Problems) > 0 || r.untried():
		return checkers.Inconclusive
	}
	return checkers.Pass
}

// untried says that no window of a map was tried: its clean runs are no pass.
func (r Run) untried() bool {
	return slices.ContainsFunc(r.charts(), func(c chart) bool { return c.sums().Tried == 0 && c.sums().Inconclusive == 0 })
}

// Exit is the exit code that the verdicts alone ask for: 1 if any case failed
// and is not accepted, else 3 if the run is inconclusive or nothing was judged, else 0.
func Exit(r Run) int {
	switch r.Verdict() {
	case checkers.Pass:
		return 0
	case checkers.Fail:
		return 1
	}
	return 3
}
