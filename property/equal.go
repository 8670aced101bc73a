package property

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// comparison tells values apart by go-cmp. Hidden fields count: a property is
// written by the owner of the types. What has no value is left out: functions,
// channels, locks.
type comparison cmp.Options

// comparing adds what every comparison has to the options of the caller. NaN is
// NaN, unless there are any: a second option for floats would be ambiguous.
func comparing(opts []cmp.Option) comparison {
	all := comparison{cmp.Exporter(func(reflect.Type) bool { return true }), cmp.FilterPath(valueless, cmp.Ignore())}
	if len(opts) == 0 {
		return append(all, cmpopts.EquateNaNs())
	}
	return append(all, opts...)
}

// valueless tells whether nothing can be compared there.
func valueless(p cmp.Path) bool {
	t := p.Last().Type()
	if t == nil {
		return false
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan:
		return true
	}
	return t.PkgPath() == "sync" && t.Name() != "Map"
}

// same is cheap where values are equal, which is the common case.
func (c comparison) same(a, b any) bool {
	return alike(a, b) || reflect.DeepEqual(a, b) || cmp.Equal(a, b, cmp.Options(c))
}

// alike tells of the most usual types, without a walk, whether two values are
// surely equal.
func alike(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case []int:
		b, ok := b.([]int)
		return ok && (a == nil) == (b == nil) && slices.Equal(a, b)
	case []string:
		b, ok := b.([]string)
		return ok && (a == nil) == (b == nil) && slices.Equal(a, b)
	case []byte:
		b, ok := b.([]byte)
		return ok && (a == nil) == (b == nil) && bytes.Equal(a, b)
	}
	return false
}

// diff is what go-cmp prints, without the blanks that it varies from build to
// build.
func (c comparison) diff(a, b any) string {
	return strings.ReplaceAll(cmp.Diff(a, b, cmp.Options(c)), "\u00a0", " ")
}

// logDiff logs two values that should be equal, where one line does not show them.
func (c comparison) logDiff(t *rapid.T, before, after string, a, b any) {
	t.Helper()
	if !scalar(a) || !scalar(b) {
		t.Logf("-%s +%s:\n%s", before, after, strings.TrimRight(c.diff(a, b), "\n"))
	}
}

// scalar tells whether one line shows the whole value.
func scalar(v any) bool {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Array, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.Struct:
		return false
	}
	return !strings.HasSuffix(show(v), "…")
}
