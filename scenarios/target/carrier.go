package target

import (
	"errors"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// Places where a Carrier can be.
const (
	InHeader = "header"
	InBody   = "body"
	InQuery  = "query"
	InText   = "graphql" // within texts of the body, where ${key} stands: the directive @idempotent(key: "${key}")
)

// Carrier says where an operation carries its key. The zero Carrier carries none.
type Carrier struct {
	In    string        // InHeader, InBody, InQuery, InText or "" (none)
	Name  string        // of the header or query parameter; the JSON pointer in the body
	Value template.Text // what is carried; the zero Text is the key
}

// String is how a file says it: "header Idempotency-Key"; "" if there is none.
func (c Carrier) String() string { return strings.TrimSpace(c.In + " " + c.Name) }

// inBody tells whether the key travels in the body.
func (o Operation) inBody() bool {
	return slices.ContainsFunc(o.carriers(), func(c Carrier) bool { return c.In == InBody || c.In == InText })
}

// Droppable tells whether the key can be left out of a request.
func (o Operation) Droppable() bool { return o.Key.In != "" && o.droppable() == nil }

// droppable says why it can not.
func (o Operation) droppable() error {
	for _, c := range o.carriers() {
		switch {
		case c.In == InText:
			return errors.New("drop-key: the key is part of a text of the body, from which it can not be taken out")
		case c.In == InBody && !o.Body.JSON:
			return errors.New("drop-key: the body is a text, from which the key can not be taken out; write it as a mapping")
		}
	}
	return nil
}

// quote makes a key a string of structured fields (RFC 9651, section 3.3.3).
func quote(key string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
}
