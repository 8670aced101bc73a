package history

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// Redactor names what must never reach a history. A secret value is written
// <hmac:1a2b3c4d>, so that equal values stay equal. Card numbers are found
// without being named.
type Redactor struct {
	Fields  []string // names of fields in JSON, forms and query strings, any case; in nested form names (card[number]) each part counts
	Headers []string // names of headers, besides those that Secret always knows; also redacted where a body holds a field of this name
	Values  []string // literal secrets, for instance from the environment; shorter than 4 bytes they are ignored
	Limit   int      // bytes of a body kept; 0 means 1 MiB, at most 16 MiB
}

// Secret reports whether the value of a header must not be kept: Authorization,
// Proxy-Authorization, Cookie, Set-Cookie and the Redactor's own. The Recorder
// asks it for each attribute that begins with AttrHeader.
func (r Redactor) Secret(header string) bool {
	for _, names := range [][]string{secretHeaders, r.Headers} {
		for _, name := range names {
			if strings.EqualFold(name, header) {
				return true
			}
		}
	}
	return false
}

var secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie"}

// minLiteral is the length below which a literal is no secret: replacing "1"
// everywhere would leave no history to read.
const minLiteral = 4

// censor is a Redactor made ready for work. It is not safe for use by several
// goroutines.
type censor struct {
	hash     *hasher
	fields   map[string]bool   // lower case, with the headers
	literals *strings.Replacer // nil if there are none
}

func newCensor(r Redactor, h *hasher) *censor {
	c := &censor{hash: h, fields: map[string]bool{}}
	for _, name := range slices.Concat(secretHeaders, r.Headers, r.Fields) {
		c.fields[strings.ToLower(name)] = true
	}
	// Of two secrets that begin alike the longer one must win.
	values := slices.Clone(r.Values)
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, v := range values {
		if len(v) >= minLiteral {
			pairs = append(pairs, v, h.secret(v), url.QueryEscape(v), h.secret(v))
		}
	}
	if pairs != nil {
		c.literals = strings.NewReplacer(pairs...)
	}
	return c
}

// field reports whether name is that of a secret field.
func (c *censor) field(name string) bool {
	var lower [64]byte
	if len(name) > len(lower) {
		return c.fields[strings.ToLower(name)]
	}
	for i := range len(name) {
		b := name[i]
		if b >= 0x80 {
			return c.fields[strings.ToLower(name)]
		}
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		lower[i] = b
	}
	return c.fields[string(lower[:len(name)])]
}
