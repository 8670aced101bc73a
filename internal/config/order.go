package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
)

// find is the operation of that name, or nil.
func (f *File) find(name string) *Operation {
	i := slices.IndexFunc(f.Operations, func(o Operation) bool { return o.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Operations[i]
}

func (f *File) operationNames() []string {
	var list []string
	for _, o := range f.Operations {
		list = append(list, o.Name)
	}
	return list
}

// order checks that each before: names operations and leads to an end.
func (r *reader) order() bool {
	good := true
	for _, o := range r.file.Operations {
		at := r.places[o.Name].Field("before")
		for _, b := range o.Before {
			if r.file.find(b) == nil {
				at.ErrorIn(b, "unknown operation %q%s; the file has %s", b, strict.DidYouMean(b, r.file.operationNames()), strings.Join(r.file.operationNames(), ", "))
				good = false
			}
		}
	}
	for _, o := range r.file.Operations {
		if !good {
			return false
		}
		if way := r.file.circle(o.Name, nil); way != nil {
			r.places[o.Name].Field("before").Errorf("runs in a circle: %s", strings.Join(way, " needs "))
			return false
		}
	}
	return true
}

// circle is the way from an operation back to itself, nil if there is none.
func (f *File) circle(name string, way []string) []string {
	if slices.Contains(way, name) {
		if way[0] == name {
			return append(way, name)
		}
		return nil // a circle that others are in; it is found from them
	}
	for _, b := range f.find(name).Before {
		if w := f.circle(b, append(slices.Clone(way), name)); w != nil {
			return w
		}
	}
	return nil
}

// takes are the names that an operation gets from those that run before it.
func (f *File) takes(name string, into map[string]bool) {
	for _, b := range f.find(name).Before {
		for n := range f.find(b).Take {
			into[n] = true
		}
		f.takes(b, into)
	}
}

// taken checks the names in the templates of operations.
func (r *reader) taken() {
	for _, u := range r.names {
		got := map[string]bool{}
		r.file.takes(u.operation, got)
		if slices.Contains(template.Ours, u.name) || got[u.name] {
			continue
		}
		legal := append(slices.Clone(template.Ours), slices.Sorted(maps.Keys(got))...)
		hint := ""
		if o := r.file.taker(u.name); o != "" {
			hint = "; " + o + " takes it: add   before: [" + o + "]"
		}
		u.at.ErrorIn("${"+u.name, "unknown name ${%s}%s; legal here: ${%s}%s", u.name, strict.DidYouMean(u.name, legal), strings.Join(legal, "}, ${"), hint)
	}
}

// taker is an operation that takes a name, "" if none does.
func (f *File) taker(name string) string {
	for _, o := range f.Operations {
		if _, ok := o.Take[name]; ok {
			return o.Name
		}
	}
	return ""
}

// underTest decides which operations are: all that no other needs, and those that say so.
func (r *reader) underTest() {
	needed := map[string]bool{}
	for _, o := range r.file.Operations {
		for _, b := range o.Before {
			needed[b] = true
		}
	}
	some := false
	for i := range r.file.Operations {
		o := &r.file.Operations[i]
		switch said := r.places[o.Name].Field("test"); said.Kind() {
		case strict.None:
			o.Test = !needed[o.Name]
		case strict.Bool:
		default:
			some = true // a mistake of its own
		}
		some = some || o.Test
	}
	if !some && len(r.file.Operations) > 0 {
		r.places[r.file.Operations[0].Name].Errorf("no operation is under test: say  test: true  in one")
	}
}
