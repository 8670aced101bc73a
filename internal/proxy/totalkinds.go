package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// find gathers the totals of the file: queries that show everyone's effects, the
// books that rules compare with a provider, and metrics of repeats. They mean
// something only where nobody else writes.
func (t *totals) find() (all []*total) {
	sys := &t.p.opt.System
	if !sys.Exclusive {
		return nil
	}
	of := map[string][]string{}
	for _, o := range sys.Observers {
		of[o.Name] = o.Of
		if o.Kind == "sql" && o.Read != nil && !o.Scoped {
			all = append(all, &total{name: o.Name, say: o.Say, of: o.Of, read: everyone(o)})
		}
	}
	for _, c := range sys.Checks {
		switch {
		case c.Rows == nil:
		case c.Kind == history.RuleAgree:
			all = append(all, &total{name: c.Name, of: of[c.Outside], read: number(c)})
		case c.Kind == history.RuleCounted && len(t.p.opt.To) == 1: // else those of the other replica may not be in it
			all = append(all, &total{name: fmt.Sprintf("what %q does not count", c.Name), of: c.Of, again: true, read: number(c)})
		}
	}
	for _, s := range all {
		s.not = map[string]int{}
	}
	return all
}

// everyone asks for nobody: a query without parameters shows all effects there are,
// any other none.
func everyone(o scenarios.Observer) func(context.Context) (float64, bool, error) {
	return func(ctx context.Context) (sum float64, ok bool, err error) {
		list, err := o.Read.Read(ctx, observe.Query{Run: "idemcheck-nobody"})
		for _, c := range list {
			sum += float64(c.N)
		}
		return sum, sum > 0, err
	}
}

// number reads the one number of a rule. Where there is none, as before a metric first
// counts, it is not known.
func number(c scenarios.Check) func(context.Context) (float64, bool, error) {
	return func(ctx context.Context) (float64, bool, error) {
		rows, n, err := c.Rows(ctx)
		if err != nil || n != 1 || len(rows) != 1 {
			return 0, false, err
		}
		var row map[string]any
		d := json.NewDecoder(strings.NewReader(rows[0]))
		d.UseNumber()
		if err := d.Decode(&row); err != nil || len(row) != 1 {
			return 0, false, err
		}
		for _, v := range row {
			if f, err := strconv.ParseFloat(fmt.Sprint(v), 64); err == nil {
				return f, true, nil
			}
		}
		return 0, false, nil
	}
}
