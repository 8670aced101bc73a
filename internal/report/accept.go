package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
)

// Accept is a failure that the user knows and lets pass until a day.
type Accept struct {
	Case   string    `json:"case"`   // "lost-answer/refund"; * stands for any scenario or operation; without a swept value it means all of them
	Rule   string    `json:"rule"`   // only this rule; "": all
	Reason string    `json:"reason"` // why, for people
	Until  time.Time `json:"until"`  // the last day, at its beginning in UTC
	Line   int       `json:"line"`   // in the configuration; 0: not known
}

// covers says whether a case is one that is meant.
func (a Accept) covers(name string) bool {
	if strings.HasPrefix(name, rulePrefix) || strings.HasPrefix(a.Case, rulePrefix) {
		return name == a.Case
	}
	want, have := strings.SplitN(a.Case, "/", 3), strings.SplitN(name, "/", 3)
	if len(want) > len(have) {
		return false
	}
	for i, part := range want {
		if part != "*" && part != have[i] {
			return false
		}
	}
	return true
}

// live says whether the acceptance still holds at a time. Its last day is whole
// in every time zone.
func (a Accept) live(at time.Time) bool { return at.Before(a.Until.Add(36 * time.Hour)) }

// means says whether a violation of a case is one that is meant.
func (a Accept) means(name string, v checkers.Violation) bool {
	return v.Verdict == checkers.Fail && a.covers(name) && (a.Rule == "" || a.Rule == v.Rule)
}

// accepted are the acceptances of a case that failed, one for each rule it
// broke; nil if a rule is not accepted. A run is judged by the day it was made on.
func (r Run) accepted(c checkers.Case) []Accept {
	if c.Skipped != "" || c.Verdict != checkers.Fail {
		return nil
	}
	var all []Accept
	for _, v := range failed(c) {
		i := slices.IndexFunc(r.Accept, func(a Accept) bool { return a.means(c.Name, v) && a.live(r.History.Header.Start) })
		if i < 0 {
			return nil
		}
		if !slices.Contains(all, r.Accept[i]) {
			all = append(all, r.Accept[i])
		}
	}
	return all
}

// why is what an accepted case shows: reasons and last days.
func why(all []Accept) string {
	var parts []string
	for _, a := range all {
		parts = append(parts, fmt.Sprintf("%s, until %s", a.Reason, a.Until.Format(time.DateOnly)))
	}
	return strings.Join(parts, "; ")
}

// expired are lines about acceptances of a failed case that hold no more.
func (r Run) expired(c checkers.Case) []string {
	var lines []string
	for _, a := range r.Accept {
		meant := slices.ContainsFunc(c.Violations, func(v checkers.Violation) bool { return a.means(c.Name, v) })
		if meant && !a.live(r.History.Header.Start) {
			lines = append(lines, fmt.Sprintf("It was accepted (%s) until %s, which has passed%s: mend it, or give it another day.",
				a.Reason, a.Until.Format(time.DateOnly), r.at(a.Line)))
		}
	}
	return lines
}

// stale are lines about acceptances that nothing needs any more.
func (r Run) stale() []string {
	var lines []string
	for _, a := range r.Accept {
		seen, open := false, false
		for _, c := range r.Report.Cases {
			if a.covers(c.Name) {
				seen = true
				failing := slices.ContainsFunc(c.Violations, func(v checkers.Violation) bool { return a.means(c.Name, v) })
				open = open || c.Skipped != "" || c.Verdict == checkers.Inconclusive || failing
			}
		}
		name := a.Case
		if a.Rule != "" {
			name += " · " + a.Rule
		}
		switch {
		case seen && !open:
			lines = append(lines, fmt.Sprintf("accept %s (%s)%s: it does not fail any more: take the entry out", name, a.Reason, r.at(a.Line)))
		case !seen && r.Whole:
			lines = append(lines, fmt.Sprintf("accept %s (%s)%s: no case has that name: take the entry out, or mend its name", name, a.Reason, r.at(a.Line)))
		}
	}
	return lines
}

// at is " (idemcheck.yaml:12)", "" where the line is not known.
func (r Run) at(line int) string {
	if line == 0 || r.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", r.File, line)
}
