package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
)

const (
	htmlCases = 40   // failed cases shown in full
	htmlBody  = 2000 // bytes of an answer
	htmlMore  = 500  // failed cases that are only named
)

// failureView is one failed case.
type failureView struct {
	ID, Scenario, Operation, Swept string
	Title, Story                   string
	Rules                          []ruleView
	Operations                     []operationView
	Others                         string
	NotJudged, Expired             []string
	Again                          string
	Alike, First                   string // the case before it that it is like, and its own first reason
}

type ruleView struct{ Name, Doc string }

// operationView is what one operation did wrong.
type operationView struct {
	Reasons     []string
	Causes      []string
	Cures       []string
	Timelines   []timelineView
	Answers     []answerView
	Differences []checkers.Difference
}

type timelineView struct {
	Name    string
	Drawing drawing
	Rows    []history.Row
}

type answerView struct{ Heading, Status, Body string }

// name is that of the case.
func (f failureView) name() string {
	if f.Swept != "" {
		return f.Scenario + "/" + f.Operation + "/" + f.Swept
	}
	return f.Scenario + "/" + f.Operation
}

func anchor(n int) string { return fmt.Sprintf("failure-%d", n) }

// failureViews are the failed cases, and the names of those beyond the limit.
func (p *page) failureViews() (views []failureView, more []string) {
	n, first := 0, map[string]failureView{}
	for _, c := range p.Report.Cases {
		if p.state(c) != failing {
			continue
		}
		if n++; n > htmlCases {
			if n <= htmlCases+htmlMore {
				more = append(more, clean(p.title(c)+": "+firstReason(c)))
			}
			continue
		}
		f := p.failureView(n, c)
		if like, ok := first[p.kind(c)]; ok {
			f.Alike, f.First = like.name(), clean(firstReason(c))
		} else {
			first[p.kind(c)] = f
		}
		views = append(views, f)
	}
	if rest := n - htmlCases - htmlMore; rest > 0 {
		more = append(more, fmt.Sprintf("and %d more", rest))
	}
	return views, more
}

func (p *page) failureView(n int, c checkers.Case) failureView {
	scenario, operation, swept := parts(c)
	f := failureView{ID: anchor(n), Scenario: clean(scenario), Operation: clean(operation), Swept: clean(swept), Expired: cleaned(p.expired(c)), Again: clean(p.again(c.Name))}
	if plan, ok := scenarios.Lookup(c.Scenario); ok {
		f.Title, f.Story = plan.Title, plan.Story
	}
	if _, w, ok := p.window(c.Name); ok {
		f.Title, f.Story = p.moment(c), columnOf(w).Story
	}
	for _, v := range failed(c) {
		known := ruleView{Name: clean(v.Rule)}
		if r, ok := checkers.Lookup(v.Rule); ok {
			known.Doc = r.Doc
		}
		if !slices.Contains(f.Rules, known) {
			f.Rules = append(f.Rules, known)
		}
	}
	full, others := pick(byOperation(failed(c)))
	for i, vs := range full {
		f.Operations = append(f.Operations, p.operationView(fmt.Sprintf("%s-%d", f.ID, i+1), vs))
	}
	if len(others) > 0 {
		q := page{Run: p.Run}
		q.others(others)
		f.Others = string(bytes.TrimPrefix(bytes.Join(bytes.Fields(q.Bytes()), []byte(" ")), []byte("also: ")))
	}
	f.NotJudged = cleaned(p.unclear(c))
	return f
}

func (p *page) operationView(id string, vs []checkers.Violation) operationView {
	var o operationView
	var witnesses []int64
	for _, v := range vs {
		witnesses = append(witnesses, v.Witnesses...)
		o.Reasons = add(o.Reasons, clean(v.Reason))
		o.Causes = add(o.Causes, clean(v.Cause))
		o.Cures = add(o.Cures, clean(v.Cure))
		for _, d := range v.Differences {
			o.Differences = append(o.Differences, checkers.Difference{Where: clean(d.Where), First: clean(d.First), Again: clean(d.Again)})
		}
	}
	for i, op := range p.shown(vs[0], witnesses) {
		rows := history.Rows(op, witnesses)
		name := clean(op.ID)
		o.Timelines = append(o.Timelines, timelineView{name, draw(fmt.Sprintf("%s-%d", id, i+1), "Timeline of "+name, rows), rows})
	}
	if len(o.Differences) > 0 {
		o.Answers = p.answers(witnesses)
	}
	return o
}

// shown are the operations whose timelines explain a violation: its own, and
// another one whose events are witnesses too.
func (p *page) shown(v checkers.Violation, witnesses []int64) []history.Operation {
	var ops []history.Operation
	own := [2]string{v.Op, v.Scope}
	if op, ok := p.operations.byName[own]; ok {
		ops = append(ops, op)
	}
	for _, seq := range witnesses {
		other, ok := p.operations.byEvent[seq]
		if ok && other != own {
			return append(ops, p.operations.byName[other])
		}
	}
	return ops
}

// answers are the first two answers among the witnesses, side by side.
func (p *page) answers(witnesses []int64) []answerView {
	var all []answerView
	for _, e := range p.History.Events {
		ends := e.Kind == history.OK || e.Kind == history.Refused || e.Kind == history.Unknown
		if !ends || !slices.Contains(witnesses, e.Seq) || len(all) == 2 {
			continue
		}
		all = append(all, answerView{fmt.Sprintf("Answer to try %d of %s", e.Attempt, clean(e.Op)), clean(e.Status), readable(e.Body)})
	}
	return all
}

// readable is a body with its JSON laid out, cut where it is long.
func readable(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "", "  ") != nil {
		b.Reset()
		b.WriteString(body)
	}
	text := b.Bytes()
	cut := ""
	if len(text) > htmlBody {
		text, cut = text[:htmlBody], "…"
	}
	var lines []byte
	for line := range bytes.Lines(text) {
		lines = append(lines, clean(string(bytes.TrimRight(line, "\r\n")))+"\n"...)
	}
	return string(lines) + cut
}
