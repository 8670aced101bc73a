package target

import (
	"encoding/json"
	"slices"

	"github.com/idemcheck/idemcheck/internal/template"
)

// Operation is a configured operation: how its messages are made.
type Operation struct {
	Method   string        // "POST"
	Path     template.Text // with its query; below the base
	Key      Carrier       // where the key travels
	More     []Carrier     // further places where the same key travels
	Derived  bool          // no key travels: the payload is the identity
	Headers  []Header
	Body     Body
	Versions []template.Node // mappings: fields of Body, by name or JSON pointer, in each version of the entity
	Sign     Sign
	Find     *Operation // how a caller asks whether it happened, with Headers; nil: it can not
}

// Header is one request header: a name, and a template of its value.
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

// OwnBody tells whether the body names the operation by its id, or by its key
// elsewhere than where the key travels: such a body is no other operation's.
func (o Operation) OwnBody() bool {
	names := o.Body.names()
	return slices.Contains(names, "id") || slices.Contains(names, "key")
}

// Identified tells whether its body or path names the operation, so that no two
// operations look the same.
func (o Operation) Identified() bool {
	names := append(o.Body.names(), o.Path.Names()...)
	return slices.ContainsFunc(names, func(n string) bool { return n == "id" || n == "n" || n == "key" })
}

// Bodyless tells whether it sends nothing that could be cut in half.
func (o Operation) Bodyless() bool {
	s, err := o.sample()
	return err == nil && len(s.body) < 2
}

// PerAttempt tells whether something of a request is made anew at each attempt.
func (o Operation) PerAttempt() bool {
	return len(o.Body.Anew) > 0 || slices.ContainsFunc(o.Headers, func(h Header) bool { return h.Anew })
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

// Values are the forms of Attempt.Value that the body can hold.
func (o Operation) Values() (names []string) {
	s, err := o.sample()
	if err != nil {
		return nil
	}
	for _, f := range forms {
		if _, err := s.holds(f); err == nil {
			names = append(names, f.name)
		}
	}
	return names
}

// Fields are the body's own fields that a variant can change: JSON pointers,
// or the names of a form's fields.
func (o Operation) Fields() (places []string) {
	s, err := o.sample()
	if err != nil {
		return nil
	}
	own, _ := s.owned()
	for _, l := range own {
		if l.Kind != template.Listing {
			places = append(places, l.Pointer)
		}
	}
	return places
}

// sample renders headers and body with made-up values.
func (o Operation) sample() (*draft, error) {
	v := template.Vars{ID: "id", Key: "key", Scope: "scope", Run: "run", N: 1, Values: map[string]string{}}
	for _, name := range o.names() {
		v.Values[name] = "1"
	}
	d := &draft{op: o, once: v, fresh: v, key: v.Key, carried: []string{v.Key}}
	if err := d.headers(); err != nil {
		return nil, err
	}
	return d, d.renderBody()
}

// carriers are all places where the key travels.
func (o Operation) carriers() []Carrier {
	if o.Key.In == "" {
		return nil
	}
	return append([]Carrier{o.Key}, o.More...)
}

// names are those in the templates of headers and body.
func (o Operation) names() []string {
	names := o.Body.names()
	for _, h := range o.Headers {
		names = append(names, h.Value.Names()...)
	}
	for _, v := range o.Versions {
		names = append(names, v.Names()...)
	}
	return names
}

// BodyTemplates are the names in the templates of the body.
func (o Operation) BodyTemplates() []string { return o.Body.names() }

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
