package history

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// maxDepth bounds the recursion into a body. What is nested deeper is no JSON
// to us, only bytes.
const maxDepth = 256

// Canonical is the canonical form of a JSON text: keys sorted, no white space,
// escapes decoded, numbers in one spelling of the same exact value (1, 1.0 and
// 1e0 are equal; big integers keep every digit). Of members with the same name
// all are kept, in their order: parsers differ in which one they take, so no
// two such texts are called equal that some parser would read apart. ok is
// false, and the body returned as it is, if it is not JSON in UTF-8 or is nested
// more than 256 deep.
func Canonical(body []byte) (canonical []byte, ok bool) {
	var c canonizer
	return c.canonical(body)
}

// canonizer is the memory of one conversion after another. What it returns is
// overwritten by the next.
type canonizer struct {
	in, out, copy []byte
	pos, depth    int
	members       []member
}

// member is one "name":value of an object, as places in out.
type member struct{ from, colon, to int }

func (c *canonizer) canonical(body []byte) ([]byte, bool) {
	c.in, c.out, c.pos, c.depth, c.members = body, c.out[:0], 0, 0, c.members[:0]
	if len(body) == 0 || !utf8.Valid(body) || !c.value() {
		return body, false
	}
	c.space()
	if c.pos != len(body) {
		return body, false
	}
	return c.out, true
}

func (c *canonizer) space() {
	for c.pos < len(c.in) {
		switch c.in[c.pos] {
		case ' ', '\t', '\r', '\n':
			c.pos++
		default:
			return
		}
	}
}

// next skips white space and reports the byte there, 0 at the end.
func (c *canonizer) next() byte {
	c.space()
	if c.pos == len(c.in) {
		return 0
	}
	return c.in[c.pos]
}

func (c *canonizer) value() bool {
	switch b := c.next(); b {
	case '{':
		return c.nested(c.object)
	case '[':
		return c.nested(c.array)
	case '"':
		return c.text()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	default:
		return c.number()
	}
}

func (c *canonizer) nested(inner func() bool) bool {
	if c.depth == maxDepth {
		return false
	}
	c.depth++
	c.out = append(c.out, c.in[c.pos])
	c.pos++
	ok := inner()
	c.depth--
	return ok
}

func (c *canonizer) word(w string) bool {
	if !bytes.HasPrefix(c.in[c.pos:], []byte(w)) {
		return false
	}
	c.out = append(c.out, w...)
	c.pos += len(w)
	return true
}

// ends reads what follows an element: a comma, or the closing bracket.
func (c *canonizer) ends(bracket byte) (end, ok bool) {
	b := c.next()
	if b != ',' && b != bracket {
		return false, false
	}
	c.pos++
	c.out = append(c.out, b)
	return b == bracket, true
}

func (c *canonizer) array() bool {
	if c.next() == ']' {
		_, ok := c.ends(']')
		return ok
	}
	for {
		if !c.value() {
			return false
		}
		if end, ok := c.ends(']'); end || !ok {
			return ok
		}
	}
}

func (c *canonizer) object() bool {
	if c.next() == '}' {
		_, ok := c.ends('}')
		return ok
	}
	first := len(c.members)
	for {
		m := member{from: len(c.out)}
		if c.next() != '"' || !c.text() || c.next() != ':' {
			return false
		}
		m.colon = len(c.out)
		c.out = append(c.out, ':')
		c.pos++
		if !c.value() {
			return false
		}
		m.to = len(c.out)
		c.members = append(c.members, m)
		if end, ok := c.ends('}'); end || !ok {
			c.sort(c.members[first:])
			c.members = c.members[:first]
			return ok
		}
	}
}

// sort rewrites the members of one object, which end out, in order of name.
func (c *canonizer) sort(ms []member) {
	byName := func(a, b member) int { return bytes.Compare(c.out[a.from:a.colon], c.out[b.from:b.colon]) }
	if slices.IsSortedFunc(ms, byName) {
		return
	}
	start := ms[0].from
	slices.SortStableFunc(ms, byName)
	c.copy = append(c.copy[:0], c.out[start:]...)
	c.out = c.out[:start]
	for i, m := range ms {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, c.copy[m.from-start:m.to-start]...)
	}
	c.out = append(c.out, '}')
}

func (c *canonizer) text() bool {
	end, plain := stringEnd(c.in, c.pos)
	if end < 0 {
		return false
	}
	raw := c.in[c.pos+1 : end-1]
	c.pos = end
	if plain {
		c.out = append(append(append(c.out, '"'), raw...), '"')
		return true
	}
	var ok bool
	c.out, ok = appendCanonicalString(c.out, raw)
	return ok
}

// stringEnd is the place after the closing quote of the string that begins at
// from, or -1. plain strings hold no escape.
func stringEnd(in []byte, from int) (end int, plain bool) {
	plain = true
	for i := from + 1; i < len(in); i++ {
		switch b := in[i]; {
		case b == '"':
			return i + 1, plain
		case b == '\\':
			plain = false
			i++
		case b < ' ':
			return -1, false
		}
	}
	return -1, false
}
