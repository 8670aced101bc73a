package history

import (
	"net/url"
	"strings"
)

// plain redacts what is secret by its look alone, wherever it stands.
func (c *censor) plain(s string) string {
	if strings.IndexByte(s, '=') >= 0 {
		s = c.pairs(s)
	}
	if strings.Contains(s, "://") {
		s = c.passwords(s)
	}
	if c.literals != nil {
		s = c.literals.Replace(s)
	}
	return c.cards(s)
}

// pairs redacts the values of secret fields in forms and query strings.
func (c *censor) pairs(s string) string {
	w := rewriter{in: s}
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '&', '?', ';', ',', ' ', '\t', '\r', '\n', '"', '\'', '<', '>', '{', '}', '(', ')':
			start = i + 1
		case '=':
			from, to := pairValue(s, i+1)
			if to > from && c.pairName(s[start:i]) {
				w.replace(from, to, c.hash.secret(unescapeForm(s[from:to])))
				i = to - 1
			}
			start = i + 1
		}
	}
	return w.text()
}

// pairValue is the value that begins at i, without its quotes if it has any.
func pairValue(s string, i int) (from, to int) {
	stop := "&;# \t\r\n\"'<>\\"
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		stop = s[i : i+1]
		i++
	}
	if n := strings.IndexAny(s[i:], stop); n >= 0 {
		return i, i + n
	}
	return i, len(s)
}

// pairName reports whether a form's field is secret, by its whole name or by
// one part of a nested one: card[number], card.number.
func (c *censor) pairName(name string) bool {
	name = unescapeForm(name)
	if c.field(name) {
		return true
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '[' || r == ']' || r == '.' }) {
		if c.field(part) {
			return true
		}
	}
	return false
}

func unescapeForm(s string) string {
	if text, err := url.QueryUnescape(s); err == nil {
		return text
	}
	return s
}

// passwords redacts those of URLs: postgres://app:secret@host.
func (c *censor) passwords(s string) string {
	w := rewriter{in: s}
	for i := 0; ; {
		k := strings.Index(s[i:], "://")
		if k < 0 {
			return w.text()
		}
		i += k + len("://")
		authority := s[i:]
		if end := strings.IndexAny(authority, "/?# \t\r\n\"'<>"); end >= 0 {
			authority = authority[:end]
		}
		user := authority[:max(0, strings.LastIndexByte(authority, '@'))]
		if _, password, ok := strings.Cut(user, ":"); ok && password != "" {
			w.replace(i+len(user)-len(password), i+len(user), c.hash.secret(password))
		}
		i += len(authority)
	}
}
