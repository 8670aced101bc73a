package report

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
)

const (
	windowTries = 3                                                  // tries of a window whose timelines are drawn
	htmlWindows = 250                                                // windows of all maps whose timelines are drawn
	untold      = "Too many windows were tried to draw all of them." // of the others
)

// windowsView are windows that share a reason.
type windowsView struct {
	Class, Reason, Again string
	Windows              []fact // name and link
}

// windowView is what happened in one window.
type windowView struct {
	ID, Name, Class, Sign, Word string
	Says, Again                 string
	Timelines                   []timelineView
}

func windowAnchor(id string, w scenarios.Window) string {
	return "#" + id + "-" + strings.ReplaceAll(windowName(w), " ", "-")
}

// windowLink is where the page tells what happened in a window: the failure,
// else the window itself; "" where it was not run.
func (p *page) windowLink(id string, at cell) string {
	if !at.run || at.state == leftOut {
		return ""
	}
	for _, known := range p.Report.Cases {
		if known.Name == at.window.Case && at.state == failing && p.number(known) <= htmlCases {
			return p.link(known, failing)
		}
	}
	return windowAnchor(id, at.window)
}

func (p *page) windowsView(id string, c chart, g mapGroup, class string) windowsView {
	v := windowsView{Class: class, Reason: clean(g.reason), Again: clean(c.again(g.windows[0]))}
	for _, w := range g.windows {
		v.Windows = append(v.Windows, fact{windowName(w), p.windowLink(id, c.cell(w))})
	}
	return v
}

func (p *page) windowView(id string, c chart, at cell, draws bool) windowView {
	w := at.window
	v := windowView{
		ID: windowAnchor(id, w)[1:], Class: at.state.class(), Sign: signs[at.state], Word: at.word,
		Name: windowName(w) + " · " + clean(c.Moments[w.Moment].Name), Says: clean(at.sentence), Again: clean(c.again(w)),
	}
	if !draws {
		return v
	}
	ops := p.operations.byCase[w.Case]
	for i, op := range ops[:min(windowTries, len(ops))] {
		rows := history.Rows(op, nil)
		name := clean(op.ID)
		v.Timelines = append(v.Timelines, timelineView{name, draw(fmt.Sprintf("%s-t%d", v.ID, i+1), "Timeline of "+name, rows), rows})
	}
	return v
}
