package report

import (
	"fmt"
	"strings"
)

// mdMaps prints each map as a table, and why windows failed.
func (p *page) mdMaps() {
	for _, c := range p.charts() {
		p.gap()
		n, shown := c.sums(), c.columns()
		fmt.Fprintf(p, "### Window map of %s\n\n%s\n\n", md(c.Operation), md(c.about()))
		heads := cells(shown, func(i int) string {
			if i == len(mapHeads)-1 {
				return strings.Join(mapHeads[i][:], " ")
			}
			return mapHeads[i][1] + " (" + mapHeads[i][0] + ")"
		})
		fmt.Fprintf(p, "| # | moment |%s\n|--:|---|%s\n", heads, strings.Repeat("---|", len(shown)))
		for i, m := range c.Moments {
			row := c.cells(i)
			fmt.Fprintf(p, "| %d | %s |%s\n", i+1, md(m.Name+mark(m)), cells(shown, func(at int) string { return mdCell(row[at]) }))
		}
		if lines := c.legend(); len(lines) > 0 {
			fmt.Fprintf(p, "\n%s\n", md(strings.Join(lines, " · ")))
		}
		if len(c.Idle) > 0 {
			fmt.Fprintf(p, "\nLeft out, since they come while nothing is sent, too: %s\n", md(strings.Join(c.Idle, ", ")))
		}
		fmt.Fprintf(p, "\n**%s** %s\n\n", strings.ToUpper(string(n.verdict())), n)
		for _, g := range c.groups(failing, tolerated) {
			fmt.Fprintf(p, "- **%s** · %s\n", md(g.names()), md(g.reason))
		}
		for _, g := range c.groups(undecided) {
			fmt.Fprintf(p, "- ❔ %s · %s\n", md(g.names()), md(g.reason))
			if line := c.again(g.windows[0]); line != "" {
				fmt.Fprintf(p, "  Run again: %s\n", mdInline(line))
			}
		}
		for _, g := range c.groups(leftOut) {
			fmt.Fprintf(p, "- not run: %s · %s\n", md(g.names()), md(g.reason))
		}
	}
	p.gap()
}

// mdCell is a cell with a sign that can be seen from afar.
func mdCell(c cell) string {
	switch {
	case c.equal || c.state != failing && c.state != undecided:
		return md(c.word)
	case c.state == failing:
		return "❌ **" + md(c.word) + "**"
	}
	return strings.TrimSuffix("❔ "+strings.TrimPrefix(md(c.word), "?"), " ")
}

// mdInline is code in a line of text; its fence is longer than any in it.
func mdInline(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + clean(s) + " " + fence
	}
	return fence + clean(s) + fence
}
