package proxy

import (
	"context"
	"errors"
	"fmt"

	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// ask asks all observers for subjects, each once. What comes back gives the
// counts of one of them by observer; what was not found is 0.
func (e *effects) ask(ctx context.Context, all []*subject) func(s *subject) (map[string]int, error) {
	type result struct {
		counts map[string]int
		err    error
	}
	got := map[string]result{}
	for _, o := range e.all {
		var q observe.Query
		for _, s := range all {
			if e.counts(o, s) {
				if o.By == "key" {
					q.Keys = append(q.Keys, s.key)
				} else {
					q.IDs = append(q.IDs, s.id)
				}
			}
		}
		if len(q.IDs)+len(q.Keys) > 0 {
			q.Run = e.p.opt.Run
			counts, err := e.read(ctx, o, q)
			e.complain(o.Name, err)
			got[o.Name] = result{counts, err}
		}
	}
	return func(s *subject) (map[string]int, error) {
		counts := map[string]int{}
		var failed error
		for _, o := range e.all {
			r, asked := got[o.Name]
			switch {
			case !asked || !e.counts(o, s):
			case r.err != nil:
				failed = errors.Join(failed, r.err)
			case o.By == "key":
				counts[o.Name] = r.counts[s.key]
			default:
				counts[o.Name] = r.counts[s.id]
			}
		}
		if len(counts) == 0 {
			return nil, errors.Join(failed, errors.New("no observer counts it"))
		}
		return counts, nil
	}
}

// counts tells whether an observer can be asked for a subject.
func (e *effects) counts(o scenarios.Observer, s *subject) bool {
	if o.By == "key" && s.key == "" || o.Scoped {
		return false
	}
	return s.name == "" && len(o.Of) == 0 || s.name != "" && o.Counts(s.name)
}

func (e *effects) read(ctx context.Context, o scenarios.Observer, q observe.Query) (map[string]int, error) {
	if p := e.p.opt.System.Providers[o.Name]; p != nil {
		return p.Ledger(), nil
	}
	list, err := o.Read.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, c := range list {
		if o.By == "key" {
			counts[c.Key] += c.N
		} else {
			counts[c.ID] += c.N
		}
	}
	return counts, nil
}

// complain tells of the first error of an observer.
func (e *effects) complain(name string, err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	e.mu.Lock()
	told := e.failed[name]
	e.failed[name] = true
	e.mu.Unlock()
	if !told {
		e.p.note(fmt.Sprintf("observer %s: %v", name, err))
	}
}
