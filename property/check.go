package property

import "pgregory.net/rapid"

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
	judged, idle, why := 0, 0, ""
	defer func() {
		if t.Failed() && idle > judged { // rapid only says how many there were
			t.Logf("property: nothing was judged in %d of %d tests: %s", idle, idle+judged, why)
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		t.Helper()
		if w := law(t); w != "" {
			idle, why = idle+1, w
			t.Skip(w)
		}
		judged++
	})
}

// refused is why a sequence is no test.
const refused = "the system refused every operation"
