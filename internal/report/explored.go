package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/scenarios"
)

// explored prints what a search did, and a line for each find.
func (p *page) explored() {
	if p.Explored == nil {
		return
	}
	p.gap()
	for _, line := range p.searched() {
		p.say("", "  ", line)
	}
	for _, f := range p.Explored.Finds {
		p.say("  "+clean(f.Case)+"  ", "    ", found(f))
	}
}

// searched is what a search did, in a few lines.
func (r Run) searched() []string {
	did := r.Explored
	lines := []string{fmt.Sprintf("explored %s in %.1f s: %d passed, %d failed, %d inconclusive; %s to cut down and try again",
		plural(did.Plans, "plan"), did.Seconds, did.Passed, did.Failed, did.Inconclusive, plural(did.Tries, "run"))}
	if len(did.Fired) > 0 {
		lines = append(lines, "fired: "+clean(sums(did.Fired)))
	}
	if len(did.Did) > 0 {
		lines = append(lines, fmt.Sprintf("tried: %s of step", plural(len(did.Did), "kind")))
	}
	if len(did.Mended) > 0 {
		lines = append(lines, "found by an earlier search, pass now: "+clean(strings.Join(did.Mended, ", ")))
	}
	return lines
}

// found is how a find came about.
func found(f scenarios.Find) string {
	s := fmt.Sprintf("failed %d of %d times · %s", f.Failed, f.Of, plural(f.Steps, "step"))
	if f.Drawn > f.Steps {
		s += fmt.Sprintf(" of %d", f.Drawn)
	}
	s += fmt.Sprintf(" · plan %d, after %.1f s", f.Number, f.Seconds)
	if f.Saved {
		s += " · found before"
	}
	if f.Met > 1 {
		s += fmt.Sprintf(" · %d plans failed alike", f.Met)
	}
	if len(f.Also) > 0 {
		s += " · also " + clean(strings.Join(f.Also, ", "))
	}
	return s
}

// sums are counts by name, the largest first.
func sums(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(all, ", ")
}

// mdExplored is the same in Markdown.
func (p *page) mdExplored() {
	if p.Explored == nil {
		return
	}
	for _, line := range p.searched() {
		fmt.Fprintf(p, "%s\n\n", md(line))
	}
	for _, f := range p.Explored.Finds {
		fmt.Fprintf(p, "- **%s** %s\n", md(f.Case), md(found(f)))
	}
	p.gap()
}
