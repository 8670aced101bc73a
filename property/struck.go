package property

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// struck checks a trial under drawn faults, and that each of them struck. The
// trial ends with the run's history, and says why it judged nothing.
func struck(t rapid.TB, law string, o inject.Options, trial func(t *rapid.T, run *inject.Run) string) {
	t.Helper()
	if o.Schedule != nil {
		t.Fatalf("property.%s: the schedule is drawn: leave Options.Schedule out", law)
	}
	c := count{aims(o), map[string]int{}}
	c.check(t, o, trial, c.aims, 0)
	if _, inner := t.(*rapid.T); inner || len(c.aims) == 0 {
		return
	}
	if rest := c.missed(); len(rest) > 0 { // by bad luck, or since they cannot
		c.check(t, o, trial, rest, 1)
	}
	if rest := c.missed(); len(rest) > 0 {
		t.Fatalf("property.%s: inconclusive: %s never struck: nothing was judged under it. Take it out of the Options, or let the trial do what it can strike", law, list(rest))
	}
	t.Logf("property.%s: struck by %s", law, c)
}

// count is how often which fault struck, in cases that were judged.
type count struct {
	aims  []aim
	times map[string]int // by name
}

// check runs a trial with a number of strikes of some of the faults at least.
func (c count) check(t rapid.TB, o inject.Options, trial func(t *rapid.T, run *inject.Run) string, faults []aim, least int) {
	t.Helper()
	var drawn *rapid.Generator[tape]
	if len(faults) > 0 {
		drawn = tapes(faults, least)
	}
	check(t, func(t *rapid.T) string {
		t.Helper()
		o := o
		if drawn != nil {
			o.Schedule = drawn.Draw(t, "faults").schedule
		}
		run := o.Start(t)
		why := trial(t, run)
		if why == "" {
			c.add(run.History())
		}
		return why
	})
}

func (c count) add(h history.History) {
	for _, e := range h.Events {
		if e.Kind == history.Fault {
			c.times[e.Name]++
		}
	}
}

// missed are the faults that never struck.
func (c count) missed() (rest []aim) {
	for _, f := range c.aims {
		if c.times[f.fault.Name] == 0 {
			rest = append(rest, f)
		}
	}
	return rest
}

func (c count) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.times)) {
		all = append(all, fmt.Sprintf("%s %d times", name, c.times[name]))
	}
	return strings.Join(all, ", ")
}

func list(faults []aim) string {
	var names []string
	for _, f := range faults {
		names = append(names, f.fault.String())
	}
	return strings.Join(names, ", ")
}
