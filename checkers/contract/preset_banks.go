package contract

const (
	modern    = "docs.moderntreasury.com/reference/idempotent-requests"
	dwolla    = "developers.dwolla.com, idempotency-key"
	gocardles = "gocardless.com/blog/idempotency-keys"
	plaid     = "github.com/plaid/plaid-openapi"
	plaids    = "third parties that quote Plaid"
	razorpay  = "github.com/razorpay/markdown-docs"
	inferred  = "inferred: nothing says otherwise"
)

// banks move money between accounts.
var banks = []Contract{
	{
		Name: "modern-treasury", Doc: "Modern Treasury; one key stands for all routes of an API key",
		Life: day, LifeFrom: lasting(modern, Primary, "exactly"),
		Carrier:     field(modern, Primary, "header Idempotency-Key"),
		Missing:     field(modern, Primary, "run"),
		Scope:       field(modern, Primary, "client"),
		AfterLife:   field(inferred, Unverified, "new"),
		Replay:      field(modern, Primary, "verbatim"),
		Marker:      field(modern, Primary, "none"),
		Mismatch:    field(modern, Primary, "replay"),
		Fingerprint: field(modern, Primary, "key"),
		InFlight:    field(modern, Primary, "409"),
		Stored:      field(modern, Primary, "2xx"),
		Kind:        field(modern, Primary, "replay"),
	},
	{
		Name: "dwolla", Doc: "Dwolla",
		Life: day, LifeFrom: lasting(dwolla, Primary, "exactly"),
		Carrier:     field(dwolla, Primary, "header Idempotency-Key"),
		Missing:     field(dwolla, Primary, "run"),
		AfterLife:   field(inferred, Unverified, "new"),
		Replay:      field(dwolla, Primary, "verbatim"),
		Marker:      field(dwolla, Primary, "none"),
		Fingerprint: field(dwolla, Primary, "raw"),
		InFlight:    field(dwolla, Primary, "409"),
		Kind:        field(dwolla, Primary, "replay"),
	},
	{
		Name: "gocardless", Doc: "GoCardless; a repeat is a conflict that names the resource",
		Carrier:   field(gocardles, Primary, "header Idempotency-Key"),
		Missing:   field(gocardles, Primary, "run"),
		Replay:    field("github.com/gocardless/gocardless-pro-go, test fixtures", Primary, "conflict"),
		Stored:    field(gocardles, Primary, "2xx"),
		Replay5xx: field(gocardles, Primary, "execute"),
		Kind:      field(gocardles, Primary, "replay"),
	},
	{
		Name: "plaid", Doc: "Plaid; authorisations and consents are kept for 48 h, wallets for 24 h",
		Life: day, LifeFrom: lasting(plaid, Primary, "at least"),
		Carrier:   field(plaid, Primary, "body /idempotency_key"),
		Syntax:    field(plaid, Primary, "bare", "min=1", "max=128"),
		Missing:   field(plaid+": required for wallets and consents", Primary, "run", "reject"),
		AfterLife: field(plaid, Primary, "new"),
		Replay:    field(plaids, SecondHand, "current"),
		Kind:      field(plaid, Primary, "replay"),
	},
	razorPay("razorpay-refund", "Razorpay refunds", "X-Refund-Idempotency", func(c *Contract) {
		c.Syntax = field(razorpay, Primary, "bare", "min=10")
		c.InFlight = field(razorpay, Primary, "409")
	}),
	razorPay("razorpay-transfer", "Razorpay transfers", "X-Transfer-Idempotency", func(c *Contract) {
		c.Syntax = field(razorpay, Primary, "bare", "min=4", "max=36")
		c.InFlight = field(razorpay, Primary, "409")
	}),
	razorPay("razorpay-payout", "Razorpay payouts", "X-Payout-Idempotency", func(c *Contract) {
		c.Life, c.LifeFrom = 7*day, lasting(razorpay, Primary, "at least")
		c.Syntax = field(razorpay, Primary, "bare", "min=4", "max=36")
		c.Missing = field(razorpay, Primary, "reject")
		c.Replay = field(razorpay, Primary, "current")
	}),
}

// razorPay is what its APIs have in common, and what one has of its own.
func razorPay(name, doc, header string, own func(*Contract)) Contract {
	c := Contract{
		Name: name, Doc: doc,
		Carrier:  field(razorpay, Primary, "header "+header),
		Missing:  field(razorpay, Primary, "run"),
		Replay:   field(razorpay, Primary, "verbatim", "remapped", "current"),
		Mismatch: field(razorpay+", BAD_REQUEST_ERROR", Primary, "reject"),
		Kind:     field(razorpay, Primary, "replay"),
	}
	own(&c)
	return c
}
