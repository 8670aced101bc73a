package property

import (
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Commutes checks f(a, b) = f(b, a) for every a and b that gen draws: a merge
// that does not care which side is mine. For operations on a system whose order
// must not matter there is [Reorders].
func Commutes[X any](t rapid.TB, gen *rapid.Generator[X], f func(a, b X) X, opts ...cmp.Option) {
	t.Helper()
	k, c := keep[X](), comparing(opts)
	check(t, func(t *rapid.T) string {
		t.Helper()
		a, b := k.seal(gen.Draw(t, "a")), k.seal(gen.Draw(t, "b"))
		ab := k.seal(f(k.copy(a.value), k.copy(b.value)))
		ba := f(k.copy(b.value), k.copy(a.value))
		k.intact(t, "property.Commutes", "f", a, b, ab)
		if c.same(ab.value, ba) {
			return ""
		}
		c.logDiff(t, "f(a, b)", "f(b, a)", ab.value, ba)
		t.Fatalf("property.Commutes: f(b, a) is not f(a, b): a = %s, b = %s, f(a, b) = %s, f(b, a) = %s",
			show(a.value), show(b.value), show(ab.value), show(ba))
		return ""
	})
}

// Associates checks f(f(a, b), c) = f(a, f(b, c)) for all that gen draws: merges
// may be grouped in any way. What associates, commutes and has f(x, x) = x can
// be merged in any order, in any grouping, and again.
func Associates[X any](t rapid.TB, gen *rapid.Generator[X], f func(a, b X) X, opts ...cmp.Option) {
	t.Helper()
	k, cmp := keep[X](), comparing(opts)
	check(t, func(t *rapid.T) string {
		t.Helper()
		a, b, c := k.seal(gen.Draw(t, "a")), k.seal(gen.Draw(t, "b")), k.seal(gen.Draw(t, "c"))
		left := k.seal(f(f(k.copy(a.value), k.copy(b.value)), k.copy(c.value)))
		right := f(k.copy(a.value), f(k.copy(b.value), k.copy(c.value)))
		k.intact(t, "property.Associates", "f", a, b, c, left)
		if cmp.same(left.value, right) {
			return ""
		}
		cmp.logDiff(t, "f(f(a, b), c)", "f(a, f(b, c))", left.value, right)
		t.Fatalf("property.Associates: f(a, f(b, c)) is not f(f(a, b), c): a = %s, b = %s, c = %s, f(f(a, b), c) = %s, f(a, f(b, c)) = %s",
			show(a.value), show(b.value), show(c.value), show(left.value), show(right))
		return ""
	})
}
