package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// Polling of the observers: 20 ms, then half as long again each time, at most 500 ms.
const (
	firstPoll = 20 * time.Millisecond
	mostPoll  = 500 * time.Millisecond
)

// seen is what an observer showed of one subject.
type seen struct {
	n       int
	version string // of its entity; several are joined by commas
}

// and is s with one more count of the same subject.
func (s seen) and(c observe.Count) seen {
	s.n += c.N
	if c.Version != "" {
		s.version = strings.TrimPrefix(s.version+","+c.Version, ",")
	}
	return s
}

func (s seen) attrs() map[string]string {
	if s.version == "" {
		return nil
	}
	return map[string]string{history.AttrVersion: s.version}
}

// subject is what one observer counts under: an id or a key, perhaps in a scope.
type subject struct{ observer, id, key, scope string }

// settle reads the observers until each operation shows its acknowledged
// effects and, where effects come late, nothing has changed for a while; at
// most Limits.Settle. What it reads goes into the history.
func (r *runner) settle(ctx context.Context, ops []*live) {
	r.poll(ctx, ops, r.want(ops), r.quiet(ops))
}

// lateEffect is how long after the last attempt observers are read once more.
const lateEffect = time.Second

// settleAll reads every observer once more for every operation: a late second
// effect is found without a wait in each case. A run that a failure or its caller
// ended is not waited for.
func (r *runner) settleAll(ctx context.Context) {
	if len(r.sys.Observers) > 0 && !r.stopped.Load() {
		_ = sleep(ctx, time.Until(time.Unix(0, r.lastEnd.Load()).Add(lateEffect)))
	}
	r.poll(context.WithoutCancel(ctx), r.ids, nil, r.quiet(r.ids))
}

func (r *runner) poll(ctx context.Context, ops []*live, want map[subject]int, quiet time.Duration) {
	begin, gap, bound := time.Now(), firstPoll, r.settleBound(ops)
	var first, changed time.Time // when the first reading ended: a slow one is no waiting
	var before map[subject]seen
	for {
		got, err := r.read(ctx, ops)
		now := time.Now()
		if err != nil {
			r.markCases(ops, err)
			return
		}
		if first.IsZero() {
			first = now
		}
		if before == nil || !maps.Equal(got, before) {
			before, changed = got, now
		}
		r.recordCounts(ops, got)
		stable := now.Sub(changed) >= quiet
		if late := now.Sub(first) >= bound; late || stable && reached(got, want) {
			r.settled(ops, stable, now.Sub(begin).Round(100*time.Millisecond))
			return
		}
		if sleep(ctx, gap) != nil {
			r.markCases(ops, context.Cause(ctx))
			return
		}
		gap = min(gap*3/2, mostPoll)
	}
}

// settleBound is how long the effects of operations may take to show: longer
// where a provider was asked to take its time.
func (r *runner) settleBound(ops []*live) time.Duration {
	bound := r.sys.Limits.Settle
	for _, op := range ops {
		bound = max(bound, r.sys.Limits.Settle+op.slowed)
	}
	return bound
}

// reached says whether got has all that is wanted, over all scopes.
func reached(got map[subject]seen, want map[subject]int) bool {
	sum := map[subject]int{}
	for s, n := range got {
		s.scope = ""
		sum[s] += n.n
	}
	for s, n := range want {
		if sum[s] < n {
			return false
		}
	}
	return true
}

// read asks every observer for the operations it counts for. What it does not
// find is 0, so that "read and saw none" is recorded too.
func (r *runner) read(ctx context.Context, ops []*live) (map[subject]seen, error) {
	got := map[subject]seen{}
	for _, o := range r.sys.Observers {
		scopes := []string{""}
		if o.Scoped && len(r.sys.Scopes) > 0 {
			scopes = r.sys.Scopes
		}
		for _, scope := range scopes {
			q, asked := r.question(o, ops, scope)
			if len(asked) == 0 {
				continue
			}
			if err := r.readOne(ctx, o, q.Query, asked, got); err != nil {
				return nil, fmt.Errorf("observer %s: %w", o.Name, err)
			}
		}
	}
	return got, nil
}

// question is what an observer is asked for, of one scope or "" for all.
func (r *runner) question(o Observer, ops []*live, scope string) (query, map[subject]bool) {
	q := query{Query: observe.Query{Run: r.opt.Run, Scope: scope}}
	asked := map[subject]bool{}
	for _, op := range ops {
		if !op.begun || !counts(o, op.Name) || scope != "" && op.scope != scope {
			continue
		}
		for _, s := range subjects(o, op) {
			if s.scope = scope; !asked[s] {
				asked[s] = true
				q.add(s)
			}
		}
	}
	return q, asked
}

// query is an observer's question as it grows.
type query struct{ observe.Query }

func (q *query) add(s subject) {
	if s.key != "" {
		q.Keys = append(q.Keys, s.key)
	} else {
		q.IDs = append(q.IDs, s.id)
	}
}

func (r *runner) readOne(ctx context.Context, o Observer, q observe.Query, asked map[subject]bool, got map[subject]seen) error {
	if p := r.sys.Providers[o.Name]; p != nil {
		ledger := p.Ledger()
		for _, id := range q.IDs {
			got[subject{observer: o.Name, id: id}] = seen{n: ledger[id]}
		}
		return nil
	}
	cs, err := o.Read.Read(ctx, q)
	if err != nil {
		return err
	}
	for s := range asked {
		got[s] = seen{}
	}
	for _, c := range cs {
		s := subject{observer: o.Name, id: c.ID, key: c.Key, scope: q.Scope}
		if !asked[s] {
			continue
		}
		c.Scope = cmp.Or(c.Scope, q.Scope)
		if c.Scope != q.Scope && len(r.sys.Scopes) > 0 {
			if !slices.Contains(r.sys.Scopes, c.Scope) {
				return fmt.Errorf("it reports the scope %q, which is no name under scopes: (%s); leave the scope out, or report it under these names", c.Scope, strings.Join(r.sys.Scopes, ", "))
			}
			delete(got, s)
			s.scope = c.Scope
		}
		got[s] = got[s].and(c)
	}
	return nil
}
