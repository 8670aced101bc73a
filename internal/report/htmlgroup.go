package report

import (
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// groupCases is how many cases of a group are named.
const groupCases = 60

// groupView is a text with the cases that it holds for.
type groupView struct {
	Cases  []string
	More   int
	Lines  []string
	Enable string // YAML that would enable them
}

func (p *page) groupViews(cases []checkers.Case, text func(checkers.Case) string) []groupView {
	var views []groupView
	for _, g := range gather(cases, text) {
		views = append(views, newGroupView(p.scenarios(g.cases), strings.Split(g.text, "\n")...))
	}
	return views
}

func newGroupView(cases []string, lines ...string) groupView {
	shown := cleaned(cases[:min(groupCases, len(cases))])
	return groupView{Cases: shown, More: len(cases) - len(shown), Lines: cleaned(lines)}
}

func (p *page) noteViews() (views []groupView) {
	for _, n := range p.noted() {
		views = append(views, newGroupView(n.cases, n.lines...))
	}
	return views
}
