package target

import (
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

// String is how a file says it: "header Idempotency-Key"; "" if there is none.
func (c Carrier) String() string { return strings.TrimSpace(c.In + " " + c.Name) }

// quote makes a key a string of structured fields (RFC 9651, section 3.3.3).
func quote(key string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}
