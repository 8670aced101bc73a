package property

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// UnderFaults checks that the rules hold of what trial does, whatever strikes it:
// which of its faults strikes which attempt of which operation is drawn, and shrunk
// with all else that trial draws. Without rules, all are judged.
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
	if len(aims(o)) == 0 {
		t.Fatalf("property.UnderFaults: the Options name no fault")
	}
	struck(t, "UnderFaults", o, func(t *rapid.T, run *inject.Run) string {
		t.Helper()
		trial(t, run)
		return judge(t, onlyStruck(run.History()), rules)
	})
}

// judge fails the test by what the rules say. It is why they judged nothing.
func judge(t *rapid.T, h history.History, rules []checkers.Rule) string {
	t.Helper()
	report := checkers.Judge(h, contract.Contract{}, rules...)
	switch report.Verdict() {
	case checkers.Fail:
		checkers.Verify(atOnce{t}, h, rules...)
	case checkers.Inconclusive:
		return why(report)
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
