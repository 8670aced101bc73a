package property

import (
	"reflect"
	"strings"
)

// refers tells whether values of a type can share memory with others.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !settled(t) && refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// hides tells whether a copy of a value may share memory with its original.
func hides(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || settled(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array, reflect.Map, reflect.Slice:
		return hides(t.Elem(), seen)
	case reflect.Pointer:
		elem := t.Elem()
		return elem.Kind() == reflect.Struct && !settled(elem) && !open(elem) || hides(elem, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && refers(f.Type) || hides(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// settled are types that never change, or whose hidden parts change by
// themselves and mean nothing.
func settled(t reflect.Type) bool {
	switch path := t.PkgPath(); path {
	case "net/netip", "reflect", "regexp", "sync", "sync/atomic", "time", "unique":
		return true
	default:
		return strings.HasPrefix(path, "google.golang.org/protobuf/")
	}
}
