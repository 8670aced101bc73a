// Package contract describes what a system promises about repeated deliveries,
// as plain data. Each field of a Contract says where the promise comes from;
// the zero Field is unspecified and is never judged.
package contract

import (
	"reflect"
	"slices"
	"time"
)

// Confidence says how sure it is that the system promises a field.
type Confidence string

// How sure a promise is. Only Stated and Primary are judged.
const (
	Stated     Confidence = "stated"      // the user wrote it: judged
	Primary    Confidence = "primary"     // read in the vendor's or standard's own text: judged
	SecondHand Confidence = "second-hand" // a third party says so: reported, never failed
	Unverified Confidence = "unverified"  // memory or inference: reported, never failed
)

// Field is one promise. Its legal values depend on the axis; several mean "any
// of these". The zero Field is unspecified.
type Field struct {
	Values     []string   `json:"values,omitempty"`
	Source     string     `json:"source,omitempty"` // where the promise was read: a URL
	Confidence Confidence `json:"confidence,omitempty"`
}

// Has reports whether v is one of the values.
func (f Field) Has(v string) bool { return slices.Contains(f.Values, v) }

// Judged reports whether a system may fail by this field: it has values, and
// they are stated or read in primary text.
func (f Field) Judged() bool {
	return len(f.Values) > 0 && (f.Confidence == Stated || f.Confidence == Primary)
}

// State is a promise in the user's own words, which is judged:
// Contract{Replay: State("verbatim")}. What is legal is not checked; see
// [Contract.Set].
func State(values ...string) Field { return Field{Values: values, Confidence: Stated} }

// Contract is what one system promises: the sixteen axes, plus its name and
// the two durations. The zero Contract promises nothing.
type Contract struct {
	Name  string        `json:"name"`
	Doc   string        `json:"doc,omitempty"`   // of a preset: what it describes, in a sentence
	Life  time.Duration `json:"life,omitempty"`  // how long a key is kept, in nanoseconds in JSON; 0: unspecified
	Claim time.Duration `json:"claim,omitempty"` // how long an in-progress record blocks the key; 0: unspecified

	LifeFrom Field `json:"life_from,omitzero"` // of a preset, where Life was read; "exactly" so long, or "at least". Zero: the user stated it

	Carrier     Field `json:"carrier,omitzero"`     // "header Idempotency-Key", "body /path", "query name", "graphql", "message name", "derived", "none"
	Syntax      Field `json:"syntax,omitzero"`      // bare, quoted, uuid, min=1, max=255; a status: the answer to another key
	Missing     Field `json:"missing,omitzero"`     // run, reject, a status
	Scope       Field `json:"scope,omitzero"`       // account, client, endpoint, region, key (the key alone tells operations apart)
	AfterLife   Field `json:"after_life,omitzero"`  // new, reject, a status
	Replay      Field `json:"replay,omitzero"`      // verbatim, remapped, current, conflict, accepted, none
	Marker      Field `json:"marker,omitzero"`      // "Idempotent-Replayed: true"; "201->200": the status of the first answer and of its repeat
	Mismatch    Field `json:"mismatch,omitzero"`    // a status, reject (any refusal), replay, execute
	Fingerprint Field `json:"fingerprint,omitzero"` // raw, canonical, fields, "/amount" (JSON pointers of those fields), key
	InFlight    Field `json:"in_flight,omitzero"`   // statuses, reject, wait
	Stored      Field `json:"stored,omitzero"`      // 2xx, 4xx, 5xx, all
	Replay5xx   Field `json:"replay_5xx,omitzero"`  // same, execute, resume
	Errors      Field `json:"errors,omitzero"`      // problem+json, graphql, or a text that they hold
	Outage      Field `json:"outage,omitzero"`      // closed, open
	Signals     Field `json:"signals,omitzero"`     // Retry-After, ...
	Kind        Field `json:"kind,omitzero"`        // replay, window, unique, receiver
}

// IsZero reports whether the contract says nothing at all, not even its name.
func (c Contract) IsZero() bool { return reflect.ValueOf(c).IsZero() }

// JudgedLife is how long a key is kept, if the user stated it or it was read in
// primary text; else 0.
func (c Contract) JudgedLife() time.Duration {
	if f := c.LifeFrom; f.Confidence == SecondHand || f.Confidence == Unverified {
		return 0
	}
	return c.Life
}

// Quoted reports whether keys must travel as quoted strings (RFC 8941): only
// where bare tokens are not accepted as well.
func (c Contract) Quoted() bool { return c.Syntax.Has("quoted") && !c.Syntax.Has("bare") }
