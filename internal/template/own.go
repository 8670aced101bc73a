package template

import (
	"iter"
	"strconv"
)

// Field kinds of a Leaf.
const (
	Number  = '0'
	Letters = '"'
	Truth   = 't'
	Listing = '['
)

// Leaf is one value of a body that is the same whichever operation sends it:
// no ${id}, ${n} or ${customer} is in it. ${int} does not name an operation,
// since many draw the same number.
type Leaf struct {
	Pointer string // RFC 6901
	Kind    byte   // Number, Letters, Truth or Listing
}

// Owned are the values of the body's own in the order of the body: numbers,
// texts, booleans, and the lists in which everything is the body's own. A change
// elsewhere would be refused, or accepted, for another reason than the change.
func (n Node) Owned() []Leaf { return n.owned("", nil) }

func (n Node) owned(pointer string, ls []Leaf) []Leaf {
	switch {
	case n.Kind == List && n.common():
		ls = append(ls, Leaf{pointer, Listing})
	case n.Kind == String && n.Text.own():
		kind := byte(Letters)
		if n.Text.number(Vars{}) {
			kind = Number
		}
		return append(ls, Leaf{pointer, kind})
	case n.Kind == Literal && isNumber(n.Literal):
		return append(ls, Leaf{pointer, Number})
	case n.Kind == Literal && (n.Literal == "true" || n.Literal == "false"):
		return append(ls, Leaf{pointer, Truth})
	}
	for child, p := range n.children(pointer) {
		ls = child.owned(p, ls)
	}
	return ls
}

// common tells whether nothing in the node names the operation.
func (n Node) common() bool {
	for _, name := range n.Names() {
		if name != "int" {
			return false
		}
	}
	return true
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
