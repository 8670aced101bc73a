package property

import (
	"reflect"
	"strings"

	"pgregory.net/rapid"
)

// ends compares the states in which two machines ended and fails the test if
// they differ: "… set 1 in one order, set 2 in another".
func (c comparison) ends(t *rapid.T, law, what, here, there string, a, b any) {
	t.Helper()
	if one(a, b) {
		t.Fatalf("property.%s: nothing was judged: both machines are the same one. Machine.New must make a new one each time, or State return a copy of what it shows", law)
	}
	if c.same(a, b) {
		return
	}
	c.logDiff(t, here, there, a, b)
	x, y := show(a), show(b)
	if x == y || strings.HasSuffix(x, "…") || strings.HasSuffix(y, "…") {
		t.Fatalf("property.%s: %s changed the state", law, what)
	}
	t.Fatalf("property.%s: %s changed the state: %s it ends in %s, %s in %s", law, what, here, x, there, y)
}

// one tells whether two states are the same piece of memory.
func one(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !x.IsValid() || !y.IsValid() || x.Type() != y.Type() {
		return false
	}
	switch x.Kind() {
	case reflect.Pointer:
		return !x.IsNil() && x.Type().Elem().Size() > 0 && x.Pointer() == y.Pointer()
	case reflect.Map:
		return !x.IsNil() && x.Pointer() == y.Pointer()
	}
	return false
}

// moved says why a sequence is no test if its end cannot be told from the start:
// perhaps what it changes is not looked at.
func (c comparison) moved(start, end any) string {
	if c.same(start, end) {
		return "the operations changed nothing that is compared: let Machine.State return what they change"
	}
	return ""
}
