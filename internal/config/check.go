package config

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// rules makes the rules of the file into checks.
func (a *assembly) rules() error {
	for _, r := range a.Rules {
		c := scenarios.Check{UserRule: r.UserRule, Within: r.WithinTime}
		if r.Query != "" {
			db, err := observe.OpenSQL(r.URL, r.Query, a.Exclusive)
			if err != nil {
				return fmt.Errorf("%s: rule %s: %w", a.Name, r.Name, err)
			}
			a.closers = append(a.closers, func() { db.Close() })
			if r.Kind == history.RuleSame {
				c.RowsOf = db.RowsOf
			} else {
				c.Rows = func(ctx context.Context) ([]string, int, error) { return db.Rows(ctx, a.run) }
			}
		}
		a.sys.Checks = append(a.sys.Checks, c)
	}
	return nil
}

// askRule asks for what a rule reads, to see whether it is understood.
func askRule(ctx context.Context, c scenarios.Check) (err error) {
	switch {
	case c.RowsOf != nil:
		_, err = c.RowsOf(ctx, observe.Query{IDs: []string{"idemcheck-nobody"}, Run: "idemcheck-nobody"})
	case c.Rows != nil:
		_, _, err = c.Rows(ctx)
	}
	return err
}
