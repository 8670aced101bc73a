package contract

const (
	stripe   = "docs.stripe.com/api/idempotent_requests"
	stripe2  = "docs.stripe.com/api-v2-overview"
	errs     = "docs.stripe.com/error-low-level"
	probes   = "third-party tests and probes of the Stripe API"
	stripeGo = "github.com/stripe/stripe-go, pull request 954"
)

var stripes = []Contract{
	{
		Name: "stripe", Doc: "Stripe API v1",
		Life: day, LifeFrom: lasting(stripe, Primary, "at least"),
		Carrier:   field(stripe, Primary, "header Idempotency-Key"),
		Syntax:    field(stripe, Primary, "bare", "max=255"),
		Missing:   field(stripe, Primary, "run"),
		Scope:     field("third-party notes", SecondHand, "account"),
		AfterLife: field(stripe, Primary, "new"),
		Replay:    field(stripe, Primary, "verbatim"),
		Marker:    field(probes, SecondHand, "Idempotent-Replayed: true"),
		// The documents say that it is an error, of type idempotency_error; which
		// status it has is known from probes only.
		Mismatch:    field(probes, SecondHand, "400"),
		Fingerprint: field(stripe, Primary, "canonical"),
		InFlight:    field(errs, Primary, "409"),
		Stored:      field(stripe, Primary, "all"),
		Replay5xx:   field(stripe, Primary, "same"),
		Errors:      field(stripe, Primary, "idempotency_error"),
		Signals:     field(stripeGo, Primary, "Stripe-Should-Retry"),
		Kind:        field(stripe, Primary, "replay"),
	},
	{
		Name: "stripe-v2", Doc: "Stripe API v2",
		Life: 30 * day, LifeFrom: lasting(stripe2, Primary, "exactly"),
		Carrier:   field(stripe2, Primary, "header Idempotency-Key"),
		Syntax:    field("as in v1", Unverified, "max=255"),
		Missing:   field("third-party notes: a key is generated", SecondHand, "run"),
		Replay:    field(stripe2, Primary, "current"),
		Stored:    field(stripe2, Primary, "2xx"),
		Replay5xx: field(stripe2, Primary, "resume", "execute"),
		Kind:      field(stripe2, Primary, "replay"),
	},
}
