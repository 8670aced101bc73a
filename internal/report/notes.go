package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const (
	fullNotes = 6 // notes shown
	fullLines = 3 // lines of one
)

// note is what was seen in some cases and is judged by no rule.
type note struct{ cases, lines []string }

// notes prints what was seen and is judged by no rule.
func (p *page) notes() {
	all := p.noted()
	if len(all) > 0 {
		p.gap()
	}
	for i, n := range all {
		if i == fullNotes {
			p.say("", "", fmt.Sprintf("noted besides: %s, shown in %s", plural(len(all)-i, "thing"), HTMLFile))
			break
		}
		lines := n.lines
		if more := len(lines) - fullLines; more > 0 {
			lines = append(lines[:fullLines:fullLines], fmt.Sprintf("and %d more lines.", more))
		}
		p.say("noted "+names(n.cases)+": ", "  ", strings.Join(lines, "\n"))
	}
}

// noted are the notes of the run: one of all cases of a sweep, and one of cases
// whose notes have the same shape.
func (r Run) noted() (all []note) {
	place := map[string]int{}
	for _, n := range r.sweeps() {
		shape := r.shape(strings.Join(n.lines, "\n"))
		if i, seen := place[shape]; seen {
			all[i].cases = append(all[i].cases, n.cases...)
			continue
		}
		place[shape] = len(all)
		all = append(all, n)
	}
	return all
}

// sweeps are the notes of each scenario on each operation.
func (r Run) sweeps() (all []note) {
	place := map[string]int{}
	for _, c := range r.Report.Cases {
		lines := remarks(c)
		if len(lines) == 0 {
			continue
		}
		scenario, operation, _ := parts(c)
		name := strings.TrimSuffix(scenario+"/"+operation, "/")
		if i, seen := place[name]; seen {
			all[i].cases = []string{name}
			all[i].lines = append(all[i].lines, lines...)
			continue
		}
		place[name] = len(all)
		all = append(all, note{[]string{c.Name}, lines})
	}
	for i := range all {
		all[i].lines = r.once(all[i].lines)
	}
	return all
}

// once makes one of lines that differ in nothing but ids and keys, with how many
// more there are.
func (r Run) once(lines []string) (first []string) {
	place, more := map[string]int{}, []int{}
	for _, line := range lines {
		s := r.shape(line)
		if i, ok := place[s]; ok {
			more[i]++
			continue
		}
		place[s] = len(first)
		first, more = append(first, line), append(more, 0)
	}
	for i, n := range more {
		if n > 0 {
			first[i] += fmt.Sprintf(" (And %d more like it.)", n)
		}
	}
	return first
}

// remarks are the notes of a case.
func remarks(c checkers.Case) []string {
	list := slices.Clone(c.Notes)
	for _, v := range with(c, checkers.Note) {
		list = add(list, v.Reason)
	}
	return list
}

var madeKey = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// shape is a line without the ids and keys that the run made.
func (r Run) shape(line string) string {
	line = madeKey.ReplaceAllString(line, "KEY")
	run := r.History.Header.Run + "-"
	before, rest, found := strings.Cut(line, run)
	for found && run != "-" {
		before += "ID"
		var next string
		next, rest, found = strings.Cut(strings.TrimLeft(rest, "0123456789"), run)
		before += next
	}
	return before
}
