package checkers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// caseFile is all that a history says of one case.
type caseFile struct {
	Case
	rules    []string // named by its plan; empty: all
	also     string   // another operation that the plan tests with it
	ops      []history.Operation
	entries  []entry
	armed    []*history.Event
	errors   []string // why the tool could not do its part
	states   []*history.Event
	declared bool // it has a mark of its own
	hooked   bool // recorded in process
}

// collect sorts a history by case, in the order of their first events.
func collect(h *history.History, x *index) (cases []*caseFile, problems []string) {
	byName := map[string]*caseFile{}
	of := func(name string) *caseFile {
		c, ok := byName[name]
		if !ok {
			c = &caseFile{Case: Case{Name: name}}
			byName[name] = c
			if name != history.CaseCalibration {
				cases = append(cases, c)
			}
		}
		return c
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind == history.Mark:
			problems = mark(e, of, problems)
		case e.Kind == history.State:
			c := of(ruleCase(e))
			c.states = append(c.states, e)
		case e.Kind == history.Invoke && byName[e.Case] == nil:
			of(e.Case)
		}
	}
	tested := underTest(cases)
	for i := range x.ops {
		c := byName[x.ops[i].Case]
		if len(tested) == 0 || tested[x.ops[i].Name] {
			c.ops = append(c.ops, x.ops[i])
			c.entries = append(c.entries, x.entries[i])
		}
	}
	return cases, problems
}

// mark files one mark.
func mark(e *history.Event, of func(string) *caseFile, problems []string) []string {
	switch e.Name {
	case history.MarkCase:
		c := of(e.Case)
		c.declared = true
		c.Scenario, c.Operation, c.also = e.Attrs["scenario"], e.Attrs["operation"], e.Attrs["also"]
		for _, r := range strings.Split(e.Attrs["rules"], ",") {
			if r = strings.TrimSpace(r); r != "" {
				c.rules = append(c.rules, r)
			}
		}
	case history.MarkSkipped:
		c := of(e.Case)
		c.Skipped = e.Cause
		if c.Skipped == "" {
			c.Skipped = "no reason was given"
		}
		if c.Scenario == "" {
			c.Scenario, c.Operation, _ = strings.Cut(e.Case, "/")
		}
	case history.MarkArmed:
		of(e.Case).armed = append(of(e.Case).armed, e)
	case history.MarkError:
		if e.Case == "" || e.Case == history.CaseCalibration {
			return append(problems, e.Cause)
		}
		of(e.Case).errors = append(of(e.Case).errors, e.Cause)
	}
	return problems
}

// underTest are the operations that cases name, or test too; others only ran before one.
func underTest(cases []*caseFile) map[string]bool {
	names := map[string]bool{}
	for _, c := range cases {
		if c.Operation != "" && c.declared {
			names[c.Operation] = true
			if c.also != "" {
				names[c.also] = true
			}
		}
	}
	return names
}

// ruleCase is the case of a snapshot that a rule of the user left.
func ruleCase(e *history.Event) string {
	if strings.HasPrefix(e.Case, "rule/") {
		return e.Case
	}
	return "rule/" + strings.TrimPrefix(e.Name, "rule/")
}

// arms counts what was asked for and what fired, and adds what did not.
func (c *caseFile) arms(x *index) {
	need, moment, order := map[string]int{}, map[string]string{}, []string(nil)
	for _, e := range c.armed {
		f := e.Attrs[history.AttrFault]
		if _, ok := need[f]; !ok {
			order = append(order, f)
		}
		n, err := strconv.Atoi(e.Attrs["need"])
		if err != nil || n < 1 {
			n = 1
		}
		need[f] += n
		if at := e.Attrs[history.AttrMoment]; at != "" {
			moment[f] = " at " + at
		}
	}
	for _, f := range order {
		fired, asked := x.faults[caseFault{c.Name, f}], need[f]
		if f == "overlap" {
			asked = max(asked, c.rounds())
		}
		c.Fired, c.Asked = c.Fired+fired, c.Asked+asked
		if fired >= need[f] {
			continue
		}
		c.NotFired = append(c.NotFired, f)
		c.unjudged("", notFired(f+moment[f], fired, need[f], asked), "let the run have operations and attempts that it can strike, or leave the fault out.")
	}
}

func notFired(fault string, fired, need, asked int) string {
	switch {
	case fault == "overlap" && asked > 1:
		return fmt.Sprintf("overlap was asked for in %d rounds and came about in %d: %d are needed.", asked, fired, need)
	case fired == 0:
		return fault + " was asked for and did not fire."
	}
	return fmt.Sprintf("%s was asked for %s and fired %s.", fault, times(need), times(fired))
}

// rounds are the sets of attempts that were sent together.
func (c *caseFile) rounds() int {
	sets := map[string]bool{}
	for i := range c.ops {
		for _, a := range c.ops[i].Attempts {
			if t := a.Begin.Attrs[history.AttrTogether]; t != "" {
				sets[t] = true
			}
		}
	}
	return len(sets)
}

func (c *caseFile) inconclusive(rule, reason string) { c.unjudged(rule, reason, "") }

// unjudged is inconclusive with what would help in a test that somebody wrote.
func (c *caseFile) unjudged(rule, reason, cure string) {
	if !c.hooked {
		cure = ""
	}
	c.Violations = append(c.Violations, Violation{Rule: rule, Verdict: Inconclusive, Reason: reason, Cure: cure})
}
