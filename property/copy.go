package property

import "reflect"

// copyOf is a deep copy of all that exported fields, elements and pointers reach.
// Keys of maps, what stands behind hidden fields, and structs without any
// exported field are shared.
func copyOf[X any](x X) X {
	v := reflect.ValueOf(&x).Elem() // a copy already, of what does not refer to anything
	var c copier
	c.deepen(v)
	return x
}

// cloneOf is a copy by the value's own method.
func cloneOf[X any](x X) X {
	if isNil(reflect.ValueOf(&x).Elem()) {
		return x
	}
	return any(x).(interface{ Clone() X }).Clone()
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// copier knows the copies made of what refers to more, so that what was shared
// or a ring stays so.
type copier struct{ made map[place]reflect.Value }

func (c *copier) note(p place, n reflect.Value) {
	if c.made == nil {
		c.made = map[place]reflect.Value{}
	}
	c.made[p] = n
}

// place is a piece of memory. A struct and its first field begin at the same
// address, a slice and a part of it too.
type place struct {
	at   uintptr
	size int
	of   reflect.Type
}

// deepen replaces what a flat copy shares with its original.
func (c *copier) deepen(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.deepen(v.Field(i))
			}
		}
	case reflect.Array:
		c.elements(v)
	case reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		v.Set(c.copy(v))
	}
}

func (c *copier) elements(v reflect.Value) {
	if !refers(v.Type().Elem()) {
		return
	}
	for i := range v.Len() {
		c.deepen(v.Index(i))
	}
}

func (c *copier) copy(v reflect.Value) reflect.Value {
	if isNil(v) {
		return v
	}
	switch v.Kind() {
	case reflect.Pointer:
		return c.pointer(v)
	case reflect.Slice:
		return c.slice(v)
	case reflect.Map:
		return c.mapping(v)
	case reflect.Interface:
		v = v.Elem()
	}
	n := reflect.New(v.Type()).Elem()
	n.Set(v)
	c.deepen(n)
	return n
}

func (c *copier) pointer(v reflect.Value) reflect.Value {
	p := place{v.Pointer(), 0, v.Type()}
	if n, ok := c.made[p]; ok {
		return n
	}
	if elem := v.Type().Elem(); elem.Kind() == reflect.Struct && !open(elem) {
		return v
	}
	n := reflect.New(v.Type().Elem())
	if n.Type() != v.Type() { // a named pointer type
		n = n.Convert(v.Type())
	}
	c.note(p, n)
	n.Elem().Set(v.Elem())
	c.deepen(n.Elem())
	return n
}

func (c *copier) slice(v reflect.Value) reflect.Value {
	p := place{v.Pointer(), v.Len(), v.Type()}
	if n, ok := c.made[p]; ok {
		return n
	}
	n := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(n, v)
	if refers(v.Type().Elem()) {
		c.note(p, n)
		c.elements(n)
	}
	return n
}

func (c *copier) mapping(v reflect.Value) reflect.Value {
	p := place{v.Pointer(), 0, v.Type()}
	if n, ok := c.made[p]; ok {
		return n
	}
	n := reflect.MakeMapWithSize(v.Type(), v.Len())
	c.note(p, n)
	for i := v.MapRange(); i.Next(); {
		n.SetMapIndex(i.Key(), c.copy(i.Value()))
	}
	return n
}

// open tells whether a struct has an exported field.
func open(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			return true
		}
	}
	return false
}
