package report

import (
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// matrix is the table of verdicts: scenarios down, operations across.
type matrix struct {
	Columns []string
	Rows    []matrixRow
	Alone   []matrixRow // user rules
	Roomy   bool        // there is room for what each scenario is
	Looks   string      // "5 of 44": rows that need a look; "" where hiding the others would change nothing
	Long    bool        // so many rows that only those are shown at first
}

const roomyColumns = 4

type matrixRow struct {
	Name, Title string
	Calm        bool // nothing in it needs a look
	Cells       []matrixCell
}

type matrixCell struct {
	Class, Sign, Word string
	Link              string // to what is said of it
	Label             string // for those who hear it: "lost-answer on charge: FAIL"
}

func (p *page) matrix() matrix {
	g := newGrid(p.beside())
	m := matrix{Columns: cleaned(g.columns)}
	for _, row := range g.rows {
		r := matrixRow{Name: clean(row), Calm: true}
		if plan, ok := scenarios.Lookup(row); ok {
			r.Title = plan.Title
		}
		for _, o := range g.columns {
			r.add(p, g.cells[[2]string{row, o}], row+" on "+o)
		}
		m.Rows = append(m.Rows, r)
	}
	for _, c := range g.alone {
		r := matrixRow{Name: clean(c.Name), Calm: true}
		r.add(p, []checkers.Case{c}, c.Name)
		m.Alone = append(m.Alone, r)
	}
	m.Roomy = len(m.Columns) <= roomyColumns
	looks, rows := 0, append(m.Rows, m.Alone...)
	for _, r := range rows {
		if !r.Calm {
			looks++
		}
	}
	if looks > 0 && looks < len(rows) {
		m.Looks = fmt.Sprintf("%d of %d", looks, len(rows))
		m.Long = len(rows) > longTable
	}
	return m
}

// add appends a cell; it leads to the first of its cases that is as bad as it is.
func (r *matrixRow) add(p *page, cases []checkers.Case, label string) {
	word, s := p.word(cases)
	c := matrixCell{Class: s.class(), Sign: signs[s], Word: word, Label: clean(label + ": " + word)}
	r.Calm = r.Calm && (s == passing || s == leftOut || s == "")
	i := slices.IndexFunc(cases, func(c checkers.Case) bool { return p.state(c) == s })
	if i >= 0 {
		c.Link = p.link(cases[i], s)
	}
	r.Cells = append(r.Cells, c)
}

// link is where the page speaks of a case, "" where it says no more than its verdict.
func (p *page) link(c checkers.Case, s state) string {
	switch s {
	case failing:
		if n := p.number(c); n <= htmlCases {
			return "#" + anchor(n)
		}
		return "#more"
	case undecided:
		return "#unjudged"
	case tolerated:
		return "#accepted"
	case leftOut:
		return "#skipped"
	}
	return ""
}

// number counts the failed cases up to one, from 1.
func (p *page) number(c checkers.Case) int {
	n := 0
	for _, o := range p.Report.Cases {
		if p.state(o) == failing {
			n++
		}
		if o.Name == c.Name {
			break
		}
	}
	return n
}
