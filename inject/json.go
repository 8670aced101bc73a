package inject

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// node is a JSON value that knows where it stands in its text, so that one
// value can be replaced and every other byte stays as it is.
type node struct {
	kind       byte // '{' '[' '"' 't' 'f' 'n', '0' for any number
	start, end int
	raw        []byte   // the text from start to end
	names      [][]byte // of the members of an object, as written, with quotes
	kids       []*node
}

// parse reads one JSON value. It returns nil if body is not valid JSON.
func parse(body []byte) *node {
	if !json.Valid(body) {
		return nil
	}
	p := parser{b: body}
	return p.value()
}

// parser walks text that is known to be valid.
type parser struct {
	b []byte
	i int
}

func (p *parser) skip() {
	for p.i < len(p.b) && strings.IndexByte(" \t\r\n,:", p.b[p.i]) >= 0 {
		p.i++
	}
}

func (p *parser) value() *node {
	p.skip()
	n := &node{kind: p.b[p.i], start: p.i}
	switch n.kind {
	case '{', '[':
		p.i++
		p.inside(n)
	case '"':
		p.text()
	default:
		if n.kind == '-' || n.kind >= '0' && n.kind <= '9' {
			n.kind = '0'
		}
		for p.i < len(p.b) && strings.IndexByte(" \t\r\n,:]}", p.b[p.i]) < 0 {
			p.i++
		}
	}
	n.end, n.raw = p.i, p.b[n.start:p.i]
	return n
}

func (p *parser) inside(n *node) {
	for p.skip(); p.b[p.i] != '}' && p.b[p.i] != ']'; p.skip() {
		if n.kind == '{' {
			n.names = append(n.names, p.text())
		}
		n.kids = append(n.kids, p.value())
	}
	p.i++
}

// text passes a string and returns it as written.
func (p *parser) text() []byte {
	start := p.i
	for p.i++; p.b[p.i] != '"'; p.i++ {
		if p.b[p.i] == '\\' {
			p.i++
		}
	}
	p.i++
	return p.b[start:p.i]
}

// unquote is the meaning of a string as written.
func unquote(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s) // raw is part of valid JSON
	return s
}

// find follows a JSON pointer (RFC 6901); nil if there is nothing.
func (n *node) find(pointer string) *node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, step := range strings.Split(pointer[1:], "/") {
		if n = n.child(strings.NewReplacer("~1", "/", "~0", "~").Replace(step)); n == nil {
			return nil
		}
	}
	return n
}

func (n *node) child(step string) *node {
	switch n.kind {
	case '{':
		// Of members with the same name the last one counts, as in most decoders.
		for i := len(n.names) - 1; i >= 0; i-- {
			if unquote(n.names[i]) == step {
				return n.kids[i]
			}
		}
	case '[':
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.kids) && strconv.Itoa(i) == step {
			return n.kids[i]
		}
	}
	return nil
}

// first is the pointer to the first value of one of the kinds, in reading order.
func (n *node) first(kinds string, at string) (string, *node) {
	if strings.IndexByte(kinds, n.kind) >= 0 {
		return at, n
	}
	unique := n.unique()
	for i, k := range n.kids {
		step := strconv.Itoa(i)
		if n.kind == '{' {
			if !unique && n.child(unquote(n.names[i])) != k {
				continue // a later member of this name is the one that counts
			}
			step = strings.NewReplacer("~", "~0", "/", "~1").Replace(unquote(n.names[i]))
		}
		if p, f := k.first(kinds, at+"/"+step); f != nil {
			return p, f
		}
	}
	return "", nil
}

// replace is body with another text in the place of n.
func (n *node) replace(body, text []byte) []byte {
	return bytes.Join([][]byte{body[:n.start], text, body[n.end:]}, nil)
}
