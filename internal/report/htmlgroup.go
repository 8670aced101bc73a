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

func (p *page) groupViews(text func(checkers.Case) string) []groupView {
	var views []groupView
	for _, g := range gather(p.Report.Cases, text) {
		names := cleaned(p.scenarios(g.cases))
		v := groupView{Cases: names[:min(groupCases, len(names))], More: max(0, len(names)-groupCases)}
		for _, line := range strings.Split(g.text, "\n") {
			why, yaml, found := strings.Cut(line, "   ")
			if found {
				why, v.Enable = why+" to idemcheck.yaml", clean(yaml)
			}
			v.Lines = append(v.Lines, clean(why))
		}
		views = append(views, v)
	}
	return views
}
