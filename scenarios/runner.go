package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// tool is the actor of what idemcheck itself does.
const tool = "idemcheck"

// runner carries out the cases of one run.
type runner struct {
	sys          System
	opt          Options
	rec          *history.Recorder
	board        *board // sees the steps of links and points; nil: there are none
	unwatch      func() // ends that; nil: there is no board
	workers      []*hand
	links        []store
	learned      map[string][]learned // the moments of each operation
	traffic      traffic
	calibration  map[string]checkers.Calibration
	uncalibrated map[string]string // why the cases of an operation cannot be judged
	first        map[string]int    // the first operation number of each case
	total        int               // numbers given
	wide         int               // cases that run side by side; 0: atATime
	free         bool              // the user set no limit of attempts

	stop     context.CancelCauseFunc // ends the run early, with a reason
	stopped  atomic.Bool             // StopAtFail met a failure
	done     atomic.Int64
	sent     atomic.Int64 // attempts so far
	lastEnd  atomic.Int64 // when the last of them ended, in ns since 1970
	answered atomic.Bool  // the target answered something once
	pace     pace

	mu     sync.Mutex
	broken error
	live   map[string]*live            // every operation under test by id
	ids    []*live                     // the same, in order
	last   map[string]map[subject]seen // the last counts recorded since the last attempt, by id or key
	tries  map[[2]string]int           // attempts so far, by id and scope
}

// live is an operation while it runs.
type live struct {
	Operation
	id, key, scope string
	base           string            // the id that others which look like it are made from
	alike          string            // the base of the pair that its id or key is one of
	number         int               // draws its values; its id is made from it
	block          int               // the operations before it take the numbers after this one
	values         map[string]string // taken from operations that ran before it
	numbers        map[string]bool   // those that were JSON numbers
	value          string            // the form of its first fair field; "": as it is
	version        int               // of its entity, from 1; 0: as it is
	case_          string
	begun          bool
	prepared       bool
	effective      bool     // some attempt ended ok
	sent           []string // the keys that went over the wire
	okKey          string   // that of the last attempt that ended ok
	end            ending
	slowed         time.Duration // what a provider was asked to take for it
}

// ending is the last end of an operation's attempts.
type ending struct {
	kind   history.Kind
	status string
	answer string // to see whether answers are equal
	retry  string // Retry-After
	body   []byte
	header http.Header
}

// number gives each case the operation numbers it will use, before any is
// sent: a run of the same plans has the same numbers, whatever the timing.
func (r *runner) number(cases []Case) {
	next := 1
	for _, o := range r.sys.Operations {
		if o.Test {
			r.first[history.CaseCalibration+"/"+o.Name] = next
			next += 2 * r.cost(o)
		}
	}
	for _, c := range cases {
		r.first[c.Name] = next
		if c.Skip == "" {
			next += r.costOf(c)
		}
	}
	r.total = next - 1
	if r.free { // many operations need more than the default
		r.sys.Limits.Attempts = max(r.sys.Limits.Attempts, perNumber*r.total)
	}
}

// perNumber is how many attempts one operation may take, as a limit of the run that nobody set.
const perNumber = 4

// costOf is how many numbers a case takes at most.
func (r *runner) costOf(c Case) int {
	n, selves := 0, c.Plan.selves()
	for _, ro := range c.Plan.roles() {
		n += r.cost(r.operationOf(c.Operation, selves[ro.op]))
	}
	return len(c.Plan.withSpares()) * (n + c.Plan.fills()*r.cost(r.operation(c.Operation)))
}

// operationOf is the configured operation that a letter stands for.
func (r *runner) operationOf(name string, s Self) Operation {
	o := r.operation(name)
	if s.Operation != "" {
		return *r.sys.other(s.Operation, o) // a case is made only where there is one
	}
	return o
}

// cost is how many numbers an operation takes with those that run before it.
func (r *runner) cost(o Operation) int {
	n := 1
	for _, b := range o.Before {
		n += r.cost(r.operation(b))
	}
	return n
}

// id is the business id of an operation number.
func (r *runner) id(number int) string { return fmt.Sprintf("%s-%d", r.opt.Run, number) }

// open makes an operation of what l says. Those of one number in two scopes, or
// in two versions, have one id; versions have keys of their own.
func (r *runner) open(l live) *live {
	if l.id == "" {
		l.id = r.id(l.number)
	}
	if l.key == "" {
		l.key = ownKey(l.id, l.version)
	}
	l.values, l.numbers = map[string]string{}, map[string]bool{}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[l.id] = &l
	r.ids = append(r.ids, &l)
	return &l
}

// ownKey is the key of an operation: versions of one entity have each its own.
func ownKey(id string, version int) string {
	if version > 0 {
		id = fmt.Sprintf("%s#%d", id, version)
	}
	return target.Key(id)
}

// record is how providers append their events: it adds the case of the operation.
func (r *runner) record(e history.Event, body []byte) int64 {
	r.mu.Lock()
	if l := r.live[e.Op]; l != nil && e.Case == "" {
		e.Case = l.case_
	}
	r.mu.Unlock()
	return r.rec.Add(e, body)
}

// mark appends a note of the runner.
func (r *runner) mark(case_, name, op, cause string) {
	r.rec.Add(history.Event{Kind: history.Mark, Name: name, Case: case_, Op: op, Actor: tool, Cause: cause}, nil)
}
