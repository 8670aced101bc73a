package traffic

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/look"
)

const (
	mostRows  = 40 // of the table
	routeWide = 40 // columns of a name
	mostTold  = 30 // routes whose findings are told in full
)

// page collects the text of a report.
type page struct {
	Report
	bytes.Buffer
	color bool
}

// Text writes the report for people: the table of routes, what was found of each,
// what callers do, and the sums.
func (r Report) Text(w io.Writer, color bool) error {
	p := &page{Report: r, color: color}
	p.say("", "  ", strings.Join(p.head(), " · "))
	p.say("", "  ", strings.Join(p.sums(), " · "))
	for _, s := range p.state() {
		p.say("", "  ", s)
	}
	p.table()
	p.findings()
	p.callers()
	for _, n := range r.Notes {
		p.gap()
		p.say("note: ", "  ", n)
	}
	p.last()
	_, err := w.Write(p.Bytes())
	return err
}

func (p *page) say(lead, hang, text string) {
	for _, line := range look.Wrap(lead, hang, text) {
		p.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (p *page) gap() {
	if p.Len() > 0 && !bytes.HasSuffix(p.Bytes(), []byte("\n\n")) {
		p.WriteByte('\n')
	}
}

// paint colours a word by a verdict. The word itself says the same.
func (p *page) paint(v Verdict, word string) string {
	code := map[Verdict]string{Certain: "1;31", Likely: "31", Unknown: "33", Held: "32"}[v]
	if !p.color || code == "" {
		return word
	}
	return "\x1b[" + code + "m" + word + "\x1b[0m"
}

// word is a verdict as it stands in texts: what needs a look is in capitals.
func (v Verdict) word() string {
	if v == Certain || v == Likely {
		return strings.ToUpper(string(v))
	}
	return string(v)
}

func (r Report) head() []string {
	parts := []string{"proxy"}
	if r.Run != "" {
		parts[0] += " " + r.Run
	}
	if r.Target != "" {
		parts = append(parts, r.Target)
	}
	return append(parts, span(r.Seconds), fmt.Sprintf("seed %d", r.Seed))
}

// span is a time for people: "4 s", "12 min", "3 h 5 min".
func span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// sums are requests, routes and repeats.
func (r Report) sums() []string {
	parts := []string{plural(r.Requests, "request") + " on " + plural(int64(len(r.Routes)), "route")}
	faults := map[string]int64{}
	for _, route := range r.Routes {
		for fault, n := range route.Repeats {
			faults[fault] += n
		}
	}
	if len(faults) == 0 {
		return append(parts, "nothing was repeated")
	}
	var each []string
	for _, fault := range sortedKeys(faults) {
		each = append(each, fault+" "+number3(faults[fault]))
	}
	return append(parts, number3(r.Repeats)+" sent twice ("+strings.Join(each, ", ")+")")
}

// state says why nothing is struck, and what was left out.
func (r Report) state() (all []string) {
	s := r.State
	if s.Why != "" && s.Running {
		all = append(all, "nothing is struck now: "+s.Why)
	} else if s.Why != "" {
		all = append(all, "at the end nothing was struck: "+s.Why)
	}
	if s.Refused > 0 {
		all = append(all, plural(s.Refused, "repeat")+" not made: the budget of "+plural(int64(s.Budget), "duplicate")+" a minute was used up")
	}
	if s.Skipped > 0 {
		all = append(all, plural(s.Skipped, "repeat")+" not made for other reasons")
	}
	if s.Dropped > 0 {
		all = append(all, "the history keeps to its limit: "+plural(s.Dropped, "line")+" of the beginning deleted")
	}
	return all
}

// table prints the routes: those that were repeated, then the others in short.
func (p *page) table() {
	rows := slices.DeleteFunc(slices.Clone(p.Routes), func(r Route) bool { return r.Verdict == NotTried })
	if len(rows) == 0 {
		p.gap()
		p.say("", "  ", p.Report.empty())
		return
	}
	wide := look.Width("route")
	shown := rows[:min(len(rows), mostRows)]
	for _, r := range shown {
		wide = max(wide, look.Width(shortName(r.Name)))
	}
	p.gap()
	fmt.Fprintf(p, "  %s  %9s %8s %7s %7s   %s\n", look.Pad("route", wide), "requests", "repeats", "alike", "differ", "verdict")
	for _, r := range shown {
		fmt.Fprintf(p, "  %s  %9s %8s %7s %7s   %s\n", look.Pad(shortName(r.Name), wide), number3(r.Requests), number3(r.Tried),
			number3(r.Same+r.Conflict), number3(r.Differ+r.Refused+r.Failed), p.paint(r.Verdict, r.Verdict.word()))
	}
	if more := len(rows) - len(shown); more > 0 {
		fmt.Fprintf(p, "  and %s more\n", number3(int64(more)))
	}
	if others := len(p.Routes) - len(rows); others > 0 {
		fmt.Fprintf(p, "  %s not tried\n", plural(int64(others), "route"))
	}
}

// empty says what to do where there is no repeat.
func (r Report) empty() string {
	if r.Requests == 0 {
		return "No request has come yet: point callers at the address of the proxy instead of that of the service."
	}
	return "No repeat says anything yet: only requests that change something are sent twice, a share of them. Wait for more, or raise the share."
}

func shortName(name string) string { return look.Middle(look.Clean(name), routeWide) }

// findings tells what was found of each route. Those of which there is nothing but
// that nobody counted are told together.
func (p *page) findings() {
	told := 0
	var uncounted []string
	for _, r := range p.Routes {
		switch {
		case len(r.Findings) == 0:
		case r.uncounted():
			uncounted = append(uncounted, look.Clean(r.Name))
		default:
			if told++; told <= mostTold {
				p.route(r)
			}
		}
	}
	if told > mostTold {
		p.gap()
		fmt.Fprintf(p, "and findings on %s more; the page and traffic.json have them.\n", plural(int64(told-mostTold), "route"))
	}
	if n := len(uncounted); n > 0 {
		p.gap()
		if n > mostRows {
			uncounted = append(uncounted[:mostRows:mostRows], fmt.Sprintf("and %d more", n-mostRows))
		}
		p.say("unknown ", "  ", strings.Join(uncounted, ", ")+": nothing in the answers speaks against it, and nobody counted effects, so whether it was done twice is not known. "+
			"Name what counts them: effects: in idemcheck.yaml, a query or the stand-in of a provider.")
	}
}

func (p *page) route(r Route) {
	p.gap()
	name := look.Clean(r.Name)
	if r.Operation != "" {
		name += " (" + look.Clean(r.Operation) + ")"
	}
	p.WriteString(p.paint(r.Verdict, r.Verdict.word()) + " " + name + "\n")
	for _, f := range r.Findings {
		p.say("  ", "  ", f.Words)
	}
	f := r.Findings[0]
	if f.Example != nil {
		p.example(*f.Example, f.Verdict == Certain || f.Verdict == Likely)
	}
	if f.Cure != "" {
		p.say("  Usual cure: ", "  ", f.Cure)
	}
}

// callers tells what callers do with keys.
func (p *page) callers() {
	if len(p.Callers.Findings) == 0 {
		return
	}
	p.gap()
	p.WriteString("callers (no verdict on the service)\n")
	for i, h := range p.Callers.Findings {
		if i == 12 {
			fmt.Fprintf(p, "  and %d more\n", len(p.Callers.Findings)-i)
			break
		}
		text := h.Words
		if h.Example != "" {
			text += " For instance key " + look.Middle(look.Clean(h.Example), 40) + "."
		}
		p.say("  "+look.Clean(h.Route)+": ", "    ", text)
	}
}

// last prints the line that tells it all.
func (p *page) last() {
	p.gap()
	n := map[Verdict]int{}
	for _, r := range p.Routes {
		n[r.Verdict]++
	}
	var parts []string
	for _, v := range slices.SortedFunc(maps.Keys(n), func(a, b Verdict) int { return cmp.Compare(rank(a), rank(b)) }) {
		parts = append(parts, fmt.Sprintf("%d %s", n[v], v))
	}
	word := strings.ToUpper(string(p.Verdict))
	if len(parts) == 0 {
		parts = []string{"no routes"}
	}
	p.WriteString(p.paint(p.Verdict, word) + "  " + strings.Join(parts, ", ") + " · " + plural(p.Requests, "request") + ", " + plural(p.Repeats, "repeat") + "\n")
}
