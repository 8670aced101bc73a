package report

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// page collects the text of a run.
type page struct {
	Run
	bytes.Buffer
	operations operations
}

func newPage(r Run) *page { return &page{Run: r, operations: index(r.History)} }

// Text writes a run for people: what was calibrated, a table of verdicts, each
// failure with its timeline, then what could not be judged, and the sums.
func Text(w io.Writer, r Run) error {
	p := newPage(r)
	p.head()
	p.calibrated()
	p.maps()
	p.explored()
	p.table()
	p.failures()
	p.gap()
	p.acceptances()
	p.inconclusive()
	p.notes()
	p.skipped()
	p.apart()
	p.observed()
	p.problems()
	p.last()
	_, err := w.Write(p.Bytes())
	return err
}

// Maps writes only the window maps of a run, for people.
func Maps(w io.Writer, r Run) error {
	p := newPage(r)
	p.maps()
	_, err := w.Write(p.Bytes())
	return err
}

// say prints wrapped text.
func (p *page) say(lead, hang, text string) {
	p.print("", "", wrap(lead, hang, text)...)
}

// print prints lines; the word that the first begins with is coloured.
func (p *page) print(v checkers.Verdict, word string, lines ...string) {
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if after, ok := strings.CutPrefix(line, word); ok && i == 0 {
			line = p.paint(v, word) + after
		}
		p.WriteString(line + "\n")
	}
}

// gap prints one empty line between blocks.
func (p *page) gap() {
	if !bytes.HasSuffix(p.Bytes(), []byte("\n\n")) {
		p.WriteByte('\n')
	}
}

func (p *page) head() {
	h := p.History.Header
	line := fmt.Sprintf("run %s · %s · contract %s · seed %d", h.Run, h.Target, p.promise(), h.Seed)
	if p.answersOnly() {
		line += " · answers only"
	}
	p.say("", "  ", line)
	if wired := p.wired(); wired != "" {
		p.say("", "  ", clean(wired))
	}
}

// wired names the processes and the links of a run, "" if it has none.
func (r Run) wired() string {
	var parts []string
	for _, l := range []struct {
		word  string
		names []string
	}{{"workers", r.History.Header.Workers}, {"links", r.History.Header.Links}} {
		if len(l.names) > 0 {
			parts = append(parts, l.word+" "+strings.Join(l.names, ", "))
		}
	}
	return strings.Join(parts, " · ")
}

// promise names the contract; a preset with other promises is not the preset.
func (r Run) promise() string {
	name, changed := r.contract()
	if changed {
		return name + ", changed"
	}
	return name
}

// observed prints what the service does where nothing says what it should.
func (p *page) observed() {
	if len(p.Report.Observed) > 0 {
		p.say("observed (not judged): ", "  ", clean(strings.Join(p.Report.Observed, " · ")))
	}
}

// problems prints what keeps the whole run from passing.
func (p *page) problems() {
	if len(p.Report.Problems) > 0 {
		p.gap()
	}
	for _, problem := range p.Report.Problems {
		p.print(checkers.Inconclusive, "inconclusive", wrap("inconclusive: ", "  ", problem)...)
	}
}

// last prints the line that tells it all.
func (p *page) last() {
	p.gap()
	n := p.counts()
	word := strings.ToUpper(string(p.Verdict()))
	parts := []string{p.sums(), plural(n.Attempts, "attempt") + ", " + fired(n), fmt.Sprintf("%.1f s", p.Took.Seconds())}
	if p.answersOnly() {
		parts = append([]string{"answers only"}, parts...)
	}
	if p.Dir != "" {
		parts = append(parts, path.Join(filepath.ToSlash(p.Dir), HTMLFile))
	}
	p.print(p.Verdict(), word, wrap(word+"  ", "  ", strings.Join(parts, " · "))...)
}

// sums is "1 failed, 4 passed".
func (r Run) sums() string {
	n := r.counts()
	var cases []string
	for _, c := range []struct {
		n    int
		word string
	}{{n.Failed, "failed"}, {n.Accepted, "accepted"}, {n.Inconclusive, "inconclusive"}, {n.Passed, "passed"}, {n.Skipped, "skipped"}} {
		if c.n > 0 {
			cases = append(cases, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if problems := len(r.Report.Problems); problems > 0 {
		cases = append([]string{plural(problems, "problem")}, cases...)
	}
	if n.judged() == 0 {
		cases = append([]string{"nothing was judged"}, cases...)
	}
	return strings.Join(cases, ", ")
}

// fired says how many of the faults that were asked for happened. Of rounds that
// overlap, some may miss: where that leaves enough in every case, it says so.
func fired(n counts) string {
	switch {
	case n.Faults == 0:
		return "no faults"
	case n.Fired >= n.Faults:
		return plural(n.Faults, "fault") + ", all fired"
	}
	s := fmt.Sprintf("%d of %s fired", n.Fired, plural(n.Faults, "fault"))
	if n.Short == 0 {
		s += ", enough in every case"
	}
	return s
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// operations finds operations by id and scope, and by the events they consist of.
type operations struct {
	byName  map[[2]string]history.Operation
	byEvent map[int64][2]string
	byCase  map[string][]history.Operation // without those that only run before others
}

func index(h history.History) operations {
	o := operations{map[[2]string]history.Operation{}, map[int64][2]string{}, map[string][]history.Operation{}}
	for op := range h.Operations() {
		name := [2]string{op.ID, op.Scope}
		o.byName[name] = op
		if len(op.Attempts) > 0 && op.Attempts[0].Begin.Attrs[history.AttrBefore] == "" {
			o.byCase[op.Case] = append(o.byCase[op.Case], op)
		}
		for _, e := range events(op) {
			o.byEvent[e.Seq] = name
		}
	}
	return o
}

// events are the events of one operation that a witness can be.
func events(op history.Operation) []*history.Event {
	var all []*history.Event
	for _, a := range op.Attempts {
		all = append(all, a.Begin)
		if a.End != nil {
			all = append(all, a.End)
		}
	}
	return append(append(all, op.Effects...), op.Faults...)
}
