package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/look"
)

// example shows one pair of answers, and the lines that send it again.
func (p *page) example(e Example, lines bool) {
	head := e.Request
	if e.Key != "" {
		head += "   key " + look.Middle(look.Clean(e.Key), 40)
	}
	if e.Fault != "repeat" {
		head += "   " + look.Clean(e.Fault)
	}
	row := func(name, text string) {
		fmt.Fprintf(p, "      %-9s %s\n", name, look.Fit(text, 84))
	}
	row("request", look.Clean(head))
	differ := slices.ContainsFunc(e.Differences, func(d Difference) bool { return d.Where != "status" })
	if !differ {
		row("answer", look.Clean(e.First.Status+" "+e.First.Body))
		row("repeat", look.Clean(e.Second.Status+" "+e.Second.Body))
	} else {
		row("answers", look.Clean(e.First.Status+", then "+e.Second.Status))
	}
	for _, d := range e.Differences {
		if d.Where != "status" {
			row("differ", look.Clean(fmt.Sprintf("%s: %s, then %s", d.Where, cmp.Or(d.First, "none"), cmp.Or(d.Second, "none"))))
		}
	}
	if !lines {
		return
	}
	p.WriteString("  send it twice:\n")
	for line := range strings.SplitSeq(e.Curl, "\n") {
		p.WriteString("    " + look.Clean(line) + "\n")
	}
}
