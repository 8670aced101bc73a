package history

import (
	"encoding/json"
	"strings"
)

// rewriter copies a text with some of its parts replaced. As long as none is,
// it copies nothing.
type rewriter struct {
	in   string
	out  []byte
	done int // bytes of in that out stands for
}

func (w *rewriter) replace(from, to int, with string) {
	w.out = append(append(w.out, w.in[w.done:from]...), with...)
	w.done = to
}

func (w *rewriter) text() string {
	if w.done == 0 {
		return w.in
	}
	return string(append(w.out, w.in[w.done:]...))
}

// nesting bounds how deep text inside texts is looked into: JSON that travels
// as a string in JSON, quoted once more by an error message.
const nesting = 4

// text redacts any text: JSON, JSON that was cut off, a form, an error message.
// If isJSON, the text is whole and stays JSON. It is a scan and no parse, so
// that a secret in half a body is found as well.
func (c *censor) text(s string, isJSON bool, depth int) string {
	inner := !isJSON || strings.IndexByte(s, '\\') >= 0 || c.plain(s) != s
	w := rewriter{in: s}
	for i := 0; i < len(s); {
		q := strings.IndexByte(s[i:], '"')
		if q < 0 {
			q = len(s) - i
		}
		if isJSON {
			c.scalars(&w, i, i+q)
		}
		if i += q; i < len(s) {
			i = c.quoted(&w, i, isJSON, inner, depth)
		}
	}
	if !isJSON {
		return c.plain(w.text())
	}
	if c.literals != nil {
		// One that goes across quotes: better no JSON than a secret in the file.
		return c.literals.Replace(w.text())
	}
	return w.text()
}

// quoted redacts from the quote at place i: the value, if this is the name of a
// secret field, else the string itself. It returns where to go on.
func (c *censor) quoted(w *rewriter, i int, isJSON, inner bool, depth int) int {
	s := w.in
	if i > 0 && s[i-1] == '\\' && !isJSON {
		return i + 1 // inside a quoted text, which was looked at as a whole
	}
	end, escaped := quoteEnd(s, i)
	raw := s[i+1 : max(i+1, end-1)]
	if from, ok := afterColon(s, end); ok && c.field(unquote(raw, escaped)) {
		to := valueEnd(s, from)
		w.replace(from, to, `"`+c.hash.secret(secretText(s[from:to]))+`"`)
		return to
	}
	if inner {
		if redacted, changed := c.inside(raw, isJSON, escaped, depth); changed {
			w.replace(i, end, redacted)
			return end
		}
	}
	if isJSON {
		return end
	}
	return i + 1 // in a loose text no one knows which quote opens and which closes
}

// inside redacts what a quoted string holds.
func (c *censor) inside(raw string, isJSON, escaped bool, depth int) (quoted string, changed bool) {
	if depth == nesting || !isJSON && !escaped {
		return "", false // a loose text is redacted as a whole afterwards
	}
	text := unquote(raw, escaped)
	nested := len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
	redacted := c.text(text, nested, depth+1)
	if redacted == text {
		return "", false
	}
	return string(appendQuoted(nil, redacted)), true
}

// scalars redacts numbers and words between the strings of a JSON text. What is
// secret becomes a string, so that the text stays JSON.
func (c *censor) scalars(w *rewriter, from, to int) {
	for i := from; i < to; {
		end := i + scalarEnd(w.in[i:to])
		if end == i {
			i++
			continue
		}
		if secret := c.secretScalar(w.in[i:end]); secret != "" {
			w.replace(i, end, `"`+c.hash.secret(secret)+`"`)
		}
		i = end
	}
}

// secretScalar is what of a number or word is hashed, "" if it is no secret.
func (c *censor) secretScalar(token string) string {
	if len(token) >= cardMin {
		if n, ok := parseNumber([]byte(token)); ok {
			if plain := string(n.append(nil, []byte(token))); isCard(plain) {
				return plain
			}
		}
	}
	if c.literals != nil && c.literals.Replace(token) != token {
		return token
	}
	return ""
}

// quoteEnd is the place after the string whose quote is at from, or the end of
// the text.
func quoteEnd(s string, from int) (end int, escaped bool) {
	for i := from + 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return len(s), escaped
}

// afterColon is where a value begins, if what ended at i was a name.
func afterColon(s string, i int) (from int, ok bool) {
	i = skipSpace(s, i)
	if i == len(s) || s[i] != ':' {
		return 0, false
	}
	from = skipSpace(s, i+1)
	return from, from < len(s)
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
		i++
	}
	return i
}

// valueEnd is the place after the JSON value that begins at from; of half a
// value all is taken.
func valueEnd(s string, from int) int {
	depth := 0
	for i := from; i < len(s); {
		switch s[i] {
		case '"':
			i, _ = quoteEnd(s, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i += max(1, scalarEnd(s[i:]))
		}
		if depth <= 0 {
			return i
		}
	}
	return len(s)
}

// scalarEnd is the length of the number or word that s begins with.
func scalarEnd(s string) int {
	for i := range len(s) {
		switch s[i] {
		case ',', ':', '[', ']', '{', '}', '"', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(s)
}

// secretText is what of a JSON value is hashed: the text of a string, else the
// canonical form, so that two spellings of a value stay equal.
func secretText(value string) string {
	canonical, ok := Canonical([]byte(value))
	if !ok {
		return strings.Trim(value, `"`)
	}
	return unquote(strings.TrimSuffix(strings.TrimPrefix(string(canonical), `"`), `"`), true)
}

// unquote decodes the inside of a JSON string; one that is none is left alone.
func unquote(raw string, escaped bool) string {
	if !escaped {
		return raw
	}
	text, ok := appendUnescaped(nil, []byte(raw))
	if !ok {
		return raw
	}
	return string(text)
}
