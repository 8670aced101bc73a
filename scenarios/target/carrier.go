package target

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// Places where a Carrier can be.
const (
	InHeader = "header"
	InBody   = "body"
	InQuery  = "query"
)

// Carrier says where an operation carries its key. The zero Carrier carries none.
type Carrier struct {
	In    string        // InHeader, InBody, InQuery or "" (none)
	Name  string        // of the header or query parameter; the JSON pointer in the body
	Value template.Text // what is carried; the zero Text is the key
}

// ParseCarrier reads "header Idempotency-Key", "body /idempotency_key",
// "query key" or "none".
func ParseCarrier(s string) (Carrier, error) {
	words := strings.Fields(s)
	if len(words) == 1 && words[0] == "none" {
		return Carrier{}, nil
	}
	const legal = "legal are: header NAME, body /POINTER, query NAME, none"
	if len(words) != 2 {
		return Carrier{}, fmt.Errorf("key %q: %s", s, legal)
	}
	c := Carrier{In: words[0], Name: words[1]}
	switch {
	case c.In == InHeader && !isToken(c.Name):
		return Carrier{}, fmt.Errorf("key %q: %q is no name of a header", s, c.Name)
	case c.In == InBody && !strings.HasPrefix(c.Name, "/"):
		return Carrier{}, fmt.Errorf("key %q: want a JSON pointer, which begins with /: body /%s", s, c.Name)
	case c.In != InHeader && c.In != InBody && c.In != InQuery:
		return Carrier{}, fmt.Errorf("key %q: unknown place %q; %s", s, c.In, legal)
	}
	return c, nil
}

// String is what ParseCarrier reads.
func (c Carrier) String() string {
	if c.In == "" {
		return "none"
	}
	return c.In + " " + c.Name
}

// isToken tells whether a name can be one of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}) < 0
}

// quote makes a key a string of structured fields (RFC 9651, section 3.3.3).
func quote(key string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}
