package report

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// mapSums counts the windows of a map.
type mapSums struct {
	Windows      int `json:"windows"`      // that there are
	Run          int `json:"run"`          // that were run
	Equal        int `json:"equal"`        // run in the place of a neighbour
	NotRun       int `json:"not_run"`      // left out
	Tried        int `json:"tried"`        // run and judged
	Failed       int `json:"failed"`       // those that follow are the ones run
	Accepted     int `json:"accepted"`     //
	Passed       int `json:"passed"`       //
	Inconclusive int `json:"inconclusive"` //
	Missed       int `json:"-"`            // asked for, and not run since the run ended before
}

func (c chart) sums() (n mapSums) {
	for _, w := range c.Windows {
		at := c.cell(w)
		switch {
		case w.None:
			continue
		case at.equal:
			n.Equal++
		case !at.run:
			n.NotRun++
		case at.state == leftOut:
			n.NotRun++
			if !c.deathless(w) {
				n.Missed++
			}
		default:
			n.count(at.state)
		}
		n.Windows++
	}
	n.Run = n.Passed + n.Failed + n.Accepted + n.Inconclusive
	n.Tried = n.Run - n.Inconclusive
	return n
}

// deathless says that a window can not be, since there is no worker to kill.
func (c chart) deathless(w scenarios.Window) bool {
	return c.Worker == "" && columnOf(w).Kills
}

func (n *mapSums) count(s state) {
	switch s {
	case passing:
		n.Passed++
	case failing:
		n.Failed++
	case tolerated:
		n.Accepted++
	default:
		n.Inconclusive++
	}
}

// verdict of a map; one of which nothing was tried, or not all, is no pass.
func (n mapSums) verdict() checkers.Verdict {
	switch {
	case n.Failed > 0:
		return checkers.Fail
	case n.Inconclusive > 0 || n.Missed > 0 || n.Tried == 0:
		return checkers.Inconclusive
	}
	return checkers.Pass
}

// String is "tried 16 of 17 windows: 6 fail, 10 pass, 1 inconclusive".
func (n mapSums) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{n.Failed, "fail"}, {n.Accepted, "accepted"}, {n.Passed, "pass"}, {n.Inconclusive, "inconclusive"}, {n.Missed, "not run"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	if n.Run == 0 {
		return "no window was tried"
	}
	return fmt.Sprintf("tried %d of %s: %s", n.Tried, plural(n.Run+n.Missed, "window"), strings.Join(parts, ", "))
}

// coverage is "4 moments, 20 windows: 17 run, 3 equal to a neighbour (=)".
func (c chart) coverage() string {
	n := c.sums()
	s := fmt.Sprintf("%s, %s: %d run", plural(len(c.Moments), "moment"), plural(n.Windows, "window"), n.Run)
	if n.Equal > 0 {
		s += fmt.Sprintf(", %d equal to a neighbour (=)", n.Equal)
	}
	if n.NotRun > 0 {
		s += fmt.Sprintf(", %d not run (%s)", n.NotRun, notRun)
	}
	return s
}

// about is what a map is of, and how much of it there is.
func (c chart) about() string {
	parts := []string{clean(c.Operation), "no worker: nothing is killed"}
	if c.Worker != "" {
		parts[1] = "worker " + clean(c.Worker)
	}
	if len(c.Links) > 0 {
		parts = append(parts, "links "+clean(strings.Join(c.Links, ", ")))
	}
	return strings.Join(append(parts, c.coverage()), " · ")
}
