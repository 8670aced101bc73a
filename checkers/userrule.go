package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// userCase is the case of a rule of the user, with what was read for it.
type userCase struct {
	*caseFile
	judge *judge
	rule  history.UserRule
	last  map[string]*history.Event // the last reading by "when"
}

// own judges a rule of the user.
func (j *judge) own(c *caseFile) {
	u := userCase{caseFile: c, judge: j, rule: history.UserRule{Name: strings.TrimPrefix(c.Name, ruleCases), Kind: history.RuleEmpty},
		last: map[string]*history.Event{}}
	c.Scenario = "rule"
	if i := slices.IndexFunc(j.h.Header.Rules, func(r history.UserRule) bool { return r.Name == u.rule.Name }); i >= 0 {
		u.rule = j.h.Header.Rules[i]
	}
	for _, e := range c.states {
		when := e.Attrs["when"]
		if when == "" {
			when = "after"
		}
		u.last[when] = e
	}
	switch u.rule.Kind {
	case history.RuleEmpty:
		u.empty()
	case history.RuleExpr, history.RuleEach:
		u.expression()
	case history.RuleConserved:
		u.conserved()
	case history.RuleBounded:
		u.bounded()
	case history.RuleSame:
		u.same()
	case history.RuleAgree:
		u.agree()
	case history.RuleCounted:
		u.counted()
	default:
		u.open(fmt.Sprintf("A rule of kind %q is not known to this version.", u.rule.Kind))
	}
}

const ruleCases = "rule/"

// isRule reports whether the case is that of a rule of the user.
func (j *judge) isRule(c *caseFile) bool {
	name, ok := strings.CutPrefix(c.Name, ruleCases)
	return ok && c.ops == nil && (c.states != nil ||
		slices.ContainsFunc(j.h.Header.Rules, func(r history.UserRule) bool { return r.Name == name }))
}

func (u *userCase) open(reason string) { u.inconclusive(u.rule.Name, reason) }

func (u *userCase) fail(reason string, witnesses ...int64) {
	u.Violations = append(u.Violations, Violation{Rule: u.rule.Name, Verdict: Fail, Reason: reason, Witnesses: witnesses})
}

// mine are the operations under test that the rule judges.
func (u *userCase) mine() (ops []history.Operation, entries []entry) {
	for i := range u.judge.x.ops {
		op := &u.judge.x.ops[i]
		if (len(u.judge.tested) == 0 || u.judge.tested[op.Name]) && (len(u.rule.Of) == 0 || slices.Contains(u.rule.Of, op.Name)) {
			ops, entries = append(ops, *op), append(entries, u.judge.x.entries[i])
		}
	}
	return ops, entries
}

// empty: a query that must return no rows. Rows that were there before are
// nobody's fault.
func (u *userCase) empty() {
	before, after := u.last["before"], u.last["after"]
	switch {
	case after == nil:
		u.open("The rule was not read after the run.")
	case before != nil && before.Count > 0:
		u.open(fmt.Sprintf("%s before the run: %s. The rule can only judge where there are none.", rows(before.Count), firstRows(before.Body)))
	case after.Count > 0:
		u.fail(fmt.Sprintf("%s after the run: %s.%s", rows(after.Count), firstRows(after.Body), u.senders(after.Body)), after.Seq)
	case before == nil:
		u.open("The rule was not read before the run.")
	}
}

// senders says which cases sent the operations that the first rows name: some
// send one id under two keys, or from two tenants, on purpose.
func (u *userCase) senders(body string) string {
	named := map[string]bool{}
	words(firstRows(body), func(_ []byte, word string, _ bool) bool {
		named[word] = true
		return true
	})
	var said []string
	for _, op := range u.judge.x.ops {
		if says := op.ID + " was sent by " + op.Case; named[op.ID] && op.Case != "" && !slices.Contains(said, says) {
			said = append(said, says)
		}
	}
	if len(said) == 0 {
		return ""
	}
	return " " + strings.Join(said, ", ") + "."
}

// expression: the caller of JudgeOwn compiled it.
func (u *userCase) expression() {
	for _, r := range u.judge.ownRules {
		if r.Name != u.rule.Name {
			continue
		}
		ops, entries := u.mine()
		if len(ops) == 0 {
			u.open("No operation was sent.")
			return
		}
		u.Violations = append(u.Violations, runAll([]Rule{r}, u.judge.frame.groups(ops, entries))...)
		return
	}
	u.open("The rule is an expression, which was not compiled here.")
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// firstRows shows at most three.
func firstRows(body string) string {
	lines := strings.Split(strings.TrimSpace(body), "\n")
	if len(lines) > 3 {
		lines = append(lines[:3], "...")
	}
	return strings.Join(lines, ", ")
}
