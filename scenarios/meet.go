package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// mostAlike bounds how many finds of one rule on one operation are cut down: a
// service that is broken all over need not be told in every way.
const mostAlike = 3

// mostTries is how often a candidate is run until it is taken for one that passes.
const mostTries = 3

// meet looks into a plan that failed: it is one of the finds, or a new one.
func (e *explorer) meet(ctx context.Context, t *trial, at int, p Plan, number int, saved bool) {
	o := t.outcomes[at]
	of := 0
	for i := range e.did.Finds {
		f := &e.did.Finds[i]
		if !slices.Contains(o.broken, f.Rule) {
			continue
		}
		if p.holds(f.Plan) {
			f.met(p.Operation)
			return
		}
		if f.Operation == p.Operation && f.Rule == o.rule {
			of++
		}
	}
	if of >= mostAlike {
		return
	}
	f := Find{Operation: p.Operation, Rule: o.rule, Reason: o.reason, Met: 1, Number: number, Seconds: time.Since(e.begun).Seconds(), Also: []string{}, Drawn: p.length(), Saved: saved}
	e.saw(t, at)
	e.cut(ctx, p, &f, trying{late: o.late})
}

func (f *Find) met(operation string) {
	f.Met++
	if operation != f.Operation && !slices.Contains(f.Also, operation) {
		f.Also = append(f.Also, operation)
	}
}

// meetRule finds the plan by which a rule of the file was broken.
func (e *explorer) meetRule(ctx context.Context, t *trial, rule string, plans []Plan, before int) {
	f := Find{Rule: rule, Reason: t.broken[rule], Met: 1, Number: before + 1, Seconds: time.Since(e.begun).Seconds(), Also: []string{}}
	e.rules[rule] = true
	how := trying{rules: true, rule: rule}
	if of := e.all[slices.IndexFunc(e.all, func(c Check) bool { return c.Name == rule })].Of; len(of) > 0 {
		plans = slices.DeleteFunc(slices.Clone(plans), func(p Plan) bool { return !slices.Contains(of, p.Operation) })
	}
	for len(plans) > 1 && ctx.Err() == nil {
		half := len(plans) / 2
		if e.try(ctx, plans[:half], how).broken[rule] != "" {
			plans = plans[:half]
		} else {
			plans, f.Number = plans[half:], f.Number+half
		}
	}
	if len(plans) == 1 {
		f.Operation, f.Drawn = plans[0].Operation, plans[0].length()
		e.cut(ctx, plans[0], &f, how)
	}
}

// extra is a trial that is none of a drawn plan. Which of its plans broke the rule?
func (e *explorer) extra(ctx context.Context, plans []Plan, rule string, how trying) (failed []int) {
	t := e.try(ctx, plans, how)
	e.did.Tries += len(plans)
	for i, o := range t.outcomes {
		if o.fails(rule) || len(plans) == 1 && t.broken[rule] != "" {
			failed = append(failed, i)
		}
	}
	if len(failed) > 0 {
		e.saw(t, failed[len(failed)-1])
	}
	return failed
}

// saw keeps what was recorded of a failure: of the last one the report tells.
func (e *explorer) saw(t *trial, i int) {
	e.witness, e.witnessed = t, t.cases[i].Name
}

// longestCut is how long one plan is cut down: what is left then is short enough.
const longestCut = time.Minute

// pending is a failure that did not come again when its plan ran alone.
type pending struct {
	Find
	witness *trial
	case_   string
}

// cut cuts a plan down to what its failure needs, tries that again, and keeps it.
func (e *explorer) cut(ctx context.Context, p Plan, f *Find, how trying) {
	tries, was := 1, pending{*f, e.witness, e.witnessed}
	failed, of := e.rate(ctx, p, f.Rule, how, 1)
	if failed == 0 && !how.rules { // it takes luck, or neighbours
		tries = mostTries
		failed, of = e.rate(ctx, p, f.Rule, how, mostTries)
	}
	whole := p
	if failed == 0 {
		e.unsure(was, p, of)
		return
	}
	for until := time.Now().Add(longestCut); ctx.Err() == nil && e.fatal() == nil; {
		smaller, ok := e.smaller(ctx, p, f.Rule, how, tries, until)
		if !ok {
			break
		}
		p = smaller
	}
	p = p.lettered()
	f.Plan, f.Steps = p, p.length()
	times := e.opt.Times
	if how.rules {
		times = min(times, 2) // each takes seconds
	}
	if f.Failed, f.Of = e.rate(ctx, p, f.Rule, how, times); f.Failed == 0 { // it was luck
		e.unsure(was, whole, of)
		return
	}
	e.add(*f)
}

// unsure puts a failure aside that does not come again when its plan is run.
func (e *explorer) unsure(p pending, plan Plan, of int) {
	p.Plan, p.Of, p.Steps = plan, of, plan.length()
	e.beside = append(e.beside, p)
}

// rest keeps failures that never came again alone, unless what was found
// explains them: the rule was broken, and nobody was told.
func (e *explorer) rest() {
	for _, p := range e.beside {
		if !slices.ContainsFunc(e.did.Finds, func(f Find) bool { return f.Rule == p.Rule }) {
			e.witness, e.witnessed = p.witness, p.case_
			e.add(p.Find)
		}
	}
}

// smaller is the simplest candidate that breaks the rule, too. They are run side
// by side where they can be, and the one that is taken once more alone.
func (e *explorer) smaller(ctx context.Context, p Plan, rule string, how trying, tries int, until time.Time) (Plan, bool) {
	atOnce := e.wide
	if how.rules || e.apart(p) { // what the file's rules read is of the whole system, as are links and workers
		atOnce = 1
	}
	candidates := e.candidates(p)
	for range tries {
		for some := range slices.Chunk(candidates, atOnce) {
			if ctx.Err() != nil || time.Now().After(until) {
				return p, false
			}
			for _, i := range e.extra(ctx, some, rule, how) {
				if atOnce == 1 || e.fails(ctx, some[i], rule, how, tries) {
					return some[i], true
				}
			}
		}
	}
	return p, false
}

func (e *explorer) fails(ctx context.Context, p Plan, rule string, how trying, times int) bool {
	failed, _ := e.rate(ctx, p, rule, how, times)
	return failed > 0
}

// rate runs a plan alone some times and says how often it broke the rule.
func (e *explorer) rate(ctx context.Context, p Plan, rule string, how trying, times int) (failed, of int) {
	how.alone = true
	if !how.rules {
		return len(e.extra(ctx, slices.Repeat([]Plan{p}, times), rule, how)), times
	}
	for range times {
		failed += len(e.extra(ctx, []Plan{p}, rule, how))
	}
	return failed, times
}

// alike says whether a find is told by one that is there: its plan does all that
// the other's does, or the same by a caller who is less patient.
func (f *Find) alike(there *Find) bool {
	once := func(p Plan) string { return strings.ReplaceAll(p.shape(), doRetry+": ", doSend+": ") }
	return f.Rule == there.Rule && (once(f.Plan) == once(there.Plan) || f.Plan.holds(there.Plan))
}

// add keeps a find, unless it is told by one that is there.
func (e *explorer) add(f Find) {
	shape := f.Plan.shape()
	for i := range e.did.Finds {
		if o := &e.did.Finds[i]; f.alike(o) {
			o.met(f.Operation)
			return
		}
	}
	f.Plan = f.Plan.told(f)
	f.Plan = withName(f.Plan, mark(f.Rule, f.Operation+"\n"+shape))
	f.Case, f.Source = f.Plan.Name+"/"+f.Operation, f.Plan.Source
	for _, ev := range e.witness.events {
		if strings.HasPrefix(ev.Case, "rule/") && e.rules[f.Rule] {
			e.kept = append(e.kept, ev)
		}
	}
	e.kept = append(e.kept, e.witness.renamed(e.witnessed, f.Case, f.Plan.Name)...)
	e.did.Finds = append(e.did.Finds, f)
	if e.opt.Found != nil {
		e.opt.Found(f)
	}
}

// explored is the case of an operation that could not be explored.
func explored(op string) string { return fmt.Sprintf("explored/%s", op) }

// unexplored records why nothing was drawn for some operations.
func (e *explorer) unexplored() (events []history.Event) {
	for _, o := range e.ops {
		if why := e.uncalibrated[o.Name]; why != "" {
			events = append(events, e.lost(explored(o.Name), o.Name, why)...)
		}
	}
	return events
}

func (e *explorer) lost(name, op, why string) []history.Event {
	return []history.Event{
		{Kind: history.Mark, Name: history.MarkCase, Case: name, Actor: tool, Attrs: map[string]string{"scenario": "explored", "operation": op, "rules": ""}},
		{Kind: history.Mark, Name: history.MarkError, Case: name, Actor: tool, Cause: why},
	}
}
