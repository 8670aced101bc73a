package checkers

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// userRule judges a SQL rule by the rows that it returned before the run and
// after it. Rows that were there before are nobody's fault.
func (c *caseFile) userRule() {
	name := strings.TrimPrefix(c.Name, "rule/")
	c.Scenario = "rule"
	var before, after *history.Event
	for _, e := range c.states {
		if e.Attrs["when"] == "before" {
			before = e
		} else {
			after = e
		}
	}
	switch {
	case after == nil:
		c.inconclusive(name, "The rule was not read after the run.")
	case before != nil && before.Count > 0:
		c.inconclusive(name, fmt.Sprintf("%s before the run: %s. The rule can only judge where there are none.", rows(before.Count), firstRows(before.Body)))
	case after.Count > 0:
		v := Violation{Rule: name, Verdict: Fail, Witnesses: []int64{after.Seq},
			Reason: fmt.Sprintf("%s after the run: %s.", rows(after.Count), firstRows(after.Body))}
		c.Violations = append(c.Violations, v)
	case before == nil:
		c.inconclusive(name, "The rule was not read before the run.")
	}
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
