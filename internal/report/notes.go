package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

const fullNotes = 6 // notes shown

// note is what was seen in some cases and is judged by no rule. Lines that
// differ in nothing but ids and keys are one, with their number.
type note struct {
	cases []string
	lines []string
	times []int // of each line
}

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
		p.say("noted "+names(n.cases)+": ", "  ", strings.Join(n.said(), "\n"))
	}
}

// said are the lines of a note, each with how many more there were in one case.
func (n note) said() (lines []string) {
	for i, line := range n.lines {
		if n.times[i] > 1 {
			line += fmt.Sprintf(" (And %d more like it.)", n.times[i]-1)
		}
		lines = append(lines, line)
	}
	return lines
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
	n.cases = []string{c.Name}
	var shapes []string
	for _, line := range remarks(c) {
		s := r.shape(line)
		if i := slices.Index(shapes, s); i >= 0 {
			n.times[i]++
			continue
		}
		shapes, n.lines, n.times = append(shapes, s), append(n.lines, line), append(n.times, 1)
	}
	return n, strings.Join(shapes, "\n")
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
