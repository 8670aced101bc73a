package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/scenarios"
)

// What a search did stands in each report, and what it found in plain words.
func TestExplored(t *testing.T) {
	r := Run{Explored: &scenarios.Explored{Plans: 40, Passed: 36, Failed: 3, Inconclusive: 1, Tries: 12, Seconds: 6.25,
		Fired: map[string]int{"lose-answer": 7, "overlap": 9}, Did: map[string]int{"send": 40}, Unjudged: map[string]int{"it never came about": 1},
		Mended: []string{"same-answer-1"},
		Finds: []scenarios.Find{
			{Case: "at-most-once-2/charge", Failed: 2, Of: 5, Steps: 2, Drawn: 9, Number: 11, Seconds: 2.1, Met: 3, Also: []string{"refund"}},
			{Case: "progress-3/charge", Failed: 5, Of: 5, Steps: 1, Drawn: 1, Number: 1, Seconds: 0.4, Met: 1, Saved: true},
		}}}
	p := newPage(r)
	p.explored()
	const want = `
explored 40 plans in 6.2 s: 36 passed, 3 failed, 1 inconclusive; 12 runs to cut down and try again
fired: overlap 9, lose-answer 7
tried: 1 kind of step
1 inconclusive: it never came about
found by an earlier search, pass now: same-answer-1
  at-most-once-2/charge  failed 2 of 5 times · 2 steps of 9 · plan 11, after 2.1 s · 3 plans failed
    alike · also refund
  progress-3/charge  failed 5 of 5 times · 1 step · plan 1, after 0.4 s · found before
`
	if got := p.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for name, print := range map[string]func(*bytes.Buffer) error{
		"html": func(b *bytes.Buffer) error { return HTML(b, r) }, "markdown": func(b *bytes.Buffer) error { return Markdown(b, r) },
		"json": func(b *bytes.Buffer) error { return JSON(b, r) },
	} {
		var b bytes.Buffer
		if err := print(&b); err != nil || !strings.Contains(b.String(), "same-answer-1") {
			t.Errorf("%s says nothing of the search (%v)", name, err)
		}
	}
}
