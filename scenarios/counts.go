package scenarios

import (
	"context"
	"strconv"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// glance reads once, without waiting: what is there is recorded near its cause.
func (r *runner) glance(ctx context.Context, ops []*live) {
	if got, err := r.read(ctx, ops); err == nil { // settling will meet the error again
		r.recordCounts(ops, got)
	}
}

// recordCounts appends what the counting observers showed, if it changed or was
// not recorded since the last attempt. Those that see live record their own.
func (r *runner) recordCounts(ops []*live, got map[subject]seen) {
	cases := map[string]string{}
	for _, op := range ops {
		cases[op.id] = op.case_
		for _, key := range op.sent {
			cases[key] = op.case_
		}
	}
	live := map[string]bool{}
	for _, o := range r.sys.Observers {
		live[o.Name] = o.Attach != nil || r.sys.Providers[o.Name] != nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for s, n := range got {
		name := s.id + s.key
		if last, ok := r.last[name][s]; live[s.observer] || ok && last == n {
			continue
		}
		if r.last[name] == nil {
			r.last[name] = map[subject]seen{}
		}
		r.last[name][s] = n
		r.rec.Add(history.Event{
			Kind: history.Effect, Case: cases[name], Op: s.id, Key: s.key, Scope: s.scope,
			Name: s.observer, Actor: s.observer, Count: n.n, Attrs: n.attrs(),
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
	sum := map[string]int{}
	for s, n := range got {
		sum[s.observer] += n.n
	}
	for _, n := range sum {
		if n == 0 {
			return false
		}
	}
	return true
}
