package scenarios

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// Polling of the observers: 20 ms, then half as long again each time, at most 500 ms.
const (
	firstPoll = 20 * time.Millisecond
	mostPoll  = 500 * time.Millisecond
)

// subject is what one observer counts under: an id or a key, perhaps in a scope.
type subject struct{ observer, id, key, scope string }

// settle reads the observers until each operation shows its acknowledged
// effects and, where effects come late, nothing has changed for a while; at
// most Limits.Settle. What it reads goes into the history.
func (r *runner) settle(ctx context.Context, ops []*live) {
	r.poll(ctx, ops, r.want(ops), r.quiet(ops))
}

// settleAll reads every observer once more for every operation: a late second
// effect is found without a wait in each case.
func (r *runner) settleAll(ctx context.Context) {
	r.poll(ctx, r.ids, nil, r.quiet(r.ids))
}

func (r *runner) poll(ctx context.Context, ops []*live, want map[subject]int, quiet time.Duration) {
	begin := time.Now()
	changed, gap := begin, firstPoll
	var before map[subject]int
	for {
		got, err := r.read(ctx, ops)
		now := time.Now()
		if err != nil {
			r.markCases(ops, err)
			return
		}
		if !maps.Equal(got, before) {
			before, changed = got, now
		}
		r.recordCounts(ops, got)
		stable := now.Sub(changed) >= quiet
		if late := now.Sub(begin) >= r.sys.Limits.Settle; late || stable && reached(got, want) {
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

// want is the lower bound of each count: what was acknowledged must be there.
// Observers that calibration found blind are not waited for.
func (r *runner) want(ops []*live) map[subject]int {
	want := map[subject]int{}
	for _, o := range r.sys.Observers {
		for _, op := range ops {
			if op.effective && counts(o, op.Name) && r.sees(o, op) {
				want[wanted(o, op)] += max(1, o.Expect)
			}
		}
	}
	return want
}

// sees says whether an observer showed the effects of calibration; true before
// it. An API that was calibrated in one scope may not show another.
func (r *runner) sees(o Observer, op *live) bool {
	c, ok := r.calibration[op.Name]
	if o.By == "key" && op.okKey == "" {
		return false
	}
	return !ok || c.Effects[o.Name] == max(1, o.Expect) && (o.Kind != "http" || op.scope == c.Scope)
}

// wanted is where the effect of an acknowledged operation must show.
func wanted(o Observer, op *live) subject {
	if o.By == "key" {
		return subject{observer: o.Name, key: op.okKey}
	}
	return subject{observer: o.Name, id: op.id}
}

// subjects are all under which an observer may report the operation.
func subjects(o Observer, op *live) []subject {
	if o.By != "key" {
		return []subject{{observer: o.Name, id: op.id}}
	}
	var all []subject
	for _, key := range op.sent {
		all = append(all, subject{observer: o.Name, key: key})
	}
	return all
}

// quiet is how long counts must stand still: nothing if effects came within the handler's time.
func (r *runner) quiet(ops []*live) time.Duration {
	var latest time.Duration
	for _, op := range ops {
		latest = max(latest, r.calibration[op.Name].Latency)
	}
	if latest == 0 {
		return 0
	}
	return max(250*time.Millisecond, 3*latest)
}

// reached says whether got has all that is wanted, over all scopes.
func reached(got, want map[subject]int) bool {
	sum := map[subject]int{}
	for s, n := range got {
		s.scope = ""
		sum[s] += n
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
func (r *runner) read(ctx context.Context, ops []*live) (map[subject]int, error) {
	got := map[subject]int{}
	for _, o := range r.sys.Observers {
		q := query{Query: observe.Query{Run: r.opt.Run}}
		asked := map[subject]bool{}
		for _, op := range ops {
			if !op.begun || !counts(o, op.Name) {
				continue
			}
			for _, s := range subjects(o, op) {
				if !asked[s] {
					asked[s] = true
					q.add(s)
				}
			}
		}
		if len(asked) == 0 {
			continue
		}
		if err := r.readOne(ctx, o, q.Query, asked, got); err != nil {
			return nil, fmt.Errorf("observer %s: %w", o.Name, err)
		}
	}
	return got, nil
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

func (r *runner) readOne(ctx context.Context, o Observer, q observe.Query, asked map[subject]bool, got map[subject]int) error {
	if p := r.sys.Providers[o.Name]; p != nil {
		ledger := p.Ledger()
		for _, id := range q.IDs {
			got[subject{observer: o.Name, id: id}] = ledger[id]
		}
		return nil
	}
	cs, err := o.Read.Read(ctx, q)
	if err != nil {
		return err
	}
	for s := range asked {
		got[s] = 0
	}
	for _, c := range cs {
		s := subject{observer: o.Name, id: c.ID, key: c.Key}
		if !asked[s] {
			continue
		}
		if c.Scope != "" {
			delete(got, s)
			s.scope = c.Scope
		}
		got[s] += c.N
	}
	return nil
}

// glance reads once, without waiting: what is there is recorded near its cause.
func (r *runner) glance(ctx context.Context, ops []*live) {
	if got, err := r.read(ctx, ops); err == nil { // settling will meet the error again
		r.recordCounts(ops, got)
	}
}

// recordCounts appends what the counting observers showed, if it changed or was
// not recorded since the last attempt. Providers record their own.
func (r *runner) recordCounts(ops []*live, got map[subject]int) {
	cases := map[string]string{}
	for _, op := range ops {
		cases[op.id] = op.case_
		for _, key := range op.sent {
			cases[key] = op.case_
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for s, n := range got {
		name := s.id + s.key
		if last, ok := r.last[name][s]; r.sys.Providers[s.observer] != nil || ok && last == n {
			continue
		}
		if r.last[name] == nil {
			r.last[name] = map[subject]int{}
		}
		r.last[name][s] = n
		r.rec.Add(history.Event{
			Kind: history.Effect, Case: cases[name], Op: s.id, Key: s.key, Scope: s.scope,
			Name: s.observer, Actor: s.observer, Count: n,
		}, nil)
	}
}

// settled notes that the effects of these operations were read to the end.
func (r *runner) settled(ops []*live, stable bool, waited time.Duration) {
	attrs := map[string]string{"stable": strconv.FormatBool(stable), "waited": waited.String()}
	for _, op := range ops {
		r.rec.Add(history.Event{
			Kind: history.Mark, Name: history.MarkSettled, Case: op.case_, Op: op.id, Scope: op.scope, Actor: tool, Attrs: attrs,
		}, nil)
	}
}

// markCases notes in each case of ops that its effects could not be read.
func (r *runner) markCases(ops []*live, err error) {
	seen := map[string]bool{}
	for _, op := range ops {
		if !seen[op.case_] {
			seen[op.case_] = true
			r.mark(op.case_, history.MarkError, "", err.Error())
		}
	}
}

// effectThere says whether each observer that can see op's effect shows it; false without one.
func (r *runner) effectThere(ctx context.Context, op *live) bool {
	got, err := r.read(ctx, []*live{op})
	if err != nil || len(got) == 0 {
		return false
	}
	seen := map[string]int{}
	for s, n := range got {
		seen[s.observer] += n
	}
	for _, n := range seen {
		if n == 0 {
			return false
		}
	}
	return true
}
