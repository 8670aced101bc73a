package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const (
	labelWidth  = 22 // of the first column, at least
	cellWidth   = 15 // of the others
	longestName = 50 // columns of a name; longer ones are cut
)

// grid is the table of verdicts: scenarios down, operations across.
type grid struct {
	rows, columns []string
	cells         map[[2]string]checkers.Case
	alone         []checkers.Case // cases of no operation: user rules
}

func newGrid(cases []checkers.Case) grid {
	g := grid{cells: map[[2]string]checkers.Case{}}
	for _, c := range cases {
		scenario, operation := place(c)
		if operation == "" {
			g.alone = append(g.alone, c)
			continue
		}
		if !slices.Contains(g.rows, scenario) {
			g.rows = append(g.rows, scenario)
		}
		if !slices.Contains(g.columns, operation) {
			g.columns = append(g.columns, operation)
		}
		g.cells[[2]string{scenario, operation}] = c
	}
	return g
}

// table prints the grid, in several tables if there are too many operations
// for one line; user rules follow as rows of their own.
func (p *page) table() {
	g := newGrid(p.Report.Cases)
	label := labelWidth
	for _, row := range g.rows {
		label = max(label, width(name(row))+3)
	}
	for _, c := range g.alone {
		label = max(label, width(name(c.Name))+3)
	}
	for rest := g.columns; len(rest) > 0; {
		n := p.fitting(g, rest, label)
		p.gap()
		p.part(g, rest[:n], label)
		rest = rest[n:]
	}
	if len(g.alone) > 0 {
		p.gap()
	}
	for _, c := range g.alone {
		fmt.Fprintf(p, "  %s%s\n", pad(name(c.Name), label), p.paint(c.Verdict, cell(c)))
	}
}

// fitting is how many of the operations fit on one line, at least one.
func (p *page) fitting(g grid, operations []string, label int) int {
	used := 2 + label
	for i, o := range operations {
		used += g.width(o)
		if used > columns && i > 0 {
			return i
		}
	}
	return len(operations)
}

// width is that of one operation's column.
func (g grid) width(operation string) int {
	w := max(cellWidth, width(name(operation))+3)
	for _, row := range g.rows {
		if c, ok := g.cells[[2]string{row, operation}]; ok {
			w = max(w, width(cell(c))+3)
		}
	}
	return w
}

// part prints the columns of some operations.
func (p *page) part(g grid, operations []string, label int) {
	line := "  " + pad("scenario", label)
	for _, o := range operations {
		line += pad(name(o), g.width(o))
	}
	fmt.Fprintln(p, strings.TrimRight(line, " "))
	for _, row := range g.rows {
		line := "  " + pad(name(row), label)
		gap := 0
		for _, o := range operations {
			word, verdict := "·", checkers.Verdict("")
			if c, ok := g.cells[[2]string{row, o}]; ok {
				word, verdict = cell(c), c.Verdict
			}
			line += strings.Repeat(" ", gap) + p.paint(verdict, word)
			gap = g.width(o) - width(word)
		}
		fmt.Fprintln(p, line)
	}
}

// cell is the word for one case.
func cell(c checkers.Case) string {
	switch {
	case c.Skipped != "":
		return "skipped"
	case c.Verdict == checkers.Fail:
		return "FAIL"
	case c.Verdict != checkers.Pass:
		return "inconclusive"
	case c.Asked > 1:
		return fmt.Sprintf("pass %d/%d", c.Fired, c.Asked)
	}
	return "pass"
}

// name makes a name from a file fit for a table.
func name(s string) string { return fit(clean(s), longestName) }
