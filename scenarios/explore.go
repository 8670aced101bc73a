package scenarios

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// ExploreOptions of Explore. The zero value, but for Run, draws for one minute
// from seed 0 on every operation under test.
type ExploreOptions struct {
	Run        string        // the run id, which every operation's id begins with; required
	Seed       uint64        // plans are drawn from it: the same seed draws the same plans for the same system
	Operations []string      // only these; empty: all under test
	Saved      []Plan        // run before any is drawn: those that an earlier search found
	Plans      int           // how many are drawn at most; 0: as many as there is time for
	Time       time.Duration // no plan is drawn after it; 0: 1 min, or without a bound if Plans is set
	Times      int           // how often what was found is tried again; 0: 5
	First      bool          // end with the first find
	Out        io.Writer     // the history, as JSON lines; may be nil
	Tool       string        // "idemcheck/0.1.0", for the header

	Progress func(Explored) // called after each batch of plans; may be nil
	Found    func(Find)     // called as soon as one is confirmed; may be nil
	Drawn    func(p Plan)   // called for each plan before it is run; may be nil
}

// Find is a failure that drawn plans have in common, and the plan that shows it
// after it was cut down.
type Find struct {
	Plan      Plan     `json:"-"`         // with a story, for Operation only; its rate is in the story
	Source    string   `json:"plan"`      // of Plan, as YAML
	Case      string   `json:"case"`      // that shows it in the report
	Operation string   `json:"operation"` // on which it was found
	Also      []string `json:"also"`      // others on which plans failed alike
	Rule      string   `json:"rule"`      // the first that it breaks
	Reason    string   `json:"reason"`    // of that violation
	Failed    int      `json:"failed"`    // how often Plan failed when it was tried again,
	Of        int      `json:"of"`        // of so many times
	Met       int      `json:"met"`       // plans that failed alike
	Number    int      `json:"number"`    // plans until the first of them, itself included
	Seconds   float64  `json:"seconds"`   // until then
	Drawn     int      `json:"drawn"`     // steps of that one, settling left out
	Steps     int      `json:"steps"`     // of Plan, settling left out
	Saved     bool     `json:"saved"`     // that one came with ExploreOptions.Saved
}

// Explored is what a search did.
type Explored struct {
	Finds        []Find         `json:"finds"`
	Plans        int            `json:"plans"`        // that were run, drawn and saved ones
	Passed       int            `json:"passed"`       // of them
	Failed       int            `json:"failed"`       // of them
	Inconclusive int            `json:"inconclusive"` // of them: a fault did not fire, or something kept a rule from judging
	Tries        int            `json:"tries"`        // further runs, to cut plans down and to try them again
	Attempts     int            `json:"attempts"`     // deliveries in all
	Fired        map[string]int `json:"fired"`        // faults that fired, by name
	Did          map[string]int `json:"did"`          // plans that had such a step: "send", "arm provider fail"
	Mended       []string       `json:"mended"`       // plans of ExploreOptions.Saved that pass now
	Seconds      float64        `json:"seconds"`      // how long it took
	Unjudged     map[string]int `json:"unjudged"`     // why plans are inconclusive, each reason with their number
}

// Explore draws plans for what a system can do, runs them against it, cuts each
// that fails down to what it needs, tries that again, and groups failures that are
// alike. The report and the history are of what was found, each in its shortest
// plan, and of a sample of the plans that passed: a plan that is inconclusive is no
// find, and is counted.
func Explore(ctx context.Context, sys System, opt ExploreOptions) (Explored, checkers.Report, history.History, error) {
	e, err := newExplorer(sys, opt)
	if err != nil {
		return Explored{}, checkers.Report{}, history.History{}, err
	}
	ctx, e.stop = context.WithCancelCause(ctx)
	defer e.stop(nil)
	if e.unwatch != nil {
		defer e.unwatch()
	}
	e.run(ctx)
	e.rest()
	e.did.Seconds = time.Since(e.begun).Seconds()
	if err := e.fatal(); err != nil {
		return e.did, checkers.Report{}, history.History{}, err
	}
	if ctx.Err() != nil { // what was found is worth telling
		e.ended = context.Cause(ctx).Error()
	}
	report, h, err := e.told()
	return e.did, report, h, err
}

// explorer is a search while it runs.
type explorer struct {
	*runner
	opt   ExploreOptions
	ops   []Operation // that plans are drawn for
	begun time.Time
	next  int // the next operation number
	tried int // the next name of a try

	all     []Check // the rules of the file
	checked []Check // those that are read in the trial under way
	counted int     // attempts that were added up

	calibrating []history.Event
	did         Explored
	beside      []pending       // failures that did not come again alone
	kept        []history.Event // of what passed, and of the finds
	keptOf      map[string]int  // how many plans of each operation
	rules       map[string]bool // rules of the file that were found broken
	witness     *trial          // of the last failure that was tried again
	witnessed   string          // its case
	ended       string          // why the search ended before its time
}

// keptPlans is how many plans that passed are kept in the history, of each operation.
const keptPlans = 50

func newExplorer(sys System, opt ExploreOptions) (*explorer, error) {
	opt.Times = cmp.Or(opt.Times, 5)
	if opt.Time == 0 && opt.Plans == 0 {
		opt.Time = time.Minute
	}
	r, err := newRunner(sys, Options{Run: opt.Run, Seed: opt.Seed, Tool: opt.Tool, Plans: []Plan{}})
	if err != nil {
		return nil, err
	}
	r.wide = 4 * atATime // plans that wait stand in nobody's way
	e := &explorer{runner: r, opt: opt, all: sys.Checks, keptOf: map[string]int{}, rules: map[string]bool{}}
	e.did.Finds, e.did.Mended = []Find{}, []string{}
	e.did.Fired, e.did.Did, e.did.Unjudged = map[string]int{}, map[string]int{}, map[string]int{}
	for i := range r.sys.Operations {
		o := r.sys.Operations[i]
		if o.Test && (len(opt.Operations) == 0 || slices.Contains(opt.Operations, o.Name)) {
			e.ops = append(e.ops, o)
		}
	}
	if len(e.ops) == 0 {
		return nil, &configurationError{"no operation is under test, so there is nothing to explore"}
	}
	return e, nil
}

// run is the outline of a search.
func (e *explorer) run(ctx context.Context) {
	e.begun = time.Now()
	e.number(nil)
	e.next = e.total + 1
	if e.board != nil {
		_ = e.learnIdle(ctx, idleTime)
	}
	e.calibrate(ctx)
	e.calibrating = slices.Clone(e.rec.History().Events)
	ops := slices.DeleteFunc(slices.Clone(e.ops), func(o Operation) bool { return e.uncalibrated[o.Name] != "" })
	if e.fatal() != nil || len(ops) == 0 {
		return
	}
	var decks []deck
	for _, o := range ops {
		decks = append(decks, newDeck(e.sys, o, e.opt.Seed, e.shows(o.Name)))
	}
	e.batch(ctx, slices.Concat(e.opt.Saved, plain(ops)), true)
	size, aged := batchSize/4, false
	for drawn := 0; !e.done(ctx) && !e.over(drawn); {
		if drawn >= batchSize && !aged {
			e.bounded(ctx, plain(ops))
			aged = true
		}
		var plans []Plan
		for ; len(plans) < size && (e.opt.Plans == 0 || drawn < e.opt.Plans); drawn++ {
			plans = append(plans, decks[drawn%len(decks)].plan(drawn/len(decks)))
		}
		size = nextSize(len(plans), e.batch(ctx, plans, false))
	}
}

// A batch is the plans that are run before they are judged: at most batchSize, and
// on a slow system fewer, so that the time that was given for a search is kept.
const (
	batchSize = 48
	batchTime = 10 * time.Second
)

// nextSize is how many plans the next batch has, where these took so long.
func nextSize(plans int, took time.Duration) int {
	return int(max(4, min(batchSize, int64(plans)*int64(batchTime)/max(1, int64(took)))))
}

// over says whether no further plan is drawn.
func (e *explorer) over(drawn int) bool {
	return e.opt.Plans > 0 && drawn >= e.opt.Plans ||
		e.opt.Time > 0 && time.Since(e.begun) >= e.opt.Time
}

// plain are the plans without any fault: one for each operation. Rules of the
// file that take long to read are judged on them.
func plain(ops []Operation) (plans []Plan) {
	for _, o := range ops {
		plans = append(plans, withName(Plan{Operation: o.Name, Steps: []Step{{Do: doSend, Role: "a"}, {Do: doRetry, Role: "a"}, {Do: doSettle, Role: "all"}}}, "plain-"+o.Name))
	}
	return plans
}

// shows says whether an operation showed the moment that an arm means.
func (e *explorer) shows(op string) func(Step) bool {
	return func(s Step) bool {
		_, ok := (&caseRun{runner: e.runner, Case: Case{Operation: op}}).place(s)
		return ok
	}
}

// batch runs plans, judges them, and looks into those that failed. It says how
// long it took to run them.
func (e *explorer) batch(ctx context.Context, plans []Plan, first bool) (took time.Duration) {
	for _, p := range plans {
		if e.opt.Drawn != nil {
			e.opt.Drawn(p)
		}
	}
	begin := time.Now()
	t := e.try(ctx, plans, trying{rules: true, late: true})
	took = time.Since(begin)
	if e.fatal() != nil || ctx.Err() != nil {
		return took
	}
	before := e.did.Plans
	for i, o := range t.outcomes {
		e.count(t, i)
		if first && i < len(e.opt.Saved) && o.rule == "" && o.why == "" {
			e.did.Mended = append(e.did.Mended, plans[i].Name)
		}
	}
	for i, o := range t.outcomes {
		if o.rule != "" && !e.done(ctx) {
			e.meet(ctx, t, i, plans[i], before+i+1, first && i < len(e.opt.Saved))
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(t.broken)) {
		if !e.done(ctx) {
			e.meetRule(ctx, t, rule, plans, before)
		}
	}
	if e.opt.Progress != nil {
		e.did.Seconds = time.Since(e.begun).Seconds()
		e.opt.Progress(e.did)
	}
	return took
}

// bounded judges the rules of the file that make all keys older, once: they take long.
func (e *explorer) bounded(ctx context.Context, plans []Plan) {
	how := trying{rules: true, bounded: true}
	if len(e.checksFor(how)) == 0 {
		return
	}
	t := e.try(ctx, plans, how)
	for _, rule := range slices.Sorted(maps.Keys(t.broken)) {
		if !e.done(ctx) {
			e.meetRule(ctx, t, rule, plans, e.did.Plans)
		}
	}
}

// done says whether nothing more is looked for.
func (e *explorer) done(ctx context.Context) bool {
	return ctx.Err() != nil || e.fatal() != nil || e.opt.First && len(e.did.Finds) > 0
}
