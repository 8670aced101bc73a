package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// mapColumns are the names of the columns of a map, in their order.
var mapColumns = func() (names []string) {
	for _, c := range scenarios.Columns {
		names = append(names, c.Name)
	}
	return names
}()

// columnOf is the column of a window; the zero one if a file named another.
func columnOf(w scenarios.Window) scenarios.Column {
	if i := slices.Index(mapColumns, w.Column); i >= 0 {
		return scenarios.Columns[i]
	}
	return scenarios.Column{}
}

// chart is one map with the cases that its windows are.
type chart struct {
	scenarios.Map
	run   Run
	cases map[string]checkers.Case
}

// charts are the maps of the run.
func (r Run) charts() []chart {
	cases := map[string]checkers.Case{}
	for _, c := range r.Report.Cases {
		cases[c.Name] = c
	}
	var all []chart
	for _, m := range r.Maps {
		all = append(all, chart{m, r, cases})
	}
	return all
}

// window finds the map and the window that a case is, and its moment.
func (r Run) window(name string) (m scenarios.Map, w scenarios.Window, ok bool) {
	for _, m := range r.Maps {
		for _, w := range m.Windows {
			if w.Case == name && name != "" {
				return m, w, true
			}
		}
	}
	return m, w, false
}

// untold are the cases that no map shows.
func (r Run) untold(cases []checkers.Case) []checkers.Case {
	inMap := func(c checkers.Case) bool { _, _, ok := r.window(c.Name); return ok }
	return slices.DeleteFunc(slices.Clone(cases), inMap)
}

// beside are the cases that the table of scenarios shows: those that no map
// shows, but for its clean runs, which passed.
func (r Run) beside() []checkers.Case {
	mapped := func(c checkers.Case) bool {
		return slices.ContainsFunc(r.Maps, func(m scenarios.Map) bool { return c.Scenario == "map" && c.Operation == m.Operation })
	}
	return slices.DeleteFunc(r.untold(r.Report.Cases), func(c checkers.Case) bool { return mapped(c) && r.state(c) == passing })
}

// windowName is a window as --only takes it: "2 lose reply".
func windowName(w scenarios.Window) string { return fmt.Sprintf("%d %s", w.Moment+1, w.Column) }

// cell is what the map shows of a window.
type cell struct {
	window   scenarios.Window
	word     string // "pass, waited", "= TWICE", "-", "·"
	state    state  // "" where nothing was run
	equal    bool   // what is shown is another window's
	run      bool   // it was run itself
	sentence string // of what failed or could not be judged
}

const (
	noWindow = "–" // a point of code asks for nothing that could be lost
	notRun   = "·"
)

// cells are the cells of one moment, in the order of the columns.
func (c chart) cells(moment int) []cell {
	row := make([]cell, len(mapColumns))
	for i, column := range mapColumns {
		row[i] = cell{window: scenarios.Window{Moment: moment, Column: column}, word: notRun}
	}
	for _, w := range c.Windows {
		if i := slices.Index(mapColumns, w.Column); w.Moment == moment && i >= 0 {
			row[i] = c.cell(w)
		}
	}
	return row
}

// cell judges a window by its case; one that equals another by that one's.
func (c chart) cell(w scenarios.Window) cell {
	switch {
	case w.None:
		return cell{window: w, word: noWindow}
	case w.Case == "":
		if other, ok := c.equal(w); ok {
			plain, _, _ := strings.Cut(other.word, ",")
			return cell{window: w, word: "= " + plain, state: other.state, equal: true}
		}
		return cell{window: w, word: notRun}
	}
	s := c.state(w)
	return cell{window: w, word: word(w, s), state: s, run: true, sentence: c.sentence(w)}
}

// equal is what was run in the place of a window.
func (c chart) equal(w scenarios.Window) (other cell, ok bool) {
	if w.Equal < 1 || w.Equal > len(c.Windows) || c.Windows[w.Equal-1].Case == "" {
		return other, false
	}
	other = c.cell(c.Windows[w.Equal-1])
	return other, other.state != leftOut
}

// word is what people read of a window that was run: the map's own word, unless
// it was judged again with another result.
func word(w scenarios.Window, s state) string {
	text := clean(w.Word)
	if text == "" || s != stateOf(w.Verdict) && !(s == tolerated && w.Verdict == checkers.Fail) {
		text = map[state]string{passing: "pass", failing: "FAIL", tolerated: "FAIL", undecided: "?", leftOut: notRun}[s]
	}
	if s == leftOut {
		return text
	}
	for _, more := range []string{w.Note, map[state]string{tolerated: "accepted"}[s]} {
		if more != "" {
			text += ", " + clean(more)
		}
	}
	return text
}

// state of a window is that of its case, and without one what the map says.
func (c chart) state(w scenarios.Window) state {
	if known, ok := c.cases[w.Case]; ok {
		return c.run.state(known)
	}
	return stateOf(w.Verdict)
}

func stateOf(v checkers.Verdict) state {
	switch v {
	case checkers.Pass:
		return passing
	case checkers.Fail:
		return failing
	}
	return undecided
}

// sentence is why a window failed, with the likely cause, could not be judged, or was not run.
func (c chart) sentence(w scenarios.Window) string {
	known, ok := c.cases[w.Case]
	if !ok {
		return w.Reason
	}
	switch c.run.state(known) {
	case failing, tolerated:
		worst := shownOf(failed(known), w)
		if worst.Cause != "" {
			return worst.Reason + " Likely cause: " + worst.Cause
		}
		return worst.Reason
	case undecided:
		if w.Verdict == checkers.Inconclusive && w.Reason != "" {
			return w.Reason
		}
		return c.run.unjudged(known)
	case leftOut:
		return known.Skipped
	}
	return ""
}

// shownOf is the violation that gave a window its word, else the first.
func shownOf(vs []checkers.Violation, w scenarios.Window) checkers.Violation {
	for _, v := range vs {
		if v.Reason != "" && strings.HasPrefix(w.Reason, v.Reason) {
			return v
		}
	}
	return vs[0]
}

// columns are those that say something: without a worker nothing can be killed.
func (c chart) columns() []int {
	var shown []int
	for i, column := range scenarios.Columns {
		tried := slices.ContainsFunc(c.Windows, func(w scenarios.Window) bool { return w.Column == column.Name && (w.Case != "" || w.Equal > 0) })
		if !column.Kills || c.Worker != "" || tried {
			shown = append(shown, i)
		}
	}
	return shown
}

// splitMoment takes the name of a moment apart: its link, and what is done there.
func splitMoment(m scenarios.Moment) (link, step string) {
	if m.Point {
		return "point", clean(m.Name)
	}
	link, step, _ = strings.Cut(clean(m.Name), " ")
	return link, step
}
