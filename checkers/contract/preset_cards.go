package contract

const (
	adyen     = "docs.adyen.com/development-resources/api-idempotency"
	adyenNote = "third parties that quote Adyen"
	square    = "developer.squareup.com/docs/working-with-apis/idempotency"
	squareAPI = "github.com/square/connect-api-specification"
	braintree = "developer.paypal.com/braintree/graphql/integration_guides/idempotency"
	checkout  = "checkout.com/docs/payments/manage-payments/idempotency"
	checkouts = "support.checkout.com, article 24570669653010"
	klarna    = "docs.klarna.com/api/escalation-and-retry-policy"
	mollie    = "docs.mollie.com/reference/api-idempotency"
	mollies   = "third parties that quote Mollie"
	mercado   = "mercadopago.com.mx/developers, wallet-connect, idempotency"
	mercados  = "third parties that quote Mercado Pago"
)

// cards are processors of cards and wallets.
var cards = []Contract{
	{
		Name: "adyen", Doc: "Adyen; keys are not shared by its regional endpoints",
		Life: 7 * day, LifeFrom: lasting(adyenNote+", the shortest that any names", SecondHand, "at least"),
		Carrier:  field(adyen, Primary, "header idempotency-key"),
		Syntax:   field(adyen, Primary, "bare", "max=64"),
		Missing:  field(adyen, Primary, "run"),
		Scope:    field(adyen, Primary, "account"),
		Replay:   field(adyen, Primary, "verbatim"),
		Marker:   field(adyen, Primary, "idempotency-key"),
		InFlight: field(adyenNote+", errorCode 704", SecondHand, "422", "409"),
		Outage:   field(adyenNote+", 503 with code 703", SecondHand, "closed"),
		Signals:  field(adyen, Primary, "transient-error"),
		Kind:     field(adyen, Primary, "replay"),
	},
	{
		Name: "square", Doc: "Square; lengths of keys differ by request, the longest is 255",
		Carrier:  field(square, Primary, "body /idempotency_key"),
		Syntax:   field(squareAPI, Primary, "bare", "min=1", "max=255"),
		Missing:  field(squareAPI+": required in some requests", Primary, "run", "reject"),
		Scope:    field(square, Primary, "endpoint"),
		Replay:   field(square, Primary, "verbatim"),
		Mismatch: field(square+", IDEMPOTENCY_KEY_REUSED", Primary, "reject"),
		Kind:     field(square, Primary, "replay"),
	},
	{
		Name: "braintree", Doc: "Braintree's GraphQL API; the key is a field of the input",
		Life: 30 * day, LifeFrom: lasting(braintree, Primary, "exactly"),
		Carrier:     field(braintree, Primary, "body /variables/input/apiRequestKey"),
		Missing:     field(braintree, Primary, "run"),
		AfterLife:   field(braintree, Primary, "new"),
		Replay:      field(braintree, Primary, "current"),
		Mismatch:    field(braintree, Primary, "reject"),
		Fingerprint: field(braintree, Primary, "canonical"),
		InFlight:    field(braintree, Primary, "reject"),
		Errors:      field(braintree, Primary, "graphql"),
		Kind:        field(braintree, Primary, "replay"),
	},
	{
		Name: "checkout", Doc: "Checkout.com; the life of keys can be set for each account",
		Life: day, LifeFrom: lasting(checkout, Primary, "exactly"),
		Carrier:   field(checkout, Primary, "header Cko-Idempotency-Key"),
		Missing:   field(checkout, Primary, "run"),
		AfterLife: field(checkout, Primary, "new"),
		Replay:    field(checkout, Primary, "verbatim"),
		InFlight:  field(checkouts, Primary, "409"),
		Stored:    field(checkout, Primary, "2xx"),
		Kind:      field(checkout, Primary, "replay"),
	},
	{
		Name: "klarna", Doc: "Klarna order management",
		Life: day, LifeFrom: lasting(klarna, Primary, "exactly"),
		Carrier: field(klarna, Primary, "header Klarna-Idempotency-Key"),
		Missing: field(klarna, Primary, "run"),
		Replay:  field(klarna, Primary, "verbatim", "remapped", "current"),
		Kind:    field(klarna, Primary, "replay"),
	},
	{
		Name: "mollie", Doc: "Mollie",
		Carrier: field(mollie, Primary, "header Idempotency-Key"),
		Missing: field(mollie, Primary, "run"),
		Life:    day / 24, LifeFrom: lasting(mollies, SecondHand, "exactly"),
		Replay: field(mollies, SecondHand, "verbatim"),
		Kind:   field(mollie, Primary, "replay"),
	},
	{
		Name: "mercadopago", Doc: "Mercado Pago",
		Carrier: field(mercado, Primary, "header X-Idempotency-Key"),
		Missing: field(mercados+", code 4292", SecondHand, "400"),
		Scope:   field(mercados, SecondHand, "endpoint"),
		Replay:  field(mercado, Primary, "current"),
		Kind:    field(mercado, Primary, "replay"),
	},
}
