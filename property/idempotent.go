package property

import (
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Idempotent checks f(f(x)) = f(x) for every x that gen draws.
//
// For something that changes a system instead of returning a value there is
// [Repeats]. f may change the value that it is given, if that is plain data or
// has a method Clone.
//
// Draw from a narrow alphabet: rapid.StringOf(rapid.SampledFrom([]rune("aA -")))
// finds in each batch what rapid.String() finds in every second one.
func Idempotent[X any](t rapid.TB, gen *rapid.Generator[X], f func(X) X, opts ...cmp.Option) {
	t.Helper()
	k, c := keep[X](), comparing(opts)
	check(t, func(t *rapid.T) string {
		t.Helper()
		x := gen.Draw(t, "x")
		once := f(x)
		kept := k.seal(k.copy(once))
		twice := f(once)
		k.intact(t, "property.Idempotent", "f", kept)
		if c.same(kept.value, twice) {
			return ""
		}
		c.logDiff(t, "f(x)", "f(f(x))", kept.value, twice)
		if k.refers { // f may have changed it; the draw shows what it was
			t.Fatalf("property.Idempotent: f(f(x)) is not f(x): f(x) = %s, f(f(x)) = %s", show(kept.value), show(twice))
		}
		t.Fatalf("property.Idempotent: f(f(x)) is not f(x): x = %s, f(x) = %s, f(f(x)) = %s", show(x), show(kept.value), show(twice))
		return ""
	})
}
