package checkers

import (
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// Without effects, without a name in the answers and without a promise there is
// nothing that could have failed.
func TestAnswersOnlyNeedSomethingToCompare(t *testing.T) {
	for _, tt := range []struct {
		name, first, second string
		promise             []string
		want                Verdict
	}{
		{"nothing at all", `{"ok":true}`, `{"ok":true}`, nil, Inconclusive},
		{"a name", `{"id":"ch_1"}`, `{"id":"ch_2"}`, nil, Pass},
		{"a promise", `{"ok":true}`, `{"ok":true}`, []string{"replay=verbatim"}, Pass},
	} {
		b := newBook()
		b.h.Header.Effects = "none"
		b.in = history.CaseCalibration
		b.try("r-1", "201", tt.first)
		b.try("r-2", "201", tt.second)
		b.try("r-2", "201", tt.second)
		b.open("repeat/charge", "exactly-once,same-answer")
		b.try("r-3", "201", tt.first)
		b.try("r-3", "201", tt.first)
		if r := Judge(b.done(), stated(t, tt.promise...)); r.Verdict() != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.name, r.Verdict(), tt.want, findings(r))
		}
	}
}
