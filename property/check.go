package property

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// check runs a law: for many drawn values if t is a test, once if t is a
// *rapid.T, whose property the law then is a part of. The law says why it judged
// nothing of what it drew, or "".
func check(t rapid.TB, law func(*rapid.T) string) {
	t.Helper()
	if inner, ok := t.(*rapid.T); ok {
		if why := law(inner); why != "" {
			inner.Skip(why)
		}
		return
	}
	judged, idle, broken := 0, reasons{}, false
	defer func() {
		if t.Failed() && !broken && len(idle) > 0 { // rapid only says how many there were
			n, why := idle.most()
			t.Logf("property: nothing was judged in %d of %d tests: %s", n, n+judged, why)
		}
	}()
	judge := func(t *rapid.T) {
		t.Helper()
		if judged == 0 && !broken && len(idle) > 0 { // a failure is shrunk whatever its candidates are
			if n, why := idle.most(); n >= enough {
				t.Skip(why) // the others would end like that: they need not take their time
			}
		}
		before := broken
		broken = true // unless it returns
		w := law(t)
		broken = before
		if w != "" {
			idle[w]++
			t.Skip(w)
		}
		judged++
	}
	if b, ok := t.(bubble); ok {
		rapid.Check(b.T, func(t *rapid.T) { rapid.SyncTest(t, judge) })
		return
	}
	rapid.Check(t, judge)
}

// enough cases of which none was judged show that none will be.
const enough = 30

// reasons are why nothing was judged, and how often.
type reasons map[string]int

// most is how often there was one, and the most frequent one.
func (r reasons) most() (all int, why string) {
	for _, w := range slices.Sorted(maps.Keys(r)) {
		if all += r[w]; why == "" || r[w] > r[why] {
			why = w
		}
	}
	return all, why
}

// refused is why a sequence is no test.
const refused = "the system refused every operation"
