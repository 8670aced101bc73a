package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// verdictView fills the first screen: the verdict, one sentence, the numbers.
func (p *page) verdictView(v *view) {
	n, h := p.counts(), p.History.Header
	passed, unjudged, skipped := "#matrix", "#unjudged", "#skipped"
	if len(p.Maps) > 0 {
		passed = "#map-1"
		if len(gather(p.untold(p.Report.Cases), p.unjudged)) == 0 {
			unjudged = passed
		}
		if len(p.absences()) == 0 {
			skipped = passed
		}
	}
	v.Word = string(p.Verdict())
	v.Class = v.Word
	v.Title = clean(strings.ToUpper(v.Word) + " · idemcheck " + h.Run)
	v.Heading, v.Sentence = p.headline(n)
	for _, t := range []struct {
		n    int
		s    state
		word string
		link string
	}{
		{n.Failed, failing, "failed", "#failures"}, {n.Accepted, tolerated, "accepted", "#accepted"},
		{n.Inconclusive, undecided, "inconclusive", unjudged}, {n.Passed, passing, "passed", passed}, {n.Skipped, leftOut, "skipped", skipped},
	} {
		if t.n > 0 || t.s == failing || t.s == passing {
			link := t.link
			if t.n == 0 {
				link = ""
			}
			v.Tiles = append(v.Tiles, tile{t.s.class(), signs[t.s], t.word, fmt.Sprint(t.n), link})
		}
	}
	faults := tile{"plain", "⚑", "faults fired", fmt.Sprint(n.Fired), ""}
	if n.Fired < n.Faults {
		faults.N = fmt.Sprintf("%d of %d", n.Fired, n.Faults)
	}
	v.Tiles = append(v.Tiles, tile{"plain", "→", "attempts", fmt.Sprint(n.Attempts), ""}, faults)
	v.Facts = []fact{
		{"Target", clean(h.Target)}, {"Run", clean(h.Run)}, {"Started", h.Start.UTC().Format("2006-01-02 15:04:05 UTC")},
		{"Took", fmt.Sprintf("%.1f s", p.Took.Seconds())}, {"Contract", clean(p.promise())}, {"Seed", fmt.Sprint(h.Seed)}, {"Tool", clean(h.Tool)},
	}
	if len(h.Workers) > 0 {
		v.Facts = append(v.Facts, fact{"Workers", clean(strings.Join(h.Workers, ", "))})
	}
	if p.Explored != nil {
		v.Facts = append(v.Facts, fact{"Search", strings.Join(p.searched(), " · ")})
	}
	if len(h.Links) > 0 {
		v.Facts = append(v.Facts, fact{"Links", clean(strings.Join(h.Links, ", "))})
	}
}

// headline is the verdict in words, and what matters most about it.
func (p *page) headline(n counts) (heading, sentence string) {
	switch p.Verdict() {
	case checkers.Fail:
		heading = plural(n.Failed, "case") + " failed"
		if !slices.ContainsFunc(p.untold(p.Report.Cases), func(c checkers.Case) bool { return p.state(c) == failing }) {
			heading = plural(n.Failed, "window") + " failed"
		}
		for _, c := range p.Report.Cases {
			if p.state(c) == failing {
				return heading, clean(firstReason(c))
			}
		}
	case checkers.Pass:
		if n.Accepted > 0 {
			return "Passed, with " + plural(n.Accepted, "accepted failure"), "What failed is accepted by the configuration until a day."
		}
		return "Passed", fmt.Sprintf("Every case that ran passed: %s, %s.", plural(n.Attempts, "attempt"), fired(n))
	}
	switch {
	case len(p.Report.Problems) > 0:
		return "Inconclusive", clean(p.Report.Problems[0])
	case n.judged() == 0:
		return "Inconclusive", "Nothing was judged."
	}
	return "Inconclusive", fmt.Sprintf("Nothing failed, and %s could not be judged. That is no pass.", plural(n.Inconclusive, "case"))
}

// facts are lines of the form "NAME: VALUE".
func facts(lines []string) []fact {
	var all []fact
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		all = append(all, fact{clean(name), clean(value)})
	}
	return all
}
