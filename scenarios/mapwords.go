package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// words are what a map says of a window that broke a rule, the worst first: an
// effect too many can not be taken back, one that is missing can be made up for,
// an operation that is stuck is known to be open, a wrong answer changes nothing.
var words = []struct{ rule, word string }{
	{checkers.AtMostOnce.Name, "TWICE"},
	{checkers.RefusedNoEffect.Name, "TWICE"},
	{checkers.NoLostEffect.Name, "LOST"},
	{"progress", "STUCK"},
	{"same-answer", "WRONG"},
}

// fill takes over what was judged of each window.
func (m *Map) fill(r checkers.Report) {
	cases := map[string]checkers.Case{}
	for _, c := range r.Cases {
		cases[c.Name] = c
	}
	for i := range m.Windows {
		if c, ok := cases[m.Windows[i].Case]; ok {
			m.Windows[i].judged(c)
		}
	}
}

// judged takes over what was judged of the case of the window.
func (w *Window) judged(c checkers.Case) {
	if c.Skipped != "" {
		w.Reason = c.Skipped
		return
	}
	w.Verdict, w.Word, w.Note = c.Verdict, "pass", w.note(c)
	if c.Verdict == checkers.Pass {
		return
	}
	worst := slices.MinFunc(c.Violations, func(a, b checkers.Violation) int { return cmp.Compare(badness(a), badness(b)) })
	w.Word, w.Reason = "?", strings.TrimSpace(worst.Reason+" "+worst.Cause)
	if c.Verdict == checkers.Fail {
		w.Word = words[min(badness(worst), len(words)-1)].word
	} else if len(c.NotFired) > 0 {
		w.Reason = w.missed()
	}
}

// missed says why the fault of the window did not come about.
func (w *Window) missed() string {
	switch {
	case w.alone > 0:
		return "The moment was held, but no repeat reached the service meanwhile."
	case w.tried > 1:
		return fmt.Sprintf("The moment did not come in %d tries.", w.tried)
	}
	return "The moment did not come in this try."
}

// badness is the place of a violation in words; of one that is no failure, past the end.
func badness(v checkers.Violation) int {
	i := slices.IndexFunc(words, func(w struct{ rule, word string }) bool { return w.rule == v.Rule })
	if i < 0 || v.Verdict != checkers.Fail {
		return len(words)
	}
	return i
}

// note says of several tries in how many the moment came, and how many failed.
func (w *Window) note(c checkers.Case) string {
	var notes []string
	if w.tried > 1 && w.fired > 0 {
		failed := map[string]bool{}
		for _, v := range c.Violations {
			if v.Verdict == checkers.Fail {
				failed[v.Op] = true
			}
		}
		if len(failed) > 0 {
			notes = append(notes, fmt.Sprintf("%d of %d", len(failed), w.fired))
		} else if w.fired < w.tried {
			notes = append(notes, fmt.Sprintf("came %d of %d", w.fired, w.tried))
		} else {
			notes = append(notes, fmt.Sprintf("%d tries", w.tried))
		}
	}
	if w.fell > 0 {
		notes = append(notes, "died")
	}
	if w.waited > 0 {
		notes = append(notes, "waited")
	}
	return strings.Join(notes, ", ")
}
