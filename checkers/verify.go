package checkers

import (
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// TB is what Verify needs of a test; *testing.T and *rapid.T have it.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Verify judges a history by the rules, all of the Catalogue if none is given,
// and fails the test where it does not pass: one sentence, what happened to
// that operation, the likely cause and the usual cure, and the line that runs it
// again. What could not be judged fails the test too, with the reason: a fault
// that did not fire, an effect that was never seen, a rule without anything to
// judge.
//
// The contract is the one in the header of the history. Where the test keeps its
// artefacts (go test -artifacts) the history is one of them, for idemcheck check.
func Verify(t TB, h history.History, rules ...Rule) {
	t.Helper()
	r := Judge(h, contract.Contract{}, rules...)
	if r.Verdict() == Pass {
		return
	}
	f := newFailure(h, r, rules)
	failTest(t, f.first(), f.rest()+runAgain(t, h)+keep(t, h, rules))
}

// failTest fails the test with a text. A test that draws its cases again and again
// prints what it failed with twice, so there it is one line, and the rest is
// logged.
func failTest(t TB, first, rest string) {
	t.Helper()
	rest = strings.TrimSuffix(rest, "\n")
	if _, plain := t.(artefacts); plain {
		t.Errorf("%s", strings.TrimSuffix(first+"\n"+rest, "\n"))
		return
	}
	if rest != "" {
		t.Logf("%s", rest)
	}
	t.Errorf("%s", first)
}
