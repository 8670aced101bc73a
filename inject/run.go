package inject

import (
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// tool is the actor of what this package does.
const tool = "idemcheck"

// Run is one run in process: it gives ids to operations, strikes their attempts
// and records what happens. It is safe for use by many goroutines.
type Run struct {
	t        TB
	options  Options
	schedule Schedule
	seed     uint64
	rec      *history.Recorder
	root     int64   // the goroutine of the test
	bubble   bool    // it is in a bubble of testing/synctest
	parent   *parent // of a Process: the test

	mu      sync.Mutex
	ops     map[string]*operation
	odd     []string        // ids that are not one word
	given   int             // ids that IDs gave
	queued  int             // ids that queues made
	hooks   []string        // observers that have seen something, in order
	foreign []string        // ids of effects that are no operations
	decided map[asked]bool  // faults that the schedule has decided on
	late    []func()        // copies that come after all else
	delayed sync.WaitGroup  // those that come after a time
	live    int             // attempts that run on goroutines of ours
	quiet   chan struct{}   // closed when none does any more
	result  history.History // once ended
	ended   bool
}

// operation is what a run knows of one operation. Run.mu guards it.
type operation struct {
	id       string
	number   int
	requests map[string]int     // attempts of the caller, by site
	copies   int                // attempts, those that faults added included
	effects  map[string]int     // by observer
	keys     map[string]bool    // that providers have done work under, by host
	failing  map[string]failure // of providers that are to go on failing
	running  []*attempt
	waiting  int           // attempts that stand at their effect until the others come
	meeting  int           // how often all had come
	changed  chan struct{} // closed when one of these has changed
}

// IDs gives the ids of n operations: "order-1", "order-2" ... A second call goes
// on where the first one ended.
func (r *Run) IDs(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for range n {
			r.mu.Lock()
			r.given++
			id := r.options.Name + "-" + strconv.Itoa(r.given)
			r.know(id, r.given)
			r.mu.Unlock()
			if !yield(id) {
				return
			}
		}
	}
}

// know makes the operation of an id, if there is none. It is called with mu held.
func (r *Run) know(id string, number int) *operation {
	op := r.ops[id]
	if op == nil {
		op = &operation{id: id, number: number, effects: map[string]int{}, requests: map[string]int{}}
		r.ops[id] = op
		if !oneWord(id) {
			r.odd = append(r.odd, id)
		}
	}
	return op
}

// numbered is the number of an operation whose id the user made: it must not
// depend on which goroutine came first.
func numbered(id string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return int(h.Sum32())
}

// operation is what is known of an id; nil if nothing is.
func (r *Run) operation(id string) *operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ops[id]
}

// decide asks the schedule what is to be done to the next attempt of a caller.
func (r *Run) decide(site string, op *operation) []Fault {
	r.mu.Lock()
	op.requests[site]++
	n := op.requests[site]
	r.mu.Unlock()
	fs := fitting(site, r.schedule(Site{Name: site, Number: op.number, Attempt: n}))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range fs {
		if f != Reorder { // which the queue does
			r.arm(site, f)
		}
	}
	return fs
}

// asked is a fault at a kind of site.
type asked struct {
	site  string
	fault Fault
}

// kindOf is the kind of a site: "provider" of "provider/card".
func kindOf(site string) string {
	kind, _, _ := strings.Cut(site, "/")
	return kind
}

// arm notes that a fault was asked for. It is called with mu held.
func (r *Run) arm(site string, f Fault) {
	if r.decided == nil {
		r.decided = map[asked]bool{}
	}
	r.decided[asked{kindOf(site), f}] = true
	attrs := map[string]string{history.AttrFault: f.Name}
	if f.Arg != "" {
		attrs[history.AttrArg] = f.Arg
	}
	r.add(history.Event{Kind: history.Mark, Name: history.MarkArmed, Actor: tool, Attrs: attrs}, nil)
}

// fired notes that a fault has struck an attempt of an operation.
func (r *Run) fired(op *operation, attempt int, f Fault) {
	e := history.Event{Kind: history.Fault, Name: f.Name, Op: op.id, Attempt: attempt, Actor: tool}
	if f.Arg != "" {
		e.Attrs = map[string]string{history.AttrArg: f.Arg}
	}
	r.add(e, nil)
}

// add records an event of the run's one case.
func (r *Run) add(e history.Event, body []byte) {
	e.Case = r.t.Name()
	r.rec.Add(e, body)
}

// fail is what the tool could not do: no history with it passes.
func (r *Run) fail(format string, args ...any) {
	r.add(history.Event{Kind: history.Mark, Name: history.MarkError, Actor: tool, Cause: fmt.Sprintf(format, args...)}, nil)
}

// stuck is for how long History waits for attempts that have not ended.
const stuck = 10 * time.Second

// History ends the run and returns what happened: late copies are delivered,
// and attempts that still run are waited for, at most 10 s. What comes after
// that is not recorded.
func (r *Run) History() history.History {
	r.t.Helper()
	r.finish()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return r.result
	}
	r.conclude()
	r.ended = true
	_ = r.rec.Close() // it writes nothing
	r.result = r.rec.History()
	for _, name := range r.observers() {
		o := history.Observer{Name: name, Kind: "hook", By: "id", Expect: r.options.Expect, Say: r.options.Say, Unique: r.unique()}
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
	if len(r.hooks) == 0 && len(r.foreign) > 0 {
		r.fail("Effect was called with %s only, and no operation of this run has such an id (it has %s): pass the id of the operation.",
			some(r.foreign), some(slices.Sorted(maps.Keys(r.ops))))
	}
	r.add(history.Event{Kind: history.Mark, Name: history.MarkSettled, Actor: tool}, nil)
	r.add(history.Event{Kind: history.Mark, Name: history.MarkEnd, Actor: tool}, nil)
}

// armRest asks for faults that had no turn: there were too few operations.
func (r *Run) armRest(fs []Fault, sites func(Fault) []string) {
	for _, f := range fs {
		if !slices.ContainsFunc(sites(f), func(site string) bool { return r.decided[asked{site, f}] }) {
			r.arm("", f)
		}
	}
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

// some are the first of many names.
func some(names []string) string {
	const most = 3
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
