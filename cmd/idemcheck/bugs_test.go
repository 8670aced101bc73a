package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/scenarios"
)

// bug is a row of docs/bugs.md. Lists are parallel or have one element.
type bug struct {
	report, text              string
	defects, scenarios, rules []string
}

func bugs(t *testing.T) (rows []bug) {
	t.Helper()
	b, err := os.ReadFile("../../docs/bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(b), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if !strings.HasPrefix(line, "| ") || len(cells) < 4 || strings.HasPrefix(line, "| report |") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		row := bug{report: cells[0], text: line}
		if !strings.Contains(line, "| later: ") {
			n := len(cells)
			row.defects, row.scenarios, row.rules = list(cells[n-3]), list(cells[n-2]), list(cells[n-1])
		}
		rows = append(rows, row)
	}
	return rows
}

func list(cell string) []string { return strings.Split(cell, ", ") }

// TestBugs keeps docs/bugs.md true, as far as names go.
func TestBugs(t *testing.T) {
	rows := bugs(t)
	numbers := map[string]int{}
	for _, row := range rows {
		numbers[row.report]++
		for _, name := range row.defects {
			d, known := defectNamed(name)
			if !known {
				t.Errorf("%s: there is no defect %q", row.report, name)
			} else if !slices.Contains(row.rules, d.Rule) {
				t.Errorf("%s: %s breaks %s, not one of %q", row.report, name, d.Rule, row.rules)
			}
		}
		for _, name := range row.scenarios {
			if _, known := scenarios.Lookup(name); !known && name != "rule" && !turnsRed(row, name) {
				t.Errorf("%s: there is no scenario or red cell %q", row.report, name)
			}
		}
		for _, name := range row.rules {
			if _, known := checkers.Lookup(name); !known && !strings.Contains(demoRules+demoTotals, "{name: "+name+",") {
				t.Errorf("%s: there is no rule %q", row.report, name)
			}
		}
	}
	for n := 1; n <= 34; n++ {
		if o := fmt.Sprintf("O-%02d", n); numbers[o] != 1 {
			t.Errorf("%s stands there %d times, want once", o, numbers[o])
		}
	}
}

// everyDefect are those that requests find, and those that windows show.
func everyDefect() []payments.Defect { return slices.Concat(payments.Defects, payments.Windows) }

func defectNamed(name string) (payments.Defect, bool) {
	all := everyDefect()
	i := slices.IndexFunc(all, func(d payments.Defect) bool { return d.Name == name })
	if i < 0 {
		return payments.Defect{}, false
	}
	return all[i], true
}

// turnsRed reports whether a defect of the row has the cell "map: MOMENT/COLUMN".
// TestMapMatrix draws the maps.
func turnsRed(row bug, cell string) bool {
	for _, name := range row.defects {
		d, _ := defectNamed(name)
		for _, c := range d.Cells {
			if cell == "map: "+c.Moment+"/"+c.Column {
				return true
			}
		}
	}
	return false
}

// What windows show is shown by a cell, or by a scenario that
// TestEveryScenarioBeside runs on it.
func TestWindowsInTheTable(t *testing.T) {
	for _, row := range bugs(t) {
		for i, name := range row.defects {
			if !slices.ContainsFunc(payments.Windows, func(d payments.Defect) bool { return d.Name == name }) {
				continue
			}
			by := row.scenarios[min(i, len(row.scenarios)-1)]
			runs := slices.ContainsFunc(beside, func(s showing) bool { return s.scenario == by && s.defect == name })
			if !runs && !turnsRed(row, by) {
				t.Errorf("%s: nothing shows %s by %q", row.report, name, by)
			}
		}
	}
}

var numbered = regexp.MustCompile(`^O-\d\d$`)

// Each defect has a row with the report that it names.
func TestDefectsAreInTheTable(t *testing.T) {
	rows := bugs(t)
	for _, d := range everyDefect() {
		report, rest, _ := strings.Cut(d.Bug, ": ")
		i := slices.IndexFunc(rows, func(row bug) bool {
			named := strings.Contains(row.text, d.Bug)
			if numbered.MatchString(d.Bug) || report == "typical" && rest != "" {
				named = row.report == report
			}
			return named && slices.Contains(row.defects, d.Name)
		})
		if i < 0 {
			t.Errorf("docs/bugs.md has no row for %s (%s)", d.Name, d.Bug)
		}
	}
}

// shownBy are the scenarios that the table names for a defect.
func shownBy(rows []bug, defect string) (names []string) {
	for _, row := range rows {
		if slices.Contains(row.defects, defect) {
			names = append(names, row.scenarios...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
