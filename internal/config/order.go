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
	if !good {
		return false
	}
	steps := map[string]int{}
	for _, o := range r.file.Operations {
		at := r.places[o.Name].Field("before")
		if way := r.file.circle(o.Name, nil, steps); way != nil {
			r.places[way[0]].Field("before").Errorf("runs in a circle: %s", strings.Join(way, " needs "))
			return false
		}
		if steps[o.Name] > maxBefore {
			at.Errorf("needs more than %d operations before it, counting those before them", maxBefore)
			return false
		}
	}
	return true
}

// maxBefore bounds what one attempt may need: such chains multiply.
const maxBefore = 100

// circle is the way from an operation back to one that is already on the way,
// nil if there is none. steps keeps, of operations found without a circle, how
// many run before them.
func (f *File) circle(name string, way []string, steps map[string]int) []string {
	if i := slices.Index(way, name); i >= 0 {
		return append(slices.Clone(way[i:]), name)
	}
	if _, known := steps[name]; known {
		return nil
	}
	n := 0
	for _, b := range f.find(name).Before {
		if w := f.circle(b, append(slices.Clone(way), name), steps); w != nil {
			return w
		}
		n = min(n+1+steps[b], maxBefore+1)
	}
	steps[name] = n
	return nil
}

// takes are the names that an operation gets from those that run before it.
func (f *File) takes(name string) map[string]bool {
	got, seen := map[string]bool{}, map[string]bool{}
	var walk func(string)
	walk = func(name string) {
		for _, b := range f.find(name).Before {
			if seen[b] {
				continue
			}
			seen[b] = true
			for n := range f.find(b).Take {
				got[n] = true
			}
			walk(b)
		}
	}
	walk(name)
	return got
}

// taken checks the names in the templates of operations.
func (r *reader) taken() {
	for _, u := range r.names {
		got := r.file.takes(u.operation)
		maps.Copy(got, r.file.offered(u.operation))
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
			o.Test = !needed[o.Name] && o.EntryOf == ""
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
