package strict

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// value makes our tree of the parser's, and refuses what is beyond the plain
// part of YAML.
func (d *document) value(x ast.Node, depth int) Value {
	if x == nil || depth > MaxDepth {
		return d.refuse(x, fmt.Sprintf("nested too deeply: at most %d levels are read", MaxDepth))
	}
	switch x := x.(type) {
	case *ast.MappingNode:
		return d.mapping(x, x.Values, depth)
	case *ast.MappingValueNode:
		return d.mapping(x, []*ast.MappingValueNode{x}, depth)
	case *ast.SequenceNode:
		return d.sequence(x, depth)
	case *ast.LiteralNode:
		return d.scalar(x.Start, Text, x.Value.Value, true)
	case *ast.StringNode:
		return d.text(x)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return d.scalar(x.GetToken(), Number, x.GetToken().Value, false)
	case *ast.BoolNode:
		return d.scalar(x.Token, Bool, x.Token.Value, false)
	case *ast.NullNode:
		return d.scalar(x.Token, Null, "", false)
	case *ast.AliasNode, *ast.AnchorNode:
		return d.refuse(x, "anchors (&name) and aliases (*name) are not taken: write the value out, or in quotes if it is a text")
	case *ast.TagNode:
		return d.refuse(x, "tags (!name) are not taken: put a text in quotes")
	case *ast.DirectiveNode:
		return d.refuse(x, "directives (%NAME) are not taken")
	}
	return d.refuse(x, fmt.Sprintf("%s can not stand here", strings.ToLower(x.Type().YAMLName())))
}

func (d *document) refuse(x ast.Node, msg string) Value {
	line, column := 1, 1
	if x != nil {
		line, column = place(x.GetToken())
	}
	d.errorAt(line, column, msg)
	return Value{d, &node{kind: Null, bad: true, line: line, column: column}}
}

func (d *document) scalar(t *token.Token, k Kind, text string, quoted bool) Value {
	line, column := place(t)
	return Value{d, &node{kind: k, text: text, quoted: quoted, line: line, column: column}}
}

// text is a text, or a number in a form that the parser does not know, such as 1e3.
func (d *document) text(x *ast.StringNode) Value {
	quoted := x.Token.Type == token.SingleQuoteType || x.Token.Type == token.DoubleQuoteType
	if !quoted && jsonNumber.MatchString(x.Value) {
		return d.scalar(x.Token, Number, x.Value, false)
	}
	return d.scalar(x.Token, Text, x.Value, quoted)
}

func (d *document) sequence(x *ast.SequenceNode, depth int) Value {
	v := d.scalar(x.Start, List, "", false)
	for _, item := range x.Values {
		v.n.items = append(v.n.items, d.value(item, depth+1))
	}
	return v
}

func (d *document) mapping(x ast.Node, fields []*ast.MappingValueNode, depth int) Value {
	v := d.scalar(x.GetToken(), Map, "", false)
	for i, f := range fields {
		key := d.key(f.Key)
		value := d.value(f.Value, depth+1)
		if value.n.kind == Null && !value.n.bad {
			value.n.line, value.n.column = key.n.line, key.n.column // an empty value has no place of its own
		}
		if m, ok := x.(*ast.MappingNode); i == 0 && !(ok && m.IsFlowStyle) {
			v.n.line, v.n.column = key.n.line, key.n.column
		}
		v.n.fields = append(v.n.fields, Field{key.n.text, key, value})
	}
	return v
}

// key is the name of a field; a number will do.
func (d *document) key(x ast.MapKeyNode) Value {
	switch k := x.(type) {
	case *ast.StringNode:
		return d.scalar(k.Token, Text, k.Value, false)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return d.scalar(k.GetToken(), Text, k.GetToken().Value, false)
	case *ast.MergeKeyNode:
		return d.refuse(k, "merge keys (<<) are not taken: write the fields out")
	case *ast.MappingKeyNode:
		return d.refuse(k, "a name must stand right before its colon, without ?")
	}
	return d.refuse(x, "a field must begin with a plain name")
}
