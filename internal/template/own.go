package template

import (
	"iter"
	"strconv"
)

// Own is the JSON pointer of the field that a changed variant of an operation
// changes: the first number that is a literal or ${int}, else the first text
// of literals and ${int}. Fields that name the operation, its scope or
// something taken from an earlier answer are never chosen: a change there is
// refused, or accepted, for a reason other than the changed payload.
func (n Node) Own() (pointer string, ok bool) {
	for p, leaf := range n.leaves("") {
		if leaf.Kind == Literal && isNumber(leaf.Literal) || leaf.Text.number(Vars{}) && leaf.Text.own() {
			return p, true
		}
	}
	for p, leaf := range n.leaves("") {
		if leaf.Kind == String && leaf.Text.own() {
			return p, true
		}
	}
	return "", false
}

// own tells whether the text is the same for every operation but for ${int}.
func (t Text) own() bool {
	for _, p := range t.parts {
		if p.name != "" && p.name != "int" {
			return false
		}
	}
	return true
}

func isNumber(s string) bool { return s != "" && (s[0] == '-' || isDigit(rune(s[0]))) }

// leaves yields the nodes that have no children, each with its pointer, in order.
func (n Node) leaves(pointer string) iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) { n.walk(pointer, yield) }
}

func (n Node) walk(pointer string, yield func(string, Node) bool) bool {
	if n.Kind != Mapping && n.Kind != List {
		return yield(pointer, n)
	}
	for child, p := range n.children(pointer) {
		if !child.walk(p, yield) {
			return false
		}
	}
	return true
}

// children yields the nodes right below, each with its pointer, in order.
func (n Node) children(pointer string) iter.Seq2[Node, string] {
	return func(yield func(Node, string) bool) {
		for _, f := range n.Fields {
			if !yield(f.Node, pointer+"/"+Token(f.Name)) {
				return
			}
		}
		for i, item := range n.Items {
			if !yield(item, pointer+"/"+strconv.Itoa(i)) {
				return
			}
		}
	}
}
