package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/scenarios"
)

// mapHeads are the two lines above the columns: what neighbours have in common,
// and their own words.
var mapHeads = [][2]string{
	{"not delivered", "cut"}, {"not delivered", "kill before"},
	{"delivered", "lose reply"}, {"delivered", "kill after"},
	{"held while", "a repeat runs"},
}

const (
	leastMoment = 12 // columns that the name of a step gets at least
	roomyMoment = 24 // and that it gets before notes have a place in the table
)

// maps prints each map: the table, what failed, and what could not be tried.
func (p *page) maps() {
	for _, c := range p.charts() {
		p.gap()
		p.say("", "  ", c.about())
		p.gap()
		p.mapTable(c)
		p.mapLegend(c)
		p.gap()
		n := c.sums()
		word := strings.ToUpper(string(n.verdict()))
		p.print(n.verdict(), word, wrap(word+"  ", "  ", n.String())...)
		p.mapReasons(c)
		p.mapOpen(c)
	}
}

// mapTable prints the cells. Where the line would be too long, names of moments
// lose their middle.
func (p *page) mapTable(c chart) {
	if len(c.Moments) == 0 {
		return
	}
	shown := c.columns()
	text := func(at cell) string { return at.word }
	widths, links, steps := c.widths(shown, text)
	if left(links, widths) < min(steps, roomyMoment) {
		text = plainWord
		widths, links, steps = c.widths(shown, text)
		defer p.mapNotes(c)
	}
	steps = min(steps, max(leastMoment, left(links, widths)))
	heads := "     " + pad("moment", links+1+steps)
	groups := pad("", width(heads))
	for i, column := range shown {
		if i == 0 || mapHeads[shown[i-1]][0] != mapHeads[column][0] {
			groups = pad(groups, width(heads)) + "   " + mapHeads[column][0]
		}
		heads += "   " + pad(mapHeads[column][1], widths[i]-3)
	}
	p.print("", "", groups, heads)
	for i, m := range c.Moments {
		link, step := splitMoment(m)
		line := pad("", 3-len(strconv.Itoa(i+1))) + strconv.Itoa(i+1) + "  " + pad(middle(link, links), links+1) + pad(middle(step, steps-len(mark(m)))+mark(m), steps)
		row := c.cells(i)
		for at, column := range shown {
			word := text(row[column])
			line += "   " + p.paint(row[column].state.verdict(), word) + pad("", widths[at]-3-width(word))
		}
		p.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// widths are the columns that each column takes, with the three before it, and the parts of names.
func (c chart) widths(shown []int, text func(cell) string) (cells []int, links, steps int) {
	for _, column := range shown {
		cells = append(cells, 3+width(mapHeads[column][1]))
	}
	links, steps = 4, width("moment")
	for i, m := range c.Moments {
		link, step := splitMoment(m)
		links, steps = max(links, min(width(link), leastMoment)), max(steps, width(step+mark(m)))
		row := c.cells(i)
		for at, column := range shown {
			cells[at] = max(cells[at], 3+width(text(row[column])))
		}
	}
	for i, column := range shown { // one that stands alone under the first line of the head
		neighbour := func(i int) bool { return i >= 0 && i < len(shown) && mapHeads[shown[i]][0] == mapHeads[column][0] }
		if !neighbour(i-1) && !neighbour(i+1) {
			cells[i] = max(cells[i], 3+width(mapHeads[column][0]))
		}
	}
	return cells, links, steps
}

// left is what a line has left for the names of steps.
func left(links int, cells []int) int {
	n := columns - 5 - links - 1
	for _, w := range cells {
		n -= w
	}
	return n
}

// plainWord is a cell without the notes for which its column has no room.
func plainWord(at cell) string {
	word, _, _ := strings.Cut(at.word, ",")
	if i := slices.Index(mapColumns, at.window.Column); i >= 0 && width(at.word) <= width(mapHeads[i][1]) {
		return at.word
	}
	return word
}

// mapNotes says below the table what cells had no room for.
func (p *page) mapNotes(c chart) {
	var notes []string
	for i := range c.Moments {
		for _, at := range c.cells(i) {
			if word := plainWord(at); word != at.word {
				notes = append(notes, windowName(at.window)+strings.TrimPrefix(at.word, word))
			}
		}
	}
	if len(notes) > 0 {
		p.say("     ", "     ", strings.Join(notes, " · "))
	}
}

// mark is what stands behind a moment that does not always come.
func mark(m scenarios.Moment) string {
	if m.Sometimes {
		return " ~"
	}
	return ""
}

// mapLegend explains the signs that are there.
func (p *page) mapLegend(c chart) {
	if lines := c.legend(); len(lines) > 0 {
		p.say("     ", "     ", strings.Join(lines, " · "))
	}
	if len(c.Idle) > 0 {
		p.say("     ", "     ", "left out, since they come while nothing is sent, too: "+clean(strings.Join(c.Idle, ", ")))
	}
	if c.Worker == "" {
		p.say("     ", "     ", "No worker is started by idemcheck, so that none can be killed: add   "+workerYAML)
	}
}

func (c chart) legend() (signs []string) {
	if slices.ContainsFunc(c.Moments, func(m scenarios.Moment) bool { return m.Sometimes }) {
		signs = append(signs, "~ does not come every time")
	}
	if slices.ContainsFunc(c.Windows, func(w scenarios.Window) bool { return strings.Contains(w.Note, "died") }) {
		signs = append(signs, "died: "+diedMeans)
	}
	if slices.ContainsFunc(c.Windows, func(w scenarios.Window) bool { return w.None }) {
		signs = append(signs, noWindow+" no such window: a point of code asks for nothing that could be lost")
	}
	return signs
}

// workerYAML is what would make the columns of a killed worker possible.
const workerYAML = "workers: {api: {run: ./payments --port 8080, ready: GET /healthz}}"
