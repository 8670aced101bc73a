package config

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// find is how a caller asks whether the operation happened: a request line, or
// a mapping of send and body. It carries no key.
func (r *reader) find(v strict.Value, check func(strict.Value, template.Text)) *target.Operation {
	if !v.Exists() {
		return nil
	}
	o := &target.Operation{}
	line := v
	if v.Kind() == strict.Map {
		v.Fields("send", "body")
		line = v.Need("send")
		o.Body = r.body(v.Field("body"), check)
	}
	o.Method, o.Path = r.send(line, check)
	if o.Method != "" && !slices.Contains([]string{"GET", "HEAD", "POST"}, o.Method) {
		line.Errorf("must only ask: GET, HEAD, or POST for a search; got %s", o.Method)
	}
	return o
}

// versions are the fields of the body in each version of one entity.
func (r *reader) versions(v strict.Value, b target.Body, check func(strict.Value, template.Text)) (list []template.Node) {
	if !v.Exists() {
		return nil
	}
	if v.Kind() == strict.List && len(v.List()) < 2 {
		v.Errorf("must be two versions at least, as in [{status: active}, {status: cancelled}]")
	}
	if !b.JSON {
		v.Errorf("the body has no fields to set: it must be a mapping; or write ${version} into it")
		return nil
	}
	for _, item := range v.List() {
		if item.Kind() != strict.Map {
			item.Errorf("must be a mapping of the body's fields, as in {status: active}; got %s", item.Kind())
			continue
		}
		n := r.node(item, check)
		for i, f := range item.Fields() {
			at := f.Name
			if !strings.HasPrefix(at, "/") {
				at = "/" + template.Token(at)
			}
			if _, err := b.Tree.With(at, n.Fields[i].Node); err != nil {
				f.Key.Errorf("has no place in the body: %v", err)
			}
		}
		list = append(list, n)
	}
	return list
}

// entries checks what operations say of those that they are entry points of.
func (r *reader) entries() bool {
	good := true
	for _, o := range r.file.Operations {
		if o.EntryOf == "" {
			continue
		}
		place := r.places[o.Name]
		at := place.Field("entry_of")
		of := r.file.find(o.EntryOf)
		good = good && of != nil
		switch {
		case of == nil:
			at.Errorf("unknown operation %q%s; the file has %s", o.EntryOf, strict.DidYouMean(o.EntryOf, r.file.operationNames()), strings.Join(r.file.operationNames(), ", "))
		case of.Name == o.Name:
			at.Errorf("an operation can not be an entry point of itself")
		case of.EntryOf != "":
			at.Errorf("%s is an entry point itself: name %s", of.Name, of.EntryOf)
		case len(o.Before) > 0:
			place.Field("before").Errorf("an entry point has no before of its own: what runs before %s runs before it, and offers the same values", of.Name)
		case o.Test:
			place.Field("test").Errorf("an entry point is tested with %s, not by itself", of.Name)
		}
	}
	return good
}

// offered are the names that an entry point gets from the operation it is one of.
func (f *File) offered(name string) map[string]bool {
	got := map[string]bool{}
	of := f.find(f.find(name).EntryOf)
	if of == nil {
		return got
	}
	for n := range f.takes(of.Name) {
		got[n] = true
	}
	for _, n := range of.BodyNames() {
		got[n] = true
	}
	return got
}
