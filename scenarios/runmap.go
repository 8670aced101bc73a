package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
)

// MapOptions of RunMap. The zero value, but for Run, maps every operation under test.
type MapOptions struct {
	Run        string                             // the run id, which every operation's id begins with; required
	Seed       uint64                             // for drawn values
	Operations []string                           // only these; empty: all under test
	Only       []string                           // windows: "2 lose reply", "db COMMIT", "held"; empty: all
	Times      int                                // how often each window is run; 0: once
	Worker     string                             // who is killed; "": the one that takes the step
	Idle       time.Duration                      // how long to watch while nothing is sent; 0: 1 s
	Hold       time.Duration                      // how long a moment is held at most; 0: 1 s
	Out        io.Writer                          // the history, as JSON lines; may be nil
	Tool       string                             // "idemcheck/0.1.0", for the header
	Progress   func(done, total int, name string) // called as each window ends; may be nil
}

// mapper draws the maps of one run.
type mapper struct {
	opt       MapOptions
	instances []*runner // one for each System; the first calibrates
	next      int       // the next operation number
	done      int
	mu        sync.Mutex
}

// RunMap enumerates the windows of operations, tries each, and judges what
// happened: on a fresh operation one fault strikes, dead workers are started
// again, the caller sends until it is answered, the effects are counted, and what
// is there is sent once more. Several Systems are instances of one and the same, each with workers,
// links and a database of its own: their windows are tried side by side.
func RunMap(ctx context.Context, systems []System, opt MapOptions) ([]Map, checkers.Report, history.History, error) {
	for _, sys := range systems {
		if err := opt.Fits(sys); err != nil {
			return nil, checkers.Report{}, history.History{}, err
		}
	}
	m, err := newMapper(systems, opt)
	if err != nil {
		return nil, checkers.Report{}, history.History{}, err
	}
	return m.draw(ctx)
}

// Fits says what is missing for maps of a System.
func (opt MapOptions) Fits(sys System) error {
	switch {
	case len(sys.Links) == 0 && sys.Points == nil:
		return &configurationError{"a map needs to see the steps of the service: add   links: {db: {protocol: postgres, to: 127.0.0.1:5432}}   and let the service connect to ${link.db}, as in   workers: {api: {run: ./payments, ready: GET /healthz, env: {DATABASE_URL: \"postgres://app@${link.db}/shop\"}}}"}
	case opt.Worker != "" && len(find(sys.Workers, opt.Worker)) == 0:
		return &configurationError{fmt.Sprintf("no worker is called %s: the file has %s", opt.Worker, names(sys.Workers))}
	}
	return nil
}

func newMapper(systems []System, opt MapOptions) (*mapper, error) {
	opt.Times = max(1, opt.Times)
	opt.Idle = cmp.Or(opt.Idle, time.Second)
	opt.Hold = cmp.Or(opt.Hold, time.Second)
	m := &mapper{opt: opt}
	for i, sys := range systems {
		sys.Operations = slices.Clone(sys.Operations)
		for j := range sys.Operations {
			o := &sys.Operations[j]
			o.Test = o.Test && (len(opt.Operations) == 0 || slices.Contains(opt.Operations, o.Name))
		}
		make := newRunner
		if i > 0 {
			make = makeRunner
		}
		r, err := make(sys, Options{Run: opt.Run, Seed: opt.Seed, Out: opt.Out, Tool: opt.Tool})
		if err != nil {
			return nil, err
		}
		if m.instances = append(m.instances, r); i > 0 {
			r.attach(m.instances[0].rec)
		}
	}
	return m, nil
}

// draw draws the maps and judges what happened.
func (m *mapper) draw(ctx context.Context) ([]Map, checkers.Report, history.History, error) {
	first := m.instances[0]
	ctx, cancel := context.WithTimeoutCause(ctx, first.sys.Limits.Run,
		fmt.Errorf("the map reached its limit of %v (limits: run)", first.sys.Limits.Run))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for _, r := range m.instances {
		r.stop = stop
		defer r.unwatch()
	}
	maps, err := m.run(ctx)
	if errClose := first.rec.Close(); err == nil && errClose != nil {
		err = fmt.Errorf("write the history: %w", errClose)
	}
	h := first.rec.History()
	if err != nil {
		return nil, checkers.Report{}, h, err
	}
	report := expression.Judge(h, first.sys.Contract)
	for i := range maps {
		maps[i].fill(report)
	}
	return maps, report, h, nil
}

// run is the outline of a run that draws maps.
func (m *mapper) run(ctx context.Context) (maps []Map, err error) {
	first := m.instances[0]
	first.number(nil)
	m.next = first.total + 1
	first.checksBefore(ctx)
	first.calibrate(ctx)
	if err := m.fatal(); err != nil {
		return nil, err
	}
	for _, r := range m.instances {
		r.calibration = first.calibration
	}
	if err := m.each(func(r *runner) error { return r.learnIdle(ctx, m.opt.Idle) }); err != nil && ctx.Err() == nil {
		return nil, err
	}
	for _, o := range first.sys.Operations {
		if !o.Test || ctx.Err() != nil {
			continue
		}
		one, err := m.operation(ctx, o)
		if err = errors.Join(err, m.fatal()); err != nil {
			return nil, err
		}
		maps = append(maps, one)
	}
	_ = m.each(func(r *runner) error { r.settleAll(ctx); return nil })
	first.checksAfter(context.WithoutCancel(ctx))
	if ctx.Err() != nil {
		first.mark("", history.MarkError, "", context.Cause(ctx).Error())
	}
	first.mark("", history.MarkEnd, "", "")
	return maps, nil
}

// each does something with all instances side by side.
func (m *mapper) each(do func(*runner) error) error {
	errs := make([]error, len(m.instances))
	var group sync.WaitGroup
	for i, r := range m.instances {
		group.Go(func() { errs[i] = do(r) })
	}
	group.Wait()
	return errors.Join(errs...)
}

func (m *mapper) fatal() error {
	for _, r := range m.instances {
		if err := r.fatal(); err != nil {
			return err
		}
	}
	return nil
}

// operation draws the map of one operation.
func (m *mapper) operation(ctx context.Context, o Operation) (Map, error) {
	first := m.instances[0]
	one := Map{Operation: o.Name, Idle: first.board.leftOut()}
	for _, l := range first.sys.Links {
		one.Links = append(one.Links, described(l))
	}
	if w := first.victim(m.opt.Worker); w != nil {
		one.Worker = w.Name()
		if m.opt.Worker == "" {
			one.Worker = names(first.sys.Workers)
		}
	}
	runs, err := m.clean(ctx, o)
	if len(runs) == 0 || err != nil || ctx.Err() != nil {
		return one, err
	}
	if one.Moments = merge(runs); len(one.Moments) == 0 {
		return one, &configurationError{fmt.Sprintf("no step of %s was seen on %s: let the service connect through its links, as in   DATABASE_URL: postgres://app@${link.db}/shop", o.Name, first.watched())}
	}
	for i, l := range first.sys.Links {
		if !one.uses(l.Name()) {
			one.Links[i] = strings.TrimSuffix(one.Links[i], ")") + ", not used)"
		}
	}
	one.Idle = slices.DeleteFunc(one.Idle, one.has)
	one.Windows = windowsOf(one.Moments, runs)
	jobs, err := m.jobs(o, one)
	if err != nil {
		return one, err
	}
	m.try(ctx, jobs)
	return one, nil
}

// has says whether a moment is in the map.
func (m Map) has(name string) bool {
	return slices.ContainsFunc(m.Moments, func(o Moment) bool { return o.Name == name })
}

// victim is the worker that is killed; nil: there is none of that name.
func (r *runner) victim(name string) *hand {
	if all := find(r.workers, name); len(all) > 0 {
		return all[0]
	}
	return nil
}

// watched are the links and points, for people: "link db, link card and the points of code".
func (r *runner) watched() string {
	var all []string
	for _, l := range r.sys.Links {
		all = append(all, "link "+l.Name())
	}
	if r.sys.Points != nil {
		all = append(all, "any point of code")
	}
	return strings.Join(all, " or ")
}

func names[T interface{ Name() string }](all []T) string {
	var names []string
	for _, w := range all {
		names = append(names, w.Name())
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
