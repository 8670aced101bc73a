package contract

import "time"

// Sources of the presets.
const (
	draft  = "draft-ietf-httpapi-idempotency-key-header-06"
	stripe = "docs.stripe.com/api/idempotent_requests"
	errs   = "docs.stripe.com/error-low-level"
	probes = "third-party tests and probes of the Stripe API"
)

func field(source string, c Confidence, values ...string) Field {
	return Field{Values: values, Source: source, Confidence: c}
}

// Catalogue holds the presets. A preset says what its source says; what the
// source leaves open is unspecified.
var Catalogue = []Contract{
	{Name: "none", Doc: "nothing is promised: only effects, leaks and stated lives are judged"},
	{
		Name: "ietf", Doc: "the IETF draft of the Idempotency-Key header; bare keys are accepted as well, since nearly all vendors send them",
		Carrier: field(draft, Primary, "header Idempotency-Key"),
		Syntax:  field(draft+" says quoted; bare is practice", SecondHand, "bare", "quoted"),
		Missing: field(draft, Primary, "400"),
		// "the result of the completed operation": not said to be the same bytes.
		Replay:    field(draft, Primary, "verbatim", "remapped", "current"),
		Mismatch:  field(draft, Primary, "422"),
		InFlight:  field(draft, Primary, "409"),
		Stored:    field(draft, Primary, "all"),
		Replay5xx: field(draft, Primary, "same"),
		Errors:    field(draft, Primary, "problem+json"),
		Kind:      field(draft, Primary, "replay"),
	},
	{
		Name: "stripe", Doc: "Stripe API v1", Life: 24 * time.Hour,
		Carrier:     field(stripe, Primary, "header Idempotency-Key"),
		Syntax:      field(stripe, Primary, "bare", "max=255"),
		Missing:     field(stripe, Primary, "run"),
		Scope:       field("third-party notes", SecondHand, "account"),
		AfterLife:   field(stripe, Primary, "new"),
		Replay:      field(stripe, Primary, "verbatim"),
		Marker:      field(probes, SecondHand, "Idempotent-Replayed: true"),
		Mismatch:    field(probes, SecondHand, "400"),
		Fingerprint: field(stripe, Primary, "canonical"),
		InFlight:    field(errs, Primary, "409"),
		Stored:      field(stripe, Primary, "all"),
		Replay5xx:   field(stripe, Primary, "same"),
		Errors:      field(stripe, Primary, "idempotency_error"),
		Signals:     field("github.com/stripe/stripe-go, pull request 954", Primary, "Stripe-Should-Retry"),
		Kind:        field(stripe, Primary, "replay"),
	},
}

// Lookup finds a preset by name.
func Lookup(name string) (Contract, bool) {
	for _, c := range Catalogue {
		if c.Name == name {
			return c, true
		}
	}
	return Contract{}, false
}
