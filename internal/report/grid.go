package report

import (
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/checkers"
)

// grid is the matrix of verdicts: scenarios down, operations across. The cases
// of a swept scenario stand together in one cell.
type grid struct {
	rows, columns []string
	cells         map[[2]string][]checkers.Case
	alone         []checkers.Case // cases of no operation: user rules
}

func newGrid(cases []checkers.Case) grid {
	g := grid{cells: map[[2]string][]checkers.Case{}}
	for _, c := range cases {
		scenario, operation, _ := parts(c)
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
		at := [2]string{scenario, operation}
		g.cells[at] = append(g.cells[at], c)
	}
	return g
}

// worst is the worst state in a row.
func (r Run) worst(g grid, row string) state {
	var all []checkers.Case
	for _, o := range g.columns {
		all = append(all, g.cells[[2]string{row, o}]...)
	}
	_, worst := r.word(all)
	return worst
}

// word is what a cell says, and the state that it says it of: the worst of its
// cases. "pass 12/12" counts the rounds of one case, "pass 3/3" the cases of a sweep.
func (r Run) word(cases []checkers.Case) (string, state) {
	if len(cases) == 0 {
		return "·", ""
	}
	worst, n := leftOut, map[state]int{}
	for _, c := range cases {
		s := r.state(c)
		n[s]++
		if slices.Index(worse, s) < slices.Index(worse, worst) {
			worst = s
		}
	}
	switch c := cases[0]; {
	case len(cases) > 1 && worst != leftOut:
		return fmt.Sprintf("%s %d/%d", worst, n[worst], len(cases)), worst
	case worst == passing && c.Asked > 1:
		return fmt.Sprintf("pass %d/%d", c.Fired, c.Asked), worst
	}
	return string(worst), worst
}

// worse are the states, the worst first.
var worse = []state{failing, undecided, tolerated, passing, leftOut}
