package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
)

// trial is plans that were run together on one system that was calibrated before.
type trial struct {
	cases    []Case
	outcomes []outcome // of each
	events   []history.Event
	broken   map[string]string // rules of the file that are, and the reasons
}

// trying is how plans are tried.
type trying struct {
	rules   bool   // the rules of the file are read before and after, but for
	bounded bool   // those that make all keys older
	rule    string // only this rule of the file
	alone   bool   // one plan after the other: side by side they may spoil one another
	late    bool   // the observers are read once more a second after the last attempt
}

// outcome is how one plan of a trial ended.
type outcome struct {
	rule, reason string // the first that it breaks
	broken       []string
	why          string // it is inconclusive
	late         bool   // the first reading did not show it
}

// fails says whether a plan broke a rule.
func (o outcome) fails(rule string) bool { return slices.Contains(o.broken, rule) }

// try runs plans, those that only send four at a time, and judges each by itself.
func (e *explorer) try(ctx context.Context, plans []Plan, how trying) *trial {
	e.clear()
	t := &trial{broken: map[string]string{}}
	for _, p := range plans {
		t.cases = append(t.cases, e.caseOfPlan(p))
	}
	checks := e.checksFor(how)
	e.reading(checks, func() { e.checksBefore(ctx) })
	if how.alone {
		for _, c := range t.cases {
			e.cases(ctx, []Case{c})
		}
	} else {
		e.cases(ctx, e.byKind(t.cases))
	}
	t.events = e.recorded()
	for _, c := range t.cases {
		t.outcomes = append(t.outcomes, e.judge(t, c))
	}
	if (how.late || how.rules) && ctx.Err() == nil && e.fatal() == nil && !(e.opt.First && t.failed()) {
		e.settleAll(ctx)
		e.reading(checks, func() { e.readAfter(context.WithoutCancel(ctx), t) })
		e.again(t)
	}
	e.did.Attempts += int(e.sent.Load()) - e.counted
	e.counted = int(e.sent.Load())
	return t
}

// failed says whether any of the plans broke a rule.
func (t *trial) failed() bool {
	return slices.ContainsFunc(t.outcomes, func(o outcome) bool { return o.rule != "" })
}

// readAfter takes the readings after a trial. Only where a rule is broken is it
// worth to wait until a system that writes late has written.
func (e *explorer) readAfter(ctx context.Context, t *trial) {
	for _, c := range e.checked {
		if (c.Rows != nil || c.RowsOf != nil) && c.Kind != history.RuleBounded {
			e.newReading(c).take(ctx, "after")
		}
	}
	bounded := slices.ContainsFunc(e.checked, func(c Check) bool { return c.Kind == history.RuleBounded })
	if t.events = e.recorded(); !bounded {
		if e.judgeRules(t); len(t.broken) == 0 {
			return
		}
	}
	clear(t.broken)
	e.checksAfter(ctx)
	t.events = e.recorded()
	e.judgeRules(t)
}

// again judges what passed by what came later.
func (e *explorer) again(t *trial) {
	t.events = e.recorded()
	for i, o := range t.outcomes {
		if o.rule == "" {
			t.outcomes[i] = e.judge(t, t.cases[i])
			t.outcomes[i].late = t.outcomes[i].rule != ""
		}
	}
}

// caseOfPlan announces a plan as a case of its own, with numbers of its own.
func (e *explorer) caseOfPlan(p Plan) Case {
	e.tried++
	p.Name = fmt.Sprintf("try-%d", e.tried)
	c := Case{Name: p.Name + "/" + p.Operation, Plan: p, Operation: p.Operation}
	e.first[c.Name] = e.next
	e.next += e.costOf(c)
	if e.free {
		e.runner.sys.Limits.Attempts = max(e.sys.Limits.Attempts, perNumber*e.next)
	}
	e.announce(c)
	return c
}

// byKind puts the plans that run alone last: the others run side by side before.
func (e *explorer) byKind(cases []Case) []Case {
	sorted := slices.Clone(cases)
	slices.SortStableFunc(sorted, func(a, b Case) int {
		return map[bool]int{true: 1}[e.apart(a.Plan)] - map[bool]int{true: 1}[e.apart(b.Plan)]
	})
	return sorted
}

// clear forgets what was tried before: only calibration stays.
func (e *explorer) clear() {
	calibrating := func(l *live) bool { return l.case_ == history.CaseCalibration }
	e.rec.Forget(func(ev history.Event) bool { return ev.Case == history.CaseCalibration })
	e.mu.Lock()
	e.ids = slices.DeleteFunc(slices.Clone(e.ids), func(l *live) bool { return !calibrating(l) })
	maps.DeleteFunc(e.live, func(_ string, l *live) bool { return !calibrating(l) })
	clear(e.last)
	clear(e.tries)
	e.mu.Unlock()
	e.traffic.clear()
}

// recorded is what was recorded since clear.
func (e *explorer) recorded() []history.Event {
	return slices.DeleteFunc(slices.Clone(e.rec.History().Events), func(ev history.Event) bool { return ev.Case == history.CaseCalibration })
}

// of are the events of one case.
func (t *trial) of(name string) (events []history.Event) {
	for _, ev := range t.events {
		if ev.Case == name {
			events = append(events, ev)
		}
	}
	return events
}

// renamed are the events of one case under another name.
func (t *trial) renamed(name, to, scenario string) []history.Event {
	events := t.of(name)
	for i := range events {
		ev := &events[i]
		ev.Case = to
		if len(ev.Attrs) == 0 {
			continue
		}
		ev.Attrs = maps.Clone(ev.Attrs)
		if ev.Kind == history.Mark && ev.Name == history.MarkCase {
			ev.Attrs["scenario"] = scenario
		}
		if round, ok := strings.CutPrefix(ev.Attrs[history.AttrTogether], name); ok {
			ev.Attrs[history.AttrTogether] = to + round
		}
	}
	return events
}

// judge judges one case by itself.
func (e *explorer) judge(t *trial, c Case) outcome {
	h := e.rec.History()
	h.Header.Rules = nil
	h.Events = fromOne(slices.Concat(e.calibrating, t.of(c.Name)))
	for _, judged := range checkers.Judge(h, e.sys.Contract).Cases {
		if judged.Name == c.Name {
			return outcomeOf(judged)
		}
	}
	return outcome{why: "it was not run"}
}

func outcomeOf(c checkers.Case) (o outcome) {
	if c.Skipped != "" {
		return outcome{why: c.Skipped}
	}
	for _, v := range c.Violations { // fail first, in the order of the rules
		switch {
		case v.Verdict == checkers.Fail:
			if o.rule == "" {
				o.rule, o.reason = v.Rule, v.Reason
			}
			o.broken = append(o.broken, v.Rule)
		case o.why == "":
			o.why = v.Reason
		}
	}
	return o
}

// fromOne numbers events from 1 and ends them.
func fromOne(events []history.Event) []history.Event {
	slices.SortStableFunc(events, func(a, b history.Event) int { return int(a.Seq - b.Seq) })
	events = append(events, history.Event{Kind: history.Mark, Name: history.MarkEnd, Actor: tool})
	if n := len(events); n > 1 {
		events[n-1].At = events[n-2].At
	}
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	return events
}

// checksFor are the rules of the file that are read for a trial. What was found
// broken once stays so: it is not read again.
func (e *explorer) checksFor(how trying) (checks []Check) {
	if !how.rules {
		return nil
	}
	for _, c := range e.all {
		if c.lacks(e.sys) == "" && (how.rule == c.Name || how.rule == "" && !e.rules[c.Name] && how.bounded == (c.Kind == history.RuleBounded)) {
			checks = append(checks, c)
		}
	}
	return checks
}

// reading lets only these rules be read.
func (e *explorer) reading(checks []Check, read func()) {
	e.checked = checks
	if len(checks) == 0 {
		return
	}
	e.runner.sys.Checks = checks
	read()
}

// judgeRules judges the rules of the file. Only the one that compares rows of
// operations sees those of calibration: the others count from the first reading on.
func (e *explorer) judgeRules(t *trial) {
	h := e.rec.History()
	for _, with := range []bool{false, true} {
		h.Events = slices.Clone(t.events)
		if with {
			h.Events = slices.Concat(e.calibrating, t.events)
		}
		h.Events = fromOne(h.Events)
		judged := expression.Judge(h, e.sys.Contract)
		for _, c := range e.checked {
			if (c.Kind == history.RuleSame) == with {
				t.breaks(judged, c)
			}
		}
	}
}

// breaks notes that a rule of the file is broken.
func (t *trial) breaks(r checkers.Report, c Check) {
	for _, judged := range r.Cases {
		if o := outcomeOf(judged); judged.Name == c.case_() && o.rule != "" {
			t.broken[c.Name] = o.reason
		}
	}
}
