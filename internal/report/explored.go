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
	reasons := byCount(did.Unjudged)
	for _, why := range reasons[:min(len(reasons), shownReasons)] {
		lines = append(lines, fmt.Sprintf("%d inconclusive: %s", did.Unjudged[why], clean(why)))
	}
	if more := len(reasons) - shownReasons; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s why plans were inconclusive", plural(more, "more reason")))
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

// shownReasons is how many reasons are told why plans were inconclusive.
const shownReasons = 3

// byCount are the names, those with the largest counts first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
}

// sums are counts by name, the largest first.
func sums(counts map[string]int) string {
	var all []string
	for _, name := range byCount(counts) {
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
