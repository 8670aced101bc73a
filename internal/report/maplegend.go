package report

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/scenarios"
)

// legendView explains a word of the map.
type legendView struct{ Class, Sign, Word, Means string }

// mapWords are the words of cells, and what they mean.
var mapWords = []struct{ word, means string }{
	{"pass", "the world is as it should be, and the caller got an answer that says so"},
	{"TWICE", "more effects than were allowed"},
	{"LOST", "acknowledged, and no effect"},
	{"STUCK", "no final answer, however often it was sent again"},
	{"WRONG", "a repeat got an answer that it must not get"},
	{"FAIL", "another rule was broken"},
	{"?", "not known: that is no pass"},
}

// legendViews are the words and signs that the map uses.
func (c chart) legendViews() (all []legendView) {
	states, waited, died := map[string]state{}, false, false
	equal, none, left := false, false, false
	for i := range c.Moments {
		for _, at := range c.cells(i) {
			plain, more, _ := strings.Cut(strings.TrimPrefix(at.word, "= "), ",")
			if at.state != "" {
				states[plain] = at.state
			}
			waited, died = waited || strings.Contains(more, "waited"), died || strings.Contains(more, "died")
			equal, none, left = equal || at.equal, none || at.word == noWindow, left || at.word == notRun
		}
	}
	for _, w := range mapWords {
		if s, ok := states[w.word]; ok {
			sign := signs[s]
			if sign == w.word {
				sign = ""
			}
			all = append(all, legendView{s.class(), sign, w.word, w.means})
		}
	}
	add := func(is bool, sign, word, means string) {
		if is {
			all = append(all, legendView{"none", sign, word, means})
		}
	}
	add(waited, "", "waited", "the repeat waited until the first was let go")
	add(died, "", "died", diedMeans)
	add(equal, "=", "", "nothing of ours lies between this window and its neighbour: it was run once")
	add(none, noWindow, "", "no such window: a point of code asks for nothing that could be lost")
	add(left, notRun, "", "not run")
	add(slices.ContainsFunc(c.Moments, func(m scenarios.Moment) bool { return m.Sometimes }), "", "not every time", "the moment does not come in every run")
	return all
}

// diedMeans is what died says beside a word.
const diedMeans = "the worker ended by itself when that came, and was started again"
