package target

import (
	"encoding/json"
	"slices"

	"github.com/idemcheck/idemcheck/internal/template"
)

// Operation is a configured operation: how its messages are made.
type Operation struct {
	Method  string
	Path    template.Text // with its query; below the base
	Key     Carrier
	Headers []Header
	Body    Body
}

// Header is one request header.
type Header struct {
	Name  string
	Value template.Text
	Anew  bool // rendered for each attempt, not once per operation
}

// Body is what an operation sends: Tree as JSON if JSON is set, else Text.
type Body struct {
	JSON bool
	Tree template.Node
	Text template.Text
	Anew map[string]template.Node // fields of Tree that are rendered for each attempt, by JSON pointer
}

// Scope is one tenant or account: its headers replace an operation's of the same name.
type Scope struct{ Headers []Header }

// OwnBody tells whether the body names the operation: it depends on its id or key.
func (o Operation) OwnBody() bool {
	names := o.Body.names()
	return o.Key.In == InBody || slices.Contains(names, "id") || slices.Contains(names, "key")
}

// Variable tells whether the body has a field that the variant "changed" can change.
func (o Operation) Variable() bool {
	s, err := o.sample()
	if err != nil {
		return false
	}
	_, _, err = s.vary(changed)
	return err == nil
}

// JSONBody tells whether the body is JSON.
func (o Operation) JSONBody() bool {
	s, err := o.sample()
	return err == nil && json.Valid(s.body)
}

// sample renders headers and body with made-up values.
func (o Operation) sample() (*draft, error) {
	v := template.Vars{ID: "id", Key: "key", Scope: "scope", Run: "run", N: 1, Values: map[string]string{}}
	names := o.Body.names()
	for _, h := range o.Headers {
		names = append(names, h.Value.Names()...)
	}
	for _, name := range names {
		v.Values[name] = "1"
	}
	d := &draft{op: o, once: v, fresh: v, key: v.Key}
	if err := d.headers(); err != nil {
		return nil, err
	}
	return d, d.renderBody()
}

func (b Body) names() []string {
	if !b.JSON {
		return b.Text.Names()
	}
	names := b.Tree.Names()
	for _, n := range b.Anew {
		names = append(names, n.Names()...)
	}
	return names
}
