package report

import (
	"github.com/idemcheck/idemcheck/checkers"
)

// acceptances prints the failures that are accepted, and what is accepted for nothing.
func (p *page) acceptances() {
	shown := false
	for _, c := range p.Report.Cases {
		if p.state(c) != tolerated {
			continue
		}
		shown = true
		line := "accepted " + clean(c.Name) + ": "
		p.print(checkers.Inconclusive, "accepted", wrap(line, "  ", why(p.accepted(c))+". "+failed(c)[0].Reason)...)
	}
	for _, line := range p.stale() {
		shown = true
		p.print(checkers.Inconclusive, "warning", wrap("warning: ", "  ", line)...)
	}
	if shown {
		p.gap()
	}
}
