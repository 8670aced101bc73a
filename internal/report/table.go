package report

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const (
	labelWidth  = 22 // of the first column, at least
	cellWidth   = 15 // of the others
	longestName = 50 // columns of a name; longer ones are cut
	longTable   = 24 // rows; a longer table shows what is not as it should be, the others by their names
)

// table prints the grid, in several tables if there are too many operations
// for one line; user rules follow as rows of their own.
func (p *page) table() {
	g := newGrid(p.beside())
	var passed []string
	if len(g.rows) > longTable {
		passed = p.shorten(&g)
	}
	label := labelWidth
	for _, row := range g.rows {
		label = max(label, width(name(row))+3)
	}
	for _, c := range g.alone {
		label = max(label, width(name(c.Name))+3)
	}
	for rest := g.columns; len(rest) > 0 && len(g.rows) > 0; {
		n := p.fitting(g, rest, label)
		p.gap()
		p.part(g, rest[:n], label)
		rest = rest[n:]
	}
	if len(passed) > 0 {
		p.gap()
		lead := fmt.Sprintf("  pass (%d): ", len(passed))
		p.print(checkers.Pass, lead, wrap(lead, "    ", strings.Join(passed, ", "))...)
	}
	if len(g.alone) > 0 {
		p.gap()
	}
	for _, c := range g.alone {
		word, state := p.word([]checkers.Case{c})
		fmt.Fprintf(p, "  %s%s\n", pad(name(c.Name), label), p.paint(state.verdict(), word))
	}
}

// shorten takes the rows out of a table that need no look: those that were
// skipped, of which the end of the text speaks, and those that passed, which it returns.
func (p *page) shorten(g *grid) (passed []string) {
	var rows []string
	for _, row := range g.rows {
		switch p.worst(*g, row) {
		case passing:
			passed = append(passed, row)
		case leftOut:
		default:
			rows = append(rows, row)
		}
	}
	g.rows = rows
	return passed
}

// fitting is how many of the operations fit on one line, at least one.
func (p *page) fitting(g grid, operations []string, label int) int {
	used := 2 + label
	for i, o := range operations {
		used += p.column(g, o)
		if used > columns && i > 0 {
			return i
		}
	}
	return len(operations)
}

// column is the width of one operation's.
func (p *page) column(g grid, operation string) int {
	w := max(cellWidth, width(name(operation))+3)
	for _, row := range g.rows {
		word, _ := p.word(g.cells[[2]string{row, operation}])
		w = max(w, width(word)+3)
	}
	return w
}

// part prints the columns of some operations, and the rows that have a case in them.
func (p *page) part(g grid, operations []string, label int) {
	line := "  " + pad("scenario", label)
	for _, o := range operations {
		line += pad(name(o), p.column(g, o))
	}
	fmt.Fprintln(p, strings.TrimRight(line, " "))
	for _, row := range g.rows {
		line, gap, some := "  "+pad(name(row), label), 0, false
		for _, o := range operations {
			word, state := p.word(g.cells[[2]string{row, o}])
			some = some || state != ""
			line += strings.Repeat(" ", gap) + p.paint(state.verdict(), word)
			gap = p.column(g, o) - width(word)
		}
		if some {
			fmt.Fprintln(p, line)
		}
	}
}

// name makes a name from a file fit for a table.
func name(s string) string { return fit(clean(s), longestName) }
