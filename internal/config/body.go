package config

import (
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// body is a mapping or list that is sent as JSON in the file's order, or a text
// that is sent as it is. check is told of each text in it.
func (r *reader) body(v strict.Value, check func(strict.Value, template.Text)) target.Body {
	switch v.Kind() {
	case strict.None:
		return target.Body{}
	case strict.Map, strict.List:
		return target.Body{JSON: true, Tree: r.node(v, check)}
	case strict.Text:
		t, ok := r.text(v)
		if ok {
			check(v, t)
		}
		return target.Body{Text: t}
	}
	v.Errorf("must be a mapping, a list or text, got %s", v.Kind())
	return target.Body{}
}

// node keeps the order and the types of the file.
func (r *reader) node(v strict.Value, check func(strict.Value, template.Text)) template.Node {
	switch v.Kind() {
	case strict.Map:
		n := template.Node{Kind: template.Mapping}
		for _, f := range v.Fields() {
			n.Fields = append(n.Fields, template.Field{Name: f.Name, Node: r.node(f.Value, check)})
		}
		return n
	case strict.List:
		n := template.Node{Kind: template.List}
		for _, item := range v.List() {
			n.Items = append(n.Items, r.node(item, check))
		}
		return n
	case strict.Text:
		t, ok := r.text(v)
		if ok {
			check(v, t)
		}
		return template.Node{Kind: template.String, Text: t}
	}
	return template.Node{Literal: v.Literal()}
}

// pointer is a JSON pointer (RFC 6901) to a field.
func pointer(v strict.Value) string {
	s := v.Text()
	if s != "" && !strings.HasPrefix(s, "/") {
		v.Errorf("must be a JSON pointer, which begins with /, as in /data/id; got %q", s)
	}
	return s
}

// anew are the body's fields that are rendered for each attempt, by pointer.
func (r *reader) anew(v strict.Value, b target.Body, check func(strict.Value, template.Text)) map[string]template.Node {
	if !v.Exists() {
		return nil
	}
	if !b.JSON {
		v.Errorf("the body has no fields to render anew: it must be a mapping")
		return nil
	}
	m := map[string]template.Node{}
	for _, f := range v.Fields() {
		p := pointer(f.Key)
		if _, err := b.Tree.With(p, template.Node{}); err != nil {
			f.Key.Errorf("has no place in the body: %v", err)
		}
		m[p] = r.node(f.Value, check)
	}
	return m
}
