package inject

import (
	"fmt"
	"iter"
	"strconv"
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

	mu       sync.Mutex
	ops      map[string]*operation
	odd      []string        // ids that are not one word
	given    int             // ids that IDs gave
	queued   int             // ids that queues made
	hooks    []string        // observers that have seen something, in order
	foreign  []string        // ids of effects that are no operations
	decided  map[asked]bool  // faults that the schedule has decided on
	late     []func()        // copies that come after all else
	delayed  sync.WaitGroup  // those that come after a time
	live     int             // attempts that run on goroutines of ours
	quiet    chan struct{}   // closed when none does any more
	fastest  time.Duration   // way from the beginning of an attempt to its effect
	slowest  time.Duration   // how long after its answer an effect came
	lastLate time.Time       // when the last such effect came
	result   history.History // once ended
	ended    bool
	after    int  // attempts that the test made after that
	unstruck bool // an attempt ended that was to be killed

	elsewhere  string   // an operation whose effect was on a goroutine that cannot be killed
	complaints []string // what was wrong with requests
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

// fired notes that a fault has struck an attempt of an operation.
func (r *Run) fired(op *operation, attempt int, f Fault) { r.firedAt(op, attempt, f, "") }

// firedAt is fired for a fault that struck at a moment.
func (r *Run) firedAt(op *operation, attempt int, f Fault, moment string) {
	e := history.Event{Kind: history.Fault, Name: f.Name, Op: op.id, Attempt: attempt, Actor: tool, Attrs: map[string]string{}}
	if f.Arg != "" {
		e.Attrs[history.AttrArg] = f.Arg
	}
	if moment != "" {
		e.Attrs[history.AttrMoment] = moment
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
