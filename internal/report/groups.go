package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const (
	fullReasons = 3  // reasons shown of an inconclusive case
	fullGroups  = 10 // groups of inconclusive cases shown in full
)

// group is a text with the cases that it holds for.
type group struct {
	text  string
	cases []string
}

// gather groups cases by a text, in their order; cases without one are left out.
func gather(cases []checkers.Case, text func(checkers.Case) string) []group {
	var groups []group
	place := map[string]int{}
	for _, c := range cases {
		t := text(c)
		if t == "" {
			continue
		}
		i, ok := place[t]
		if !ok {
			i = len(groups)
			place[t] = i
			groups = append(groups, group{text: t})
		}
		groups[i].cases = append(groups[i].cases, c.Name)
	}
	return groups
}

// inconclusive prints the cases that could not be judged, those with the same
// reason together.
func (p *page) inconclusive() {
	groups := gather(p.untold(p.Report.Cases), p.unjudged)
	if len(groups) > 0 {
		p.gap()
	}
	for i, g := range groups {
		first, rest, _ := strings.Cut(g.text, "\n")
		lead := " " + clean(g.cases[0]) + ": "
		if len(g.cases) > 1 {
			lead = fmt.Sprintf(" (%d): ", len(g.cases))
			rest = strings.Trim(strings.Join(p.scenarios(g.cases), ", ")+"\n"+rest, "\n")
		}
		lines := wrap("inconclusive"+lead, "  ", first)
		if rest != "" {
			lines = append(lines, wrap("  ", "  ", rest)...)
		}
		if i >= fullGroups {
			lines = []string{fit("inconclusive"+lead+clean(first), columns)}
		}
		p.print(checkers.Inconclusive, "inconclusive", lines...)
	}
	if len(groups) > 0 && p.uncalibrated() {
		p.say("  ", "  ", "idemcheck doctor shows what each operation answers, and what each observer sees of it.")
	}
}

// uncalibrated says whether an operation, or how it is counted, did not work without faults.
func (r Run) uncalibrated() bool {
	for _, c := range r.Report.Calibration {
		if c.Failed != "" || len(c.Blind) > 0 {
			return true
		}
	}
	return false
}

// unjudged is why a case is inconclusive, a line a reason, then what helps;
// "" if it is not.
func (r Run) unjudged(c checkers.Case) string {
	if r.state(c) != undecided {
		return ""
	}
	var all, help []string
	for _, v := range with(c, checkers.Inconclusive) {
		all = add(all, v.Reason)
		help = add(add(help, v.Cause), v.Cure)
	}
	reasons := r.once(all)
	if len(c.NotFired) > 0 && len(reasons) == 0 {
		reasons = add(reasons, "asked for and did not fire: "+strings.Join(c.NotFired, ", "))
	}
	if len(reasons) == 0 {
		return "it was not judged."
	}
	if all := r.accepted(c); all != nil {
		reasons = append([]string{"its failure is accepted (" + why(all) + "), and not everything could be judged:"}, reasons...)
	}
	if more := len(reasons) - fullReasons; more > 0 {
		reasons = append(reasons[:fullReasons], fmt.Sprintf("and %d more reasons.", more))
	}
	return strings.Join(append(reasons, help...), "\n")
}

// add appends a text that is new.
func add(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// names lists cases, cut where the list is long.
func names(cases []string) string {
	shown := cases[:min(fullReasons, len(cases))]
	s := clean(strings.Join(shown, ", "))
	if more := len(cases) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// scenarios shortens names of cases to that of their scenario, where all cases
// of the scenario are among them.
func (p *page) scenarios(cases []string) []string {
	whole := map[string]bool{}
	for _, c := range p.Report.Cases {
		scenario, _, _ := parts(c)
		if !slices.Contains(cases, c.Name) {
			whole[scenario] = false
		} else if _, known := whole[scenario]; !known {
			whole[scenario] = true
		}
	}
	var list []string
	for _, c := range p.Report.Cases {
		scenario, _, _ := parts(c)
		switch {
		case !slices.Contains(cases, c.Name):
		case whole[scenario]:
			list = add(list, scenario)
		default:
			list = add(list, c.Name)
		}
	}
	return list
}
