package report

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/scenarios"
)

// mapView is one window map on the page.
type mapView struct {
	ID, Operation, Class, Sign, Sums string
	Facts                            []fact
	Groups                           []mapHeadGroup
	Heads                            []mapHeadView
	Rows                             []mapRow
	Legend                           []legendView
	Reasons, Open                    []windowsView
	Others                           []windowView // those of which no failure tells
	Missing                          []string     // those that the run ended before
	Untold                           string
}

type mapHeadGroup struct {
	Name string
	Span int
}

type mapHeadView struct {
	Name, Doc string
	First     bool // of its group
}

type mapRow struct {
	Number    int
	Link      string
	Step      []string // in parts between which a line may break
	Sometimes bool
	Cells     []matrixCell
}

// mapViews are the maps of the run.
func (p *page) mapViews() (views []mapView) {
	drawn := 0
	for i, c := range p.charts() {
		v := p.mapView(fmt.Sprintf("map-%d", i+1), c)
		for _, w := range c.Windows {
			at := c.cell(w)
			if !at.run || p.windowLink(v.ID, at) != windowAnchor(v.ID, w) {
				continue
			}
			drawn++
			v.Others = append(v.Others, p.windowView(v.ID, c, at, drawn <= htmlWindows))
		}
		views = append(views, v)
	}
	return views
}

// mapView is a map but for the windows of which no failure tells.
func (p *page) mapView(id string, c chart) mapView {
	n, shown := c.sums(), c.columns()
	v := mapView{ID: id, Operation: clean(c.Operation), Class: string(n.verdict()), Sign: signs[stateOf(n.verdict())],
		Sums: n.String(), Facts: c.facts(), Legend: c.legendViews(), Untold: untold}
	v.heads(shown)
	for i, m := range c.Moments {
		v.row(p, c, i, m, shown)
	}
	for _, g := range c.groups(failing, tolerated) {
		v.Reasons = append(v.Reasons, p.windowsView(id, c, g, "fail"))
	}
	for _, g := range c.groups(undecided) {
		g.reason = strings.ReplaceAll(g.reason, "\n", " ")
		v.Open = append(v.Open, p.windowsView(id, c, g, "inconclusive"))
	}
	for _, g := range c.groups(leftOut) {
		v.Missing = append(v.Missing, g.names()+" · "+clean(g.reason))
	}
	return v
}

func (c chart) facts() []fact {
	all := []fact{{"Worker", "none: nothing is killed"}, {"Links", clean(strings.Join(c.Links, ", "))}, {"Coverage", c.coverage()}}
	if c.Worker != "" {
		all[0].Value = clean(c.Worker)
	}
	if len(c.Links) == 0 {
		all[1].Value = "none"
	}
	if len(c.Idle) > 0 {
		all = append(all, fact{"Left out: they come while nothing is sent, too", clean(strings.Join(c.Idle, ", "))})
	}
	return all
}

func (v *mapView) heads(shown []int) {
	for i, column := range shown {
		group, head := mapHeads[column][0], mapHeads[column][1]
		first := i == 0 || v.Groups[len(v.Groups)-1].Name != group
		if first {
			v.Groups = append(v.Groups, mapHeadGroup{Name: group})
		}
		v.Groups[len(v.Groups)-1].Span++
		v.Heads = append(v.Heads, mapHeadView{head, scenarios.Columns[column].Doc, first})
	}
}

func (v *mapView) row(p *page, c chart, n int, m scenarios.Moment, shown []int) {
	r := mapRow{Number: n + 1, Sometimes: m.Sometimes}
	link, step := splitMoment(m)
	r.Link, r.Step = link, strings.SplitAfter(step, "_")
	cells := c.cells(n)
	for _, column := range shown {
		at := cells[column]
		label := fmt.Sprintf("%d %s, %s: %s", n+1, clean(m.Name), mapColumns[column], at.spoken())
		cell := matrixCell{Class: at.state.class(), Sign: signs[at.state], Word: at.word, Label: label, Link: p.windowLink(v.ID, at)}
		if cell.Sign == cell.Word {
			cell.Sign = ""
		}
		if at.equal {
			cell.Class, cell.Word = cell.Class+" equal", strings.TrimPrefix(at.word, "= ")
			cell.Sign, cell.Link = "=", p.windowLink(v.ID, c.cell(c.Windows[at.window.Equal-1]))
		}
		r.Cells = append(r.Cells, cell)
	}
	v.Rows = append(v.Rows, r)
}

// spoken is a cell for those who hear it.
func (c cell) spoken() string {
	switch {
	case c.equal:
		return "equal to a neighbour, " + strings.TrimPrefix(c.word, "= ")
	case c.word == noWindow:
		return "no such window"
	case c.word == notRun:
		return "not run"
	case c.word == "?":
		return "not known"
	}
	return c.word
}
