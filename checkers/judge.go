package checkers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Judge judges a history: the cases in it, each by the rules that its plan
// names (all, if it names none), or by the given ones only. A zero contract
// means the one in the header. It is the only judge: a run, a stored history and
// a Go test all end here.
func Judge(h history.History, c contract.Contract, rules ...Rule) Report {
	return judgeBy(h, c, rules, nil)
}

// JudgeOwn judges as Judge does, by the rules that the plans name. own are the
// user's expressions, compiled: each is a rule over the groups of all operations
// under test, by the name that it has in the header.
func JudgeOwn(h history.History, c contract.Contract, own []Rule) Report {
	return judgeBy(h, c, nil, own)
}

func judgeBy(h history.History, c contract.Contract, rules, own []Rule) Report {
	x := newIndex(h)
	cal := x.calibrate(&h)
	cases, problems := collect(&h, x)
	report := Report{Calibration: cal, Attempts: x.attempts, Faults: x.allFaults, Problems: problems}
	if c.IsZero() && h.Header.Contract != "" {
		if err := json.Unmarshal([]byte(h.Header.Contract), &c); err != nil {
			report.Problems = append(report.Problems, fmt.Sprintf("header: contract: %v", err))
		}
	}
	c.Life = c.JudgedLife()
	report.Problems = append(report.Problems, gaps(h.Events)...)
	if !x.ended {
		report.Problems = append(report.Problems, "the history was cut short: its last mark is missing")
	}
	known := cal
	if hooked(&h.Header) && reading(rules) {
		known = x.learn(cal)
	}
	j := judge{h: &h, x: x, frame: newFrame(&h, x, &c, cal, known), rules: rules, ownRules: own, tested: underTest(cases)}
	for i, f := range cases {
		j.judge(f, !x.ended && i == len(cases)-1)
		report.Cases = append(report.Cases, f.Case)
	}
	for _, name := range sortedKeys(cal) {
		if why := cal[name].Failed; why != "" && len(cases) == 0 {
			report.Problems = append(report.Problems, "calibration: "+why)
		}
	}
	report.Observed = observed(x, &c, cal)
	return report
}

type judge struct {
	h     *history.History
	x     *index
	frame *frame
	rules []Rule

	ownRules []Rule          // the user's expressions
	tested   map[string]bool // operations that cases name; empty: all
}

func (j *judge) judge(c *caseFile, last bool) {
	c.hooked = j.frame.hooked
	if c.Skipped != "" {
		return
	}
	for _, why := range c.errors {
		c.inconclusive("", why+".")
	}
	if last {
		c.inconclusive("", "The history was cut short here.")
	}
	if j.isRule(c) {
		j.own(c)
	} else {
		c.arms(j.x)
		j.plan(c)
	}
	c.conclude()
}

// plan judges the operations of a case.
func (j *judge) plan(c *caseFile) {
	if len(c.ops) == 0 {
		if len(c.errors) == 0 { // else they say why
			c.unjudged("", "No operation was sent.", "send them through what the run gives: Client, Requests, Queue or Call.")
		}
		return
	}
	groups := j.frame.groups(c.ops, c.entries)
	rules := j.rulesOf(c)
	j.vacuous(c, rules)
	c.Violations = append(c.Violations, runAll(rules, groups)...)
	if j.frame.hooked && len(j.rules)+len(c.rules) > 0 {
		c.Violations = append(c.Violations, idleRules(rules, groups)...)
	} else if why := noSubject(rules, groups); why != "" && len(rules) > 0 && j.h.Header.Effects != "none" {
		c.inconclusive("", why)
	}
}

func (j *judge) rulesOf(c *caseFile) (rules []Rule) {
	if len(j.rules) > 0 {
		return j.rules
	}
	for _, name := range c.rules {
		r, ok := Lookup(name)
		if !ok {
			c.inconclusive(name, fmt.Sprintf("No rule is named %s.", name))
			continue
		}
		rules = append(rules, r)
	}
	if len(c.rules) == 0 {
		rules = slices.DeleteFunc(slices.Clone(Catalogue), func(r Rule) bool { return r.Name == ExactlyOnce.Name })
	}
	return rules
}

// vacuous adds what keeps the rules from judging effects at all.
func (j *judge) vacuous(c *caseFile, rules []Rule) {
	names := map[string]bool{}
	for i := range c.ops {
		if c.ops[i].Name == "" || names[c.ops[i].Name] {
			continue
		}
		names[c.ops[i].Name] = true
	}
	effects := slices.ContainsFunc(rules, func(r Rule) bool { return r.effects || r.Name == Separation.Name })
	for _, name := range sortedKeys(names) {
		if why := j.frame.calibration[name].Failed; why != "" {
			c.inconclusive("", why+".")
			continue
		}
		if j.h.Header.Effects == "none" {
			if cal, ok := j.frame.calibration[name]; ok && !j.frame.tells(c, name, cal) {
				c.inconclusive("", fmt.Sprintf("Nothing of %s was judged: its effects are not counted (effects: none), no field of its answers names the operation, and the contract promises nothing of its answers.", name))
			}
			continue
		}
		if !effects {
			continue
		}
		usable, blind := j.frame.observers(name)
		if why := idle(rules, usable); why != "" && len(usable) > 0 {
			c.inconclusive("", why)
		}
		if _, calibrated := j.frame.measured[name]; len(c.errors) > 0 && !calibrated && !j.frame.hooked {
			continue // what was not recorded can not be seen: the errors say why
		}
		for _, why := range blind {
			c.unjudged("", why, "call it in the system under test, with the operation's id, where the work is done.")
		}
		if len(usable)+len(blind) == 0 {
			c.inconclusive("", fmt.Sprintf("Effects of %s were not judged: no observer counts them. Add one under effects:, or say effects: none.", name))
		}
	}
}

// idle says why none of the rules can judge anything with these observers.
func idle(rules []Rule, os []history.Observer) (why string) {
	for _, r := range rules {
		if r.needs == nil {
			return ""
		}
		if why = r.needs(os); why == "" {
			return ""
		}
	}
	return why
}

// conclude sorts what was found, makes notes of what is not judged, and lets
// the worst win.
func (c *caseFile) conclude() {
	for i := range c.Violations {
		c.Violations[i].Case = c.Name
	}
	all := narrow(c.Violations)
	slices.SortStableFunc(all, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(severity(a.Verdict), severity(b.Verdict)), cmp.Compare(rank(a.Rule), rank(b.Rule)))
	})
	c.Verdict, c.Violations = Pass, nil
	type told struct {
		verdict    Verdict
		op, scope  string
		rule, text string
	}
	seen := map[told]bool{}
	for _, v := range all {
		t := told{v.Verdict, v.Op, v.Scope, v.Rule, ""}
		if v.Verdict != Fail {
			t.rule, t.text = "", v.Reason
		}
		if seen[t] {
			continue
		}
		seen[t] = true
		if v.Verdict == Note {
			c.Notes = append(c.Notes, v.Reason)
			continue
		}
		c.Verdict = worse(c.Verdict, v.Verdict)
		c.Violations = append(c.Violations, v)
	}
}

// narrow drops at-most-once where refused-no-effect says the same of the same
// operation.
func narrow(vs []Violation) []Violation {
	refused := map[identity]bool{}
	for _, v := range vs {
		if v.Rule == RefusedNoEffect.Name && v.Verdict == Fail {
			refused[identity{v.Op, v.Scope}] = true
		}
	}
	return slices.DeleteFunc(vs, func(v Violation) bool {
		return v.Rule == AtMostOnce.Name && v.Verdict == Fail && refused[identity{v.Op, v.Scope}]
	})
}

func severity(v Verdict) int { return slices.Index([]Verdict{Fail, Inconclusive, Note}, v) }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
