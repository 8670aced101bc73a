package template

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// With is the body with another node at a JSON pointer; the receiver stays as
// it is. The last field of the pointer may be new, and then comes last; what is
// above it must be there.
func (n Node) With(pointer string, child Node) (Node, error) {
	if pointer == "" {
		return child, nil
	}
	m, ok := n.at(pointer, &child)
	if !ok {
		return n, fmt.Errorf("the body has no place %s", pointer)
	}
	return m, nil
}

// Without is the body without the field or item at a JSON pointer, which must
// be there. The receiver stays as it is.
func (n Node) Without(pointer string) (Node, error) {
	m, ok := n.at(pointer, nil)
	if !ok {
		return n, fmt.Errorf("the body has nothing at %q", pointer)
	}
	return m, nil
}

func (n Node) at(pointer string, child *Node) (Node, bool) {
	if !strings.HasPrefix(pointer, "/") {
		return n, false
	}
	return n.with(strings.Split(pointer[1:], "/"), child)
}

// with puts child at the end of a path, or takes what is there away if child is nil.
func (n Node) with(path []string, child *Node) (Node, bool) {
	switch n.Kind {
	case Mapping:
		return n.withField(path, child)
	case List:
		return n.withItem(path, child)
	}
	return n, false
}

func (n Node) withField(path []string, child *Node) (_ Node, ok bool) {
	name, last := unescape(path[0]), len(path) == 1
	i := slices.IndexFunc(n.Fields, func(f Field) bool { return f.Name == name })
	n.Fields = slices.Clone(n.Fields)
	switch {
	case i < 0 && last && child != nil:
		n.Fields = append(n.Fields, Field{Name: name, Node: *child})
	case i < 0:
		return n, false
	case last && child == nil:
		n.Fields = slices.Delete(n.Fields, i, i+1)
	default:
		n.Fields[i].Node, ok = n.Fields[i].Node.step(path, child)
		return n, ok
	}
	return n, true
}

func (n Node) withItem(path []string, child *Node) (_ Node, ok bool) {
	i, err := strconv.Atoi(path[0])
	if err != nil || i < 0 || i >= len(n.Items) {
		return n, false
	}
	n.Items = slices.Clone(n.Items)
	if len(path) == 1 && child == nil {
		n.Items = slices.Delete(n.Items, i, i+1)
		return n, true
	}
	n.Items[i], ok = n.Items[i].step(path, child)
	return n, ok
}

func (n Node) step(path []string, child *Node) (Node, bool) {
	if len(path) == 1 {
		return *child, true
	}
	return n.with(path[1:], child)
}

func unescape(token string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
