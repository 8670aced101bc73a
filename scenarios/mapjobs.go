package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// mapRules judge each window.
var mapRules = []string{"exactly-once", "same-answer", "progress"}

// spareTries are how many tries a window gets beyond those that were asked for,
// until its moment has come.
const spareTries = 2

// job is one window that is to be tried.
type job struct {
	*Window
	moment Moment
	number int // its first operation number
	op     Operation
	last   string // the last step after the answer, without its number; "": nothing comes then
}

// name of a window: "2 lose reply".
func (w Window) name() string { return fmt.Sprintf("%d %s", w.Moment+1, w.Column) }

// faults of the columns.
var faults = map[string]inject.Fault{
	columnCut: inject.Cut, columnKillBefore: inject.KillBefore, columnLoseReply: inject.LoseReply,
	columnKillAfter: inject.KillAfter, columnHeld: inject.Hold,
}

// fault is what a window does.
func (j job) fault() inject.Fault {
	f := faults[j.Column]
	f.Arg = j.moment.Name
	return f
}

// jobs announces the windows that are to be tried, and gives them their numbers.
func (m *mapper) jobs(o Operation, one Map) (jobs []job, err error) {
	wanted, err := m.wanted(one)
	if err != nil {
		return nil, err
	}
	first := m.instances[0]
	for i := range one.Windows {
		w := &one.Windows[i]
		if !wanted[i] || w.None || w.Equal > 0 {
			continue
		}
		w.Case = "map/" + o.Name + "/" + w.name()
		j := job{Window: w, moment: one.Moments[w.Moment], op: o, number: m.next, last: one.last()}
		m.next += (m.opt.Times + spareTries) * first.cost(o)
		first.announce(j.caseOf())
		if w.kills() && one.Worker == "" {
			first.mark(w.Case, history.MarkSkipped, "", "no worker can be killed: add   workers: {api: {run: ./payments --port 8080, ready: GET /healthz}}")
			continue
		}
		jobs = append(jobs, j)
	}
	for _, r := range m.instances {
		if r.free {
			r.sys.Limits.Attempts = max(r.sys.Limits.Attempts, perNumber*m.next)
		}
	}
	return jobs, nil
}

// caseOf is the case of a window.
func (j job) caseOf() Case {
	return Case{Name: j.Case, Operation: j.op.Name, Plan: Plan{Name: "map", Rules: mapRules},
		setting: setting{{"window", j.name()}, {"moment", j.moment.Name}}}
}

// wanted are the windows that were asked for, and those that stand for them.
func (m *mapper) wanted(one Map) ([]bool, error) {
	wanted := make([]bool, len(one.Windows))
	for i := range wanted {
		wanted[i] = len(m.opt.Only) == 0
	}
	for _, only := range m.opt.Only {
		known := false
		for i, w := range one.Windows {
			if w.is(only, one.Moments[w.Moment].Name) {
				wanted[i], known = true, true
			}
		}
		if !known {
			return nil, &configurationError{fmt.Sprintf("no window of %s is %q: name a moment, a column or both, as in  '2 lose reply'  'db COMMIT'  'held'; its moments are %s; the columns are %s",
				one.Operation, only, numbered(one.Moments), strings.Join(columns, ", "))}
		}
	}
	for i, w := range one.Windows {
		if w.Equal > 0 && wanted[i] {
			wanted[w.Equal-1] = true
		}
	}
	return wanted, nil
}

// is says whether a window is meant by "2 lose reply", "2", "db COMMIT", "db COMMIT held" or "held".
func (w Window) is(only, moment string) bool {
	if w.None || only == "" {
		return false
	}
	rest, ofColumn := strings.CutSuffix(only, w.Column)
	if !ofColumn || rest != "" && !strings.HasSuffix(rest, " ") {
		rest = only
		if slices.ContainsFunc(columns, func(c string) bool { return only == c || strings.HasSuffix(only, " "+c) }) {
			return false
		}
	}
	rest = strings.TrimSpace(rest)
	return rest == "" || rest == strconv.Itoa(w.Moment+1) || rest == moment
}

func numbered(moments []Moment) string {
	var all []string
	for i, m := range moments {
		all = append(all, fmt.Sprintf("%d %s", i+1, m.Name))
	}
	return strings.Join(all, ", ")
}

// newCase makes a case of a map, with numbers for as many operations as it may take.
func (m *mapper) newCase(r *runner, o Operation, name string, operations int, s setting) *caseRun {
	c := &caseRun{runner: r, next: m.next, Case: Case{Name: name, Operation: o.Name, Plan: Plan{Name: "map", Rules: mapRules}, setting: s}}
	m.next += operations * r.cost(o)
	return c
}

// try carries the windows out, in order, on all instances side by side.
func (m *mapper) try(ctx context.Context, jobs []job) {
	queue := make(chan job)
	var group sync.WaitGroup
	for _, r := range m.instances {
		group.Go(func() {
			for j := range queue {
				r.window(ctx, j, m.opt)
				m.progress(len(jobs), j.Case)
			}
		})
	}
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	group.Wait()
}

func (m *mapper) progress(total int, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	if m.opt.Progress != nil {
		m.opt.Progress(m.done, total, name)
	}
}
