package config

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// rules makes the rules of the file into checks.
func (a *assembly) rules() error {
	for _, r := range a.Rules {
		c := scenarios.Check{UserRule: r.UserRule, Within: r.WithinTime}
		switch {
		case r.Kind == history.RuleCounted:
			rows, err := a.metric(r)
			if err != nil {
				return fmt.Errorf("%s: rule %s: %w", a.Name, r.Name, err)
			}
			c.Rows = rows
		case r.Query != "":
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

// metric reads a metric as one row, the sum over all pages; null where it is on none.
func (a *assembly) metric(r Rule) (func(context.Context) ([]string, int, error), error) {
	series, err := observe.ParseSeries(r.Query)
	headers := http.Header{}
	for _, h := range r.Headers {
		value, bad := h.Value.Expand(template.Vars{Run: a.run})
		headers.Set(h.Name, value)
		err = errors.Join(err, bad)
	}
	return func(ctx context.Context) ([]string, int, error) {
		var sum float64
		row := "null"
		for _, page := range r.Pages {
			m := &observe.Metrics{URL: page, Agent: a.agent, Headers: headers}
			v, found, err := m.Value(ctx, series)
			if err != nil {
				return nil, 0, err
			}
			if sum += v; found {
				row = strconv.FormatFloat(sum, 'f', -1, 64)
			}
		}
		return []string{`{"value":` + row + "}"}, 1, nil
	}, err
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
