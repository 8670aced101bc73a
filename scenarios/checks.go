package scenarios

import (
	"context"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// Check is a rule of the user and how to read what it judges. Rules on
// expressions read nothing.
type Check struct {
	history.UserRule
	Within time.Duration                                                              // bounded: how long a record may stay after its life; 0: Limits.Settle
	Rows   func(context.Context) (rows []string, total int, err error)                // the first rows as JSON, and how many there are
	RowsOf func(context.Context, observe.Query) (rows map[string][]string, err error) // same: those of each operation, by id
}

// checksBefore announces the rules of the user and takes their first readings.
func (r *runner) checksBefore(ctx context.Context) {
	for _, c := range r.sys.Checks {
		r.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkCase, Case: c.case_(), Actor: tool,
			Attrs: map[string]string{"scenario": "rule", "rules": c.Name}}, nil)
		if why := c.lacks(r.sys); why != "" {
			r.mark(c.case_(), history.MarkSkipped, "", why)
		} else if c.Rows != nil {
			r.newReading(c).take(ctx, "before")
		}
	}
}

// lacks is the line that would enable a rule.
func (c Check) lacks(sys System) string {
	switch {
	case c.Kind != history.RuleBounded:
		return ""
	case sys.Contract.Life == 0:
		return "how long keys live is not known: add   contract: {life: 24h}"
	case sys.Age == nil:
		return "keys can not be made older: add   age: {sql: ${DATABASE_URL}, exec: update idempotency_keys set created_at = created_at - make_interval(secs => :seconds) where key in (:keys)}"
	}
	return ""
}

func (c Check) case_() string { return "rule/" + c.Name }

// checksAfter takes the readings after the run. What a rule finds wrong is read
// again until it is right or the bound is reached: a system may write late. Keys
// are made older only when all other rules have been read.
func (r *runner) checksAfter(ctx context.Context) {
	var bounded []Check
	for _, c := range r.sys.Checks {
		switch {
		case c.lacks(r.sys) != "":
		case c.Kind == history.RuleBounded:
			r.newReading(c).take(ctx, "after")
			bounded = append(bounded, c)
		case c.Rows != nil || c.RowsOf != nil:
			r.newReading(c).until(ctx, "after", r.sys.Limits.Settle)
		}
	}
	r.checkLife(ctx, bounded)
}

// checkLife makes all keys older in two steps: first within their life, then
// past it.
func (r *runner) checkLife(ctx context.Context, bounded []Check) {
	if len(bounded) == 0 {
		return
	}
	life := r.sys.Contract.Life
	if r.sys.AgeBy == 0 {
		if !r.ageAll(ctx, bounded, life/2) {
			return
		}
		r.watch(ctx, bounded)
	}
	if !r.ageAll(ctx, bounded, life+life/10) {
		return
	}
	for _, c := range bounded {
		within := c.Within
		if within == 0 {
			within = r.sys.Limits.Settle
		}
		r.newReading(c).until(ctx, "aged", within)
	}
}

// watch gives a sweep the time that it was said to take, and reads what it left.
func (r *runner) watch(ctx context.Context, bounded []Check) {
	var longest time.Duration
	for _, c := range bounded {
		longest = max(longest, c.Within)
	}
	if sleep(ctx, longest) != nil {
		return
	}
	for _, c := range bounded {
		r.newReading(c).take(ctx, "alive")
	}
}

// ageAll makes the keys of all operations older.
func (r *runner) ageAll(ctx context.Context, checks []Check, by time.Duration) bool {
	if r.sys.AgeBy != 0 {
		by = r.sys.AgeBy
	}
	if err := r.sys.Age.Age(ctx, r.everything(), by); err != nil {
		for _, c := range checks {
			r.mark(c.case_(), history.MarkError, "", err.Error())
		}
		return false
	}
	return true
}

// everything asks for all operations of the run.
func (r *runner) everything() observe.Query {
	q := observe.Query{Run: r.opt.Run}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, op := range r.ids {
		q.IDs = append(q.IDs, op.id)
		q.Keys = append(q.Keys, op.sent...)
	}
	return q
}

// reading reads for one rule and records what changed since it last did.
type reading struct {
	*runner
	Check
	last map[string]string // by id; "": that of the whole
}

func (r *runner) newReading(c Check) *reading { return &reading{r, c, map[string]string{}} }

// take reads once; false means that it could not, which is recorded.
func (d *reading) take(ctx context.Context, when string) bool {
	var err error
	if d.RowsOf != nil {
		err = d.takeEach(ctx, when)
	} else {
		var rows []string
		var total int
		if rows, total, err = d.Rows(ctx); err == nil {
			d.state("", when, rows, total)
		}
	}
	if err != nil {
		d.mark(d.case_(), history.MarkError, "", err.Error())
	}
	return err == nil
}

func (d *reading) takeEach(ctx context.Context, when string) error {
	q := d.everything()
	rows, err := d.RowsOf(ctx, q)
	if err != nil {
		return err
	}
	for _, id := range q.IDs {
		d.state(id, when, rows[id], len(rows[id]))
	}
	return nil
}

func (d *reading) state(id, when string, rows []string, total int) {
	body := strings.Join(rows, "\n")
	if last, ok := d.last[id]; ok && last == body {
		return
	}
	d.last[id] = body
	d.rec.Add(history.Event{Kind: history.State, Case: d.case_(), Op: id, Name: d.Name, Actor: tool, Count: total,
		Body: body, Attrs: map[string]string{"when": when}}, nil)
}

// until reads until the rule holds, for the bound at most. Rows that must not be
// there are read once: they do not go away.
func (d *reading) until(ctx context.Context, when string, bound time.Duration) {
	end := time.Now().Add(bound)
	for gap := firstPoll; d.take(ctx, when); gap = min(gap*3/2, mostPoll) {
		if d.Kind == history.RuleEmpty || time.Now().After(end) || d.holds() || sleep(ctx, gap) != nil {
			return
		}
	}
}

// holds judges the rule by what is recorded so far.
func (d *reading) holds() bool {
	h := d.rec.History()
	h.Events = append(h.Events[:len(h.Events):len(h.Events)], history.Event{Kind: history.Mark, Name: history.MarkEnd})
	for _, c := range expression.Judge(h, d.sys.Contract).Cases {
		if c.Name == d.case_() {
			return c.Verdict == checkers.Pass
		}
	}
	return false
}
