package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a Node is.
type Kind int

// The kinds of nodes. The zero Node is JSON's null.
const (
	Literal Kind = iota // JSON: a number, true, false or null
	String              // a Text; alone, ${int}, ${n} and taken numbers are numbers
	Mapping
	List
)

// Node is a body as a tree in the order of the file.
type Node struct {
	Kind    Kind
	Literal string  // Literal: its JSON text; "" is null
	Text    Text    // String
	Fields  []Field // Mapping
	Items   []Node  // List
}

// Field is one field of a mapping.
type Field struct {
	Name string
	Node Node
}

// JSON is the body as compact JSON, fields in the order of the file.
func (n Node) JSON(v Vars) ([]byte, error) {
	var b bytes.Buffer
	if err := n.write(&b, v, ""); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (n Node) write(b *bytes.Buffer, v Vars, pointer string) error {
	switch n.Kind {
	case Mapping:
		return n.writeFields(b, v, pointer)
	case List:
		return n.writeItems(b, v, pointer)
	case String:
		return n.writeText(b, v, pointer)
	}
	if n.Literal == "" {
		n.Literal = "null"
	}
	if !json.Valid([]byte(n.Literal)) {
		return fmt.Errorf("template: body%s: %q is no JSON value", at(pointer), n.Literal)
	}
	b.WriteString(n.Literal)
	return nil
}

func (n Node) writeFields(b *bytes.Buffer, v Vars, pointer string) error {
	b.WriteByte('{')
	for i, f := range n.Fields {
		if i > 0 {
			b.WriteByte(',')
		}
		quote(b, f.Name)
		b.WriteByte(':')
		if err := f.Node.write(b, v, pointer+"/"+Token(f.Name)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func (n Node) writeItems(b *bytes.Buffer, v Vars, pointer string) error {
	b.WriteByte('[')
	for i, item := range n.Items {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := item.write(b, v, pointer+"/"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func (n Node) writeText(b *bytes.Buffer, v Vars, pointer string) error {
	v.Place += pointer
	s, err := n.Text.Expand(v)
	if err != nil {
		return fmt.Errorf("body%s: %w", at(pointer), err)
	}
	if n.Text.number(v) {
		b.WriteString(s)
	} else {
		quote(b, s)
	}
	return nil
}

// quote writes a JSON string, with <, > and & as they are: a body is what its
// author wrote, not HTML.
func quote(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.Encode(s)             // a string can not fail
	b.Truncate(b.Len() - 1) // Encode ends the line
}

// Names are the names that the texts of a body use, each once.
func (n Node) Names() []string {
	names := n.Text.Names()
	for child := range n.children("") {
		for _, name := range child.Names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func at(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " at " + pointer
}

// Token makes a field name a token of a JSON pointer (RFC 6901, section 3).
func Token(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
