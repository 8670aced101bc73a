package inject

import (
	"bytes"
	"fmt"
	"strings"
)

// ReencodeJSON writes a JSON body in other bytes with the same meaning: members
// in reverse order, other white space, an escape in each text, another form of
// each fraction (12.5 as 12.50). With integers set, whole numbers get another
// form too (10 as 1e1, 7 as 7.0): the same number in JSON, but typed decoders
// refuse it for an integer field, so a sound service may answer 400. ok is false,
// and body comes back, if body is not JSON.
func ReencodeJSON(body []byte, integers bool) (same []byte, ok bool) {
	root := parse(body)
	if root == nil {
		return body, false
	}
	var b bytes.Buffer
	root.write(&b, integers)
	if bytes.Equal(b.Bytes(), body) {
		b.WriteByte('\n')
	}
	return b.Bytes(), true
}

func (n *node) write(b *bytes.Buffer, integers bool) {
	switch n.kind {
	case '{':
		n.writeObject(b, integers)
	case '[':
		b.WriteByte('[')
		for i, k := range n.kids {
			separate(b, i)
			k.write(b, integers)
		}
		b.WriteByte(']')
	case '"':
		b.Write(escaped(n.raw))
	case '0':
		b.WriteString(otherForm(string(n.raw), integers))
	default:
		b.Write(n.raw)
	}
}

func (n *node) writeObject(b *bytes.Buffer, integers bool) {
	b.WriteByte('{')
	turn := n.unique() // of two members with one name the last one counts: keep them in order
	for i := range n.kids {
		separate(b, i)
		j := i
		if turn {
			j = len(n.kids) - 1 - i
		}
		b.Write(n.names[j])
		b.WriteString(" : ")
		n.kids[j].write(b, integers)
	}
	b.WriteByte('}')
}

func separate(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteString(" , ")
	}
}

func (n *node) unique() bool {
	seen := map[string]bool{}
	for _, name := range n.names {
		seen[unquote(name)] = true
	}
	return len(seen) == len(n.names)
}

// escaped writes the first plain ASCII character of a text as \u00xx.
func escaped(raw []byte) []byte {
	for i := 1; i < len(raw)-1; i++ {
		switch {
		case raw[i] == '\\':
			i++
			if raw[i] == 'u' {
				i += 4
			}
		case raw[i] < 0x80:
			return bytes.Join([][]byte{raw[:i], fmt.Appendf(nil, `\u%04x`, raw[i]), raw[i+1:]}, nil)
		}
	}
	return raw
}

// otherForm writes a number differently without changing its value.
func otherForm(s string, integers bool) string {
	switch {
	case strings.ContainsAny(s, "eE"):
		return strings.Map(func(r rune) rune {
			switch r {
			case 'e':
				return 'E'
			case 'E':
				return 'e'
			}
			return r
		}, s)
	case strings.HasSuffix(s, "0") && strings.Contains(s, ".") && !strings.HasSuffix(s, ".0"):
		return s[:len(s)-1]
	case strings.Contains(s, "."):
		return s + "0"
	case !integers:
		return s
	case strings.HasSuffix(s, "0") && strings.Trim(s, "-0") != "":
		short := strings.TrimRight(s, "0")
		return fmt.Sprintf("%se%d", short, len(s)-len(short))
	}
	return s + ".0"
}
