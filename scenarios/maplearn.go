package scenarios

import (
	"context"
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// cleanRun is what was seen of one operation that nothing was done to.
type cleanRun struct {
	trace    []sighting
	answered int // how much of it came before the answer
}

// cleanRuns are how many each map begins with, on the first instance. Each other
// one adds a run of its own: then its connections are open, too.
const cleanRuns = 2

// clean runs the operation without a fault, on all instances side by side.
func (m *mapper) clean(ctx context.Context, o Operation) (all []cleanRun, err error) {
	var jobs []*caseRun
	for i, r := range m.instances {
		for range map[bool]int{true: cleanRuns, false: 1}[i == 0] {
			c := m.newCase(r, o, fmt.Sprintf("map/%s/clean %d", o.Name, len(jobs)+1), 1, nil)
			r.announce(c.Case)
			jobs = append(jobs, c)
		}
	}
	all = make([]cleanRun, len(jobs))
	err = m.each(func(r *runner) (err error) {
		for i, c := range jobs {
			if c.runner == r && err == nil {
				all[i], err = c.clean(ctx)
			}
		}
		return err
	})
	if err != nil {
		return nil, m.fatal()
	}
	return all, nil
}

// clean sends the operation of the case once. An error is that of the case.
func (c *caseRun) clean(ctx context.Context) (run cleanRun, err error) {
	defer func() {
		if err != nil {
			c.abandon(err)
		}
	}()
	if why := c.uncalibrated[c.Operation]; why != "" {
		return run, fmt.Errorf("%s", why)
	}
	c.ops = map[string]*live{}
	c.board.begin(c.Name)
	defer c.board.end()
	_, op, err := c.role("a")
	if err != nil {
		return run, err
	}
	end, err := c.send(ctx, op, way{})
	if err != nil {
		return run, err
	}
	if end.kind != history.OK {
		return run, fmt.Errorf("%s, sent without any fault, answered %s", c.Operation, end.said())
	}
	run.answered = len(c.board.trace(op))
	if err := c.settleWhole(ctx, op, c.all); err != nil {
		return run, err
	}
	run.trace = c.board.trace(op)
	for _, l := range c.links {
		if err := l.Err(); err != nil {
			c.error(fmt.Sprintf("Moments may be missing from the map: %v.", err))
		}
	}
	return run, nil
}

// merge makes one list of the moments of several runs.
func merge(runs []cleanRun) (all []Moment) {
	times := map[string]int{}
	for _, run := range runs {
		at := 0 // where the next that is not known goes
		for i, s := range run.trace {
			if s.phase == wire.After {
				continue
			}
			times[s.name]++
			place := slices.IndexFunc(all, func(m Moment) bool { return m.Name == s.name })
			if place < 0 {
				place = at
				all = slices.Insert(all, at, Moment{Name: s.name, Point: s.point})
			}
			all[place].late = all[place].late || i >= run.answered
			at = place + 1
		}
	}
	for i := range all {
		all[i].Sometimes = times[all[i].Name] < len(runs)
	}
	return all
}

// follows says whether, in each run, a is done and b is asked for next, while
// nothing else is under way: then nothing that could be seen lies between.
func follows(runs []cleanRun, a, b string) bool {
	return !slices.ContainsFunc(runs, func(r cleanRun) bool { return !r.follows(a, b) })
}

func (r cleanRun) follows(a, b string) bool {
	under := 0
	for i, s := range r.trace {
		switch {
		case s.point:
		case s.phase == wire.Before:
			under++
		default:
			under--
		}
		if s.name == a && s.phase == wire.After {
			return under == 0 && i+1 < len(r.trace) && i+1 != r.answered && r.trace[i+1] == sighting{b, wire.Before, r.trace[i+1].point}
		}
	}
	return false
}

// windowsOf are all windows of the moments, and which of them equal another.
func windowsOf(moments []Moment, runs []cleanRun) (all []Window) {
	for i, m := range moments {
		for _, column := range columns {
			w := Window{Moment: i, Column: column}
			switch {
			case m.Point && (column == columnCut || column == columnLoseReply):
				w.None = true
			case m.Point && column == columnKillAfter: // at a point nothing is done
				w.Equal = place(i, columnKillBefore) + 1
			case column == columnKillAfter && i+1 < len(moments) && follows(runs, m.Name, moments[i+1].Name):
				w.Equal = place(i+1, columnKillBefore) + 1
			}
			all = append(all, w)
		}
	}
	return all
}

// place is the index of a window.
func place(moment int, column string) int { return moment*len(columns) + slices.Index(columns, column) }
