// Package schema holds JSON Schemas (2020-12) of idemcheck.yaml and of plan
// files, for editors: they complete names and mark what can not be right. They
// are looser than the reader, which says more and says it better; a test holds
// that they know every field that the reader knows.
//
// A new field is one line in config.go or plan.go of this package; then
// go test ./internal/schema -update writes the files under docs/.
package schema

import (
	"bytes"
	"encoding/json"
)

// node is a schema, as far as these files need it.
type node struct {
	Schema     string           `json:"$schema,omitempty"`
	ID         string           `json:"$id,omitempty"`
	Title      string           `json:"title,omitempty"`
	Doc        string           `json:"description,omitempty"`
	Type       []string         `json:"type,omitempty"`
	Enum       []string         `json:"enum,omitempty"`
	Pattern    string           `json:"pattern,omitempty"`
	Minimum    *float64         `json:"minimum,omitempty"`
	Properties map[string]*node `json:"properties,omitempty"`
	Names      *node            `json:"propertyNames,omitempty"`
	Others     any              `json:"additionalProperties,omitempty"` // false, or a *node
	MinFields  int              `json:"minProperties,omitempty"`
	Required   []string         `json:"required,omitempty"`
	Items      *node            `json:"items,omitempty"`
	AnyOf      []*node          `json:"anyOf,omitempty"`
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// fields are the fields of a mapping.
type fields map[string]*node

// doc is n with another description.
func (n *node) doc(text string) *node {
	c := *n
	c.Doc = text
	return &c
}

// The kinds of values. A text may be written as a number or as true.
var (
	anything = &node{}
	text     = &node{Type: []string{"string", "number", "boolean"}}
	truth    = &node{Type: []string{"boolean"}}
	whole    = &node{Type: []string{"integer"}}
	number   = &node{Type: []string{"number"}}
	duration = &node{Type: []string{"string"}, Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	texts    = anyOf(text, list(text))
)

func list(of *node) *node { return &node{Type: []string{"array"}, Items: of} }

func anyOf(all ...*node) *node { return &node{AnyOf: all} }

func words(all ...string) *node { return &node{Type: []string{"string"}, Enum: all} }

// named is a mapping from names of the user's choice.
func named(of *node) *node {
	return &node{Type: []string{"object"}, Others: of, Names: &node{Pattern: `^[A-Za-z0-9_.-]+$`}}
}

// free is a mapping from any names.
func free(of *node) *node { return &node{Type: []string{"object"}, Others: of} }

// object is a mapping with these fields only.
func object(f fields, required ...string) *node {
	return &node{Type: []string{"object"}, Properties: f, Others: false, Required: required}
}

// print is the schema as a file.
func (n *node) print() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(n) // plain data can always be written
	return b.Bytes()
}
