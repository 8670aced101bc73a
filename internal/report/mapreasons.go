package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// namedWindows is how many windows of one reason are named.
const namedWindows = 12

// mapGroup are windows that failed, or could not be judged, for the same reason.
type mapGroup struct {
	windows []scenarios.Window
	reason  string // of the first
}

// names are the windows of a group: "3 cut, 3 lose reply".
func (g mapGroup) names() string {
	var names []string
	for _, w := range g.windows[:min(namedWindows, len(g.windows))] {
		names = append(names, windowName(w))
	}
	if more := len(g.windows) - namedWindows; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

var number = regexp.MustCompile(`\d+(\.\d+)?`)

// groups gathers the windows of some states by what they have in common.
func (c chart) groups(states ...state) (all []mapGroup) {
	place := map[string]int{}
	for _, w := range c.Windows {
		at := c.cell(w)
		if !at.run || !slices.Contains(states, at.state) {
			continue
		}
		alike := number.ReplaceAllString(c.run.shape(at.sentence), "N")
		if known, ok := c.cases[w.Case]; ok && at.state == failing {
			alike = w.Word + "\n" + c.run.kind(known)
		}
		i, ok := place[alike]
		if !ok {
			i = len(all)
			place[alike] = i
			all = append(all, mapGroup{reason: at.sentence})
		}
		all[i].windows = append(all[i].windows, w)
	}
	return all
}

// mapReasons prints why windows failed.
func (p *page) mapReasons(c chart) {
	for _, g := range c.groups(failing, tolerated) {
		p.say("  ", "    ", g.names()+" · "+g.reason)
	}
}

// mapOpen prints the windows of which nothing is known, with the line that runs
// one again, and those that the run ended before.
func (p *page) mapOpen(c chart) {
	for _, g := range c.groups(undecided) {
		p.say("  ? ", "    ", g.names()+" · "+strings.ReplaceAll(g.reason, "\n", " "))
		if line := c.again(g.windows[0]); line != "" {
			p.print("", "", "    run again: "+clean(line))
		}
	}
	for _, g := range c.groups(leftOut) {
		if c.deathless(g.windows[0]) {
			continue // the legend says it
		}
		p.say("  "+notRun+" ", "    ", g.names()+" · "+g.reason)
	}
}

// again is the command line that runs a window again, "" where none does. One
// that could not be judged is worth several tries.
func (c chart) again(w scenarios.Window) string {
	if c.run.Dir == "" {
		return ""
	}
	line := "idemcheck map " + quote(c.Operation) + " --only " + quote(windowName(w))
	if c.state(w) == undecided {
		line += " --times 5"
	}
	if c.run.File != "" && c.run.File != "idemcheck.yaml" {
		line += " --file " + quote(c.run.File)
	}
	return line
}

// moment is the name of the moment of a case that is a window: "card POST /v1/charges".
func (r Run) moment(c checkers.Case) string {
	m, w, ok := r.window(c.Name)
	if !ok || w.Moment < 0 || w.Moment >= len(m.Moments) {
		return ""
	}
	return middle(clean(m.Moments[w.Moment].Name), longestName)
}

// label is the name of a case, of a window with its moment.
func (r Run) label(c checkers.Case) string {
	if moment := r.moment(c); moment != "" {
		return clean(c.Name) + " (" + moment + ")"
	}
	return clean(c.Name)
}
