package scenarios

import (
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// check runs the user's SQL rules.
func (r *runner) check(when string) {
	for _, c := range r.sys.Checks {
		name := "rule/" + c.Name
		if when == "before" {
			r.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkCase, Case: name, Actor: tool,
				Attrs: map[string]string{"scenario": "rule", "rules": c.Name}}, nil)
		}
		rows, n, err := c.Rows()
		if err != nil {
			r.mark(name, history.MarkError, "", err.Error())
			continue
		}
		r.rec.Add(history.Event{Kind: history.State, Case: name, Name: c.Name, Actor: tool, Count: n,
			Body: strings.Join(rows, "\n"), Attrs: map[string]string{"when": when}}, nil)
	}
}
