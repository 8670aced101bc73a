package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/scenarios"
)

// absent is something that the configuration does not say, and the cases that
// were skipped for it.
type absent struct {
	why      string
	yaml     string // what would enable the first of them; "" if no line would
	cases    []string
	likewise []string // other operations, which need the same with their own name
}

// absences are what the skipped cases wait for.
func (r Run) absences() (all []absent) {
	place := map[string]int{}
	for _, c := range r.untold(r.Report.Cases) {
		if c.Skipped == "" {
			continue
		}
		why, yaml := scenarios.Enable(c.Skipped)
		i, ok := place[why]
		if !ok {
			i = len(all)
			place[why] = i
			all = append(all, absent{why: clean(why), yaml: clean(yaml)})
		}
		all[i].cases = append(all[i].cases, c.Name)
		if clean(yaml) != all[i].yaml {
			all[i].likewise = add(all[i].likewise, clean(c.Operation))
		}
	}
	return all
}

// reason is why, and of which other operations.
func (a absent) reason() string {
	if len(a.likewise) == 0 {
		return a.why
	}
	return a.why + " (" + strings.Join(a.likewise, ", ") + " likewise)"
}

// skips is how many cases were skipped.
func skips(all []absent) (n int) {
	for _, a := range all {
		n += len(a.cases)
	}
	return n
}

// enabling is words if a line of YAML would enable one of them: a history of the
// proxy has cases that none would.
func enabling(all []absent, words string) string {
	if slices.ContainsFunc(all, func(a absent) bool { return a.yaml != "" }) {
		return words
	}
	return ""
}

// skipped prints the cases that were not run as YAML to be copied, each line
// under a comment that says what it enables.
func (p *page) skipped() {
	all := p.absences()
	if len(all) == 0 {
		return
	}
	p.gap()
	fmt.Fprintf(p, "skipped (%d)%s:\n", skips(all), enabling(all, "; lines of idemcheck.yaml would enable them"))
	for _, a := range all {
		p.say("  # ", "  #   ", strings.Join(p.scenarios(a.cases), ", ")+": "+a.reason())
		if a.yaml != "" {
			p.print("", "", "  "+a.yaml)
		}
	}
	p.gap()
}

// apart prints the scenarios that no operation gives a sense to.
func (p *page) apart() {
	if len(p.Apart) > 0 {
		p.say("no case: ", "  ", strings.Join(p.Apart, "; "))
	}
}

// skippedViews are the same for the page.
func (p *page) skippedViews() (views []groupView) {
	for _, a := range p.absences() {
		v := newGroupView(p.scenarios(a.cases), a.reason())
		v.Enable = a.yaml
		views = append(views, v)
	}
	return views
}

// mdSkipped are the same for a summary.
func (p *page) mdSkipped() {
	all := p.absences()
	if len(all) == 0 {
		return
	}
	p.gap()
	fmt.Fprintf(p, "<details><summary>Skipped: %s</summary>\n\n%s", plural(skips(all), "case"), enabling(all, "Lines of <code>idemcheck.yaml</code> would enable them:\n"))
	var lines []string
	for _, a := range all {
		lines = append(lines, wrap("# ", "#   ", strings.Join(p.scenarios(a.cases), ", ")+": "+a.reason())...)
		if a.yaml != "" {
			lines = append(lines, a.yaml)
		}
	}
	p.mdBlock("yaml", strings.Join(lines, "\n"))
	fmt.Fprint(p, "\n</details>\n")
}
