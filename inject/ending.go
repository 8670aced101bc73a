package inject

import (
	"maps"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// stuck is for how long History waits for attempts that have not ended.
const stuck = 10 * time.Second

// History ends the run and returns what happened: late copies are delivered,
// attempts that still run are waited for, at most 10 s, and so are effects that
// come after the answers, at most 1 s, or three times as long as one of them took
// to come, or 10 s of a bubble's clock. What comes after that is not recorded, and
// a test that makes attempts then and asks for the history once more fails.
func (r *Run) History() history.History {
	r.t.Helper()
	r.finish()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		if r.after > 0 {
			r.t.Errorf("inject: the run ended when History was first called, and what came after that (attempts: %d) is in no history: call it once, at the end, or start another run", r.after)
			r.after = 0
		}
		return r.result
	}
	r.conclude()
	r.ended = true
	_ = r.rec.Close() // it writes nothing
	r.result = r.rec.History()
	for _, name := range r.observers() {
		o := history.Observer{Name: name, Kind: "hook", By: "id", Expect: max(0, r.options.Expect), Say: r.options.Say, Unique: r.unique()}
		r.result.Header.Observers = append(r.result.Header.Observers, o)
	}
	return r.result
}

// finish delivers what is late and waits for what runs.
func (r *Run) finish() {
	r.delayed.Wait()
	r.mu.Lock()
	late := r.late
	r.late = nil
	r.mu.Unlock()
	for _, deliver := range late {
		deliver()
	}
	r.wait()
	r.settle()
}

// later takes over a copy that comes when all else is done, or after the time
// that its fault says.
func (r *Run) later(f Fault, deliver func()) {
	if f.Arg != "" {
		r.delayed.Go(func() {
			time.Sleep(f.duration(0))
			deliver()
		})
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.late = append(r.late, deliver)
}

// wait waits for the attempts on goroutines of ours.
func (r *Run) wait() {
	r.mu.Lock()
	if r.live == 0 {
		r.mu.Unlock()
		return
	}
	if r.quiet == nil {
		r.quiet = make(chan struct{})
	}
	quiet := r.quiet
	r.mu.Unlock()
	bound := time.NewTimer(stuck)
	defer bound.Stop()
	select {
	case <-quiet:
	case <-bound.C:
		r.fail("An attempt still ran %v after all else: it was not waited for.", stuck)
	}
}

// conclude adds what keeps the history from passing unearned, and its end.
func (r *Run) conclude() {
	r.armRest(r.options.Faults, sitesOf)
	r.armRest(r.options.Provider, func(Fault) []string { return []string{SiteProvider} })
	if r.unstruck && r.elsewhere != "" {
		r.fail("%s %s was to be killed at its effect, but Effect was called on another goroutine than the attempt's own, and only that one can be ended. Where work is handed on, as by http.TimeoutHandler, leave kills out.",
			r.options.Name, r.elsewhere)
	}
	if len(r.hooks) == 0 && len(r.foreign) > 0 {
		r.fail("Effect was called with %s only, and no operation of this run has such an id (it has %s): pass the id of the operation.",
			some(r.foreign), some(slices.Sorted(maps.Keys(r.ops))))
	}
	r.add(history.Event{Kind: history.Mark, Name: history.MarkSettled, Actor: tool}, nil)
	r.add(history.Event{Kind: history.Mark, Name: history.MarkEnd, Actor: tool}, nil)
}

func (r *Run) observers() []string {
	if len(r.hooks) == 0 {
		return []string{hookEffect}
	}
	return r.hooks
}

// unique says that the id alone must protect: a caller that makes a new key for
// each try does not make it right. Where a contract lets some repeats be carried
// out, keys and lives count.
func (r *Run) unique() string {
	c := &r.options.Contract
	if c.AfterLife.Has("new") || c.Mismatch.Has("execute") {
		return ""
	}
	return "id"
}
