package property

import (
	"hash/maphash"
	"math"
	"reflect"

	"pgregory.net/rapid"
)

// keeper gives out copies of values and finds out when that did not help: hidden
// memory, shared by a copy and its original, was changed. The zero value is for
// types whose values share no memory.
type keeper[X any] struct{ refers, hides, clones bool }

func keep[X any]() keeper[X] {
	t := reflect.TypeFor[X]()
	clones := t.Implements(reflect.TypeFor[interface{ Clone() X }]())
	return keeper[X]{refers: refers(t), clones: clones, hides: !clones && hides(t, map[reflect.Type]bool{})}
}

// copy is a value to be changed at will.
func (k keeper[X]) copy(x X) X {
	switch {
	case k.clones:
		return cloneOf(x)
	case k.refers:
		return copyOf(x)
	}
	return x
}

// sealed is a value and what it looked like.
type sealed[X any] struct {
	value X
	sum   uint64
}

func (k keeper[X]) seal(x X) sealed[X] {
	s := sealed[X]{value: x}
	if k.hides {
		s.sum = sum(reflect.ValueOf(&x).Elem(), map[place]bool{})
	}
	return s
}

// intact fails the test if the value does not look like that any more.
func (k keeper[X]) intact(t *rapid.T, law, who string, all ...sealed[X]) {
	t.Helper()
	if !k.hides {
		return
	}
	for _, s := range all {
		if k.seal(s.value).sum != s.sum {
			t.Fatalf("%s: nothing was judged: %s changed a %T that it was given, in fields that can not be copied from outside. Let it change a copy, or give the type a method Clone() that returns one", law, who, s.value)
		}
	}
}

var seed = maphash.MakeSeed()

// sum is a fingerprint of all that a value reaches, hidden fields too.
func sum(v reflect.Value, seen map[place]bool) uint64 {
	if !v.IsValid() || settled(v.Type()) {
		return 1
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		p := place{v.Pointer(), 0, v.Type()}
		if v.Kind() == reflect.Slice {
			p.size = v.Len()
		}
		if seen[p] {
			return 2
		}
		seen[p] = true
		defer delete(seen, p)
	}
	return parts(v, func(v reflect.Value) uint64 { return sum(v, seen) })
}

// parts joins the fingerprints of what a value consists of.
func parts(v reflect.Value, of func(reflect.Value) uint64) (h uint64) {
	join := func(p uint64) { h = maphash.Comparable(seed, [2]uint64{h, p}) }
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		join(of(v.Elem()))
	case reflect.Struct:
		for i := range v.NumField() {
			join(of(v.Field(i)))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			join(of(v.Index(i)))
		}
		join(uint64(v.Len()))
	case reflect.Map:
		for i := v.MapRange(); i.Next(); { // in any order
			h += maphash.Comparable(seed, [2]uint64{of(i.Key()), of(i.Value())})
		}
		join(uint64(v.Len()))
	default:
		return plain(v)
	}
	return h
}

func plain(v reflect.Value) uint64 {
	switch {
	case v.Kind() == reflect.String:
		return maphash.String(seed, v.String())
	case v.Kind() == reflect.Bool:
		return maphash.Comparable(seed, v.Bool())
	case v.CanInt():
		return maphash.Comparable(seed, v.Int())
	case v.CanUint():
		return maphash.Comparable(seed, v.Uint())
	case v.CanFloat(): // by its bits: NaN is what it was
		return maphash.Comparable(seed, math.Float64bits(v.Float()))
	case v.CanComplex():
		return maphash.Comparable(seed, [2]uint64{math.Float64bits(real(v.Complex())), math.Float64bits(imag(v.Complex()))})
	}
	return 3 // functions and channels
}
