package property

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// UnderFaults checks that the rules hold of what trial does, whatever strikes it:
// which of o.Faults strikes which attempt of which operation is drawn, and shrunk
// with all else that trial draws. Without rules, all are judged. o.Schedule is
// not used.
//
//	property.UnderFaults(t, inject.Options{Faults: []inject.Fault{inject.Overlap, inject.LoseAnswer}},
//		func(t *rapid.T, run *inject.Run) {
//			client := run.Client(shop.NewAPI(run.Effect))
//			for id := range run.IDs(rapid.IntRange(1, 5).Draw(t, "orders")) {
//				pay(client, id)
//			}
//		}, checkers.ExactlyOnce)
//
// A case of which nothing can be judged (all requests were lost) is drawn anew.
// The test fails if there are too many of them, and, where t is no *rapid.T, if
// one of the faults never struck: what did not happen proves nothing. A trial
// must not depend on anything but its draws; ids come from [inject.Run.IDs].
func UnderFaults(t rapid.TB, o inject.Options, trial func(t *rapid.T, run *inject.Run), rules ...checkers.Rule) {
	t.Helper()
	if o.Schedule != nil || len(o.Faults) == 0 {
		t.Fatalf("property.UnderFaults: it draws a schedule of the faults in Options.Faults: name some there, and no Schedule")
	}
	p := faulty{o, trial, rules, map[string]int{}}
	p.check(t, o.Faults, 0)
	if _, inner := t.(*rapid.T); inner {
		return
	}
	if rest := p.idle(); len(rest) > 0 { // by bad luck, or since they cannot
		p.check(t, rest, 1)
	}
	if rest := p.idle(); len(rest) > 0 {
		t.Fatalf("property.UnderFaults: inconclusive: %s never struck: nothing was judged under it. Take it out of Options.Faults, or let the trial do what it can strike", list(rest))
	}
	t.Logf("property.UnderFaults: struck by %s", p.counts())
}

// faulty is a trial under faults.
type faulty struct {
	options inject.Options
	trial   func(t *rapid.T, run *inject.Run)
	rules   []checkers.Rule
	struck  map[string]int // how often, by the name of the fault
}

func (p faulty) check(t rapid.TB, faults []inject.Fault, least int) {
	t.Helper()
	drawn := tapes(faults, least)
	check(t, func(t *rapid.T) string {
		t.Helper()
		o := p.options
		o.Schedule = drawn.Draw(t, "faults").schedule
		run := o.Start(t)
		p.trial(t, run)
		return p.judge(t, onlyStruck(run.History()))
	})
}

// judge fails the test by what the rules say. It is why they judged nothing.
func (p faulty) judge(t *rapid.T, h history.History) string {
	t.Helper()
	switch report := checkers.Judge(h, contract.Contract{}, p.rules...); report.Verdict() {
	case checkers.Fail:
		checkers.Verify(atOnce{t}, h, p.rules...)
	case checkers.Inconclusive:
		return why(report)
	}
	for _, e := range h.Events {
		if e.Kind == history.Fault {
			p.struck[e.Name]++
		}
	}
	return ""
}

// atOnce ends a case at the first failure, so that rapid can tell it from others.
type atOnce struct{ *rapid.T }

// Errorf ends the case.
func (t atOnce) Errorf(format string, args ...any) {
	t.Helper()
	t.Fatalf(format, args...)
}

// onlyStruck leaves out that a fault was asked for which did not strike: which
// ones do is not known when they are drawn.
func onlyStruck(h history.History) history.History {
	struck := map[string]int{}
	for _, e := range h.Events {
		if e.Kind == history.Fault {
			struck[e.Name]++
		}
	}
	h.Events = slices.DeleteFunc(slices.Clone(h.Events), func(e history.Event) bool {
		if e.Kind != history.Mark || e.Name != history.MarkArmed {
			return false
		}
		struck[e.Attrs[history.AttrFault]]--
		return struck[e.Attrs[history.AttrFault]] < 0
	})
	for i := range h.Events { // a history with a hole is not judged
		h.Events[i].Seq = int64(i + 1)
	}
	return h
}

// why is what kept the rules from judging.
func why(r checkers.Report) string {
	if len(r.Problems) > 0 {
		return r.Problems[0]
	}
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			return v.Reason
		}
	}
	return "nothing happened"
}

// idle are the faults that never struck.
func (p faulty) idle() (rest []inject.Fault) {
	for _, f := range p.options.Faults {
		if p.struck[f.Name] == 0 {
			rest = append(rest, f)
		}
	}
	return rest
}

func list(faults []inject.Fault) string {
	var names []string
	for _, f := range faults {
		names = append(names, f.String())
	}
	return strings.Join(names, ", ")
}

func (p faulty) counts() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p.struck)) {
		all = append(all, fmt.Sprintf("%s %d times", name, p.struck[name]))
	}
	return strings.Join(all, ", ")
}
