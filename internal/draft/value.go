package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Kind says what a Value is.
type Kind int

// The kinds of values.
const (
	Literal Kind = iota // a number, true, false or null, as JSON text
	Text                // in the syntax of templates
	Object
	List
)

// Value is a part of a body as it will stand in the file.
type Value struct {
	Kind  Kind
	Text  string   // of Literal and Text
	Names []string // of an Object's fields, in order
	Items []*Value // of an Object's fields, or of a List
	Note  string   // stands beside it as a comment
}

// add appends a field.
func (v *Value) add(name string, item *Value) {
	v.Names, v.Items = append(v.Names, name), append(v.Items, item)
}

// field is a field of an Object, nil if there is none.
func (v *Value) field(name string) *Value {
	if v == nil {
		return nil
	}
	for i, n := range v.Names {
		if n == name {
			return v.Items[i]
		}
	}
	return nil
}

// maxDepth keeps a body within what the configuration reads.
const maxDepth = 90

// readJSON reads an object or list, and keeps its order and its numbers. ok is
// false for what the configuration could not say as a mapping: then the body is
// sent as the text that it is.
func readJSON(text string) (v *Value, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := decode(d, 0)
	if err != nil || v.Kind != Object && v.Kind != List {
		return nil, false
	}
	_, err = d.Token()
	return v, err == io.EOF
}

func decode(d *json.Decoder, depth int) (*Value, error) {
	t, err := d.Token()
	if err != nil || depth > maxDepth {
		return nil, fmt.Errorf("at depth %d: %w", depth, err)
	}
	switch t := t.(type) {
	case json.Number:
		return &Value{Kind: Literal, Text: t.String()}, nil
	case string:
		return &Value{Kind: Text, Text: t}, nil
	case bool:
		return &Value{Kind: Literal, Text: fmt.Sprint(t)}, nil
	case json.Delim:
		return inside(d, t, depth)
	}
	return &Value{Kind: Literal, Text: "null"}, nil
}

func inside(d *json.Decoder, open json.Delim, depth int) (*Value, error) {
	v := &Value{Kind: List}
	if open == '{' {
		v.Kind = Object
	}
	for d.More() {
		name := ""
		if v.Kind == Object {
			t, err := d.Token()
			if err != nil {
				return nil, err
			}
			name, _ = t.(string)
			if v.field(name) != nil {
				return nil, fmt.Errorf("field %q is there twice", name)
			}
		}
		item, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		if v.Kind == Object {
			v.add(name, item)
		} else {
			v.Items = append(v.Items, item)
		}
	}
	_, err := d.Token()
	return v, err
}

// quote is a text as a JSON string, which is one of YAML as well.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	return strings.TrimSuffix(b.String(), "\n")
}
