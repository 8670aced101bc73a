package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const fullNotes = 6 // notes shown

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
		p.say("noted "+names(n.cases)+": ", "  ", strings.Join(n.lines, "\n"))
	}
}

// noted are the notes of the run; cases with notes of the same shape share one.
func (r Run) noted() (all []note) {
	place := map[string]int{}
	for _, c := range r.Report.Cases {
		n, shape := r.note(c)
		if len(n.lines) == 0 {
			continue
		}
		if i, ok := place[shape]; ok {
			all[i].cases = append(all[i].cases, c.Name)
			continue
		}
		place[shape] = len(all)
		all = append(all, n)
	}
	return all
}

func (r Run) note(c checkers.Case) (n note, shape string) {
	lines := r.once(remarks(c))
	for _, line := range lines {
		shape += r.shape(line) + "\n"
	}
	return note{[]string{c.Name}, lines}, shape
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
