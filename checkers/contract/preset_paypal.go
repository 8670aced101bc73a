package contract

import "time"

const (
	paypalDoc = "developer.paypal.com/reference/guidelines/idempotency"
	paypalAPI = "github.com/paypal/paypal-rest-api-specifications"
	paypalSay = "third parties that quote PayPal"
)

// paypal has a profile for each API, since lives and rules differ.
var paypal = []Contract{
	payPal("paypal-orders", "PayPal Orders", 6*time.Hour, func(c *Contract) {
		c.Syntax = field(paypalAPI, Primary, "bare", "min=1", "max=108")
		c.Missing = field(paypalAPI+": required with payment_source", Primary, "run", "400")
	}),
	payPal("paypal-payments", "PayPal Payments: captures, authorisations, refunds", 45*day, func(c *Contract) {
		c.InFlight = field(paypalDoc+": PREVIOUS_REQUEST_IN_PROGRESS, of refunds", Primary, "409", "wait")
	}),
	payPal("paypal-vault", "PayPal Vault", 3*time.Hour, func(c *Contract) {
		c.Missing = field(paypalAPI, Primary, "reject")
		c.Mismatch = field(paypalAPI+", PAYPAL_REQUEST_ID_PREVIOUSLY_USED", Primary, "reject")
	}),
	payPal("paypal-payouts", "PayPal Payouts", 30*day, func(c *Contract) {
		c.Syntax = field(paypalAPI, Primary, "bare", "max=1000")
	}),
	payPal("paypal-subscriptions", "PayPal Subscriptions", 72*time.Hour, func(*Contract) {}),
}

// payPal is what its APIs have in common, and what one has of its own.
func payPal(name, doc string, life time.Duration, own func(*Contract)) Contract {
	c := Contract{
		Name: name, Doc: doc, Life: life, LifeFrom: lasting(paypalDoc, Primary, "at least"),
		Carrier: field(paypalDoc, Primary, "header PayPal-Request-Id"),
		Missing: field(paypalDoc, Primary, "run"),
		Scope:   field(paypalSay, SecondHand, "endpoint"),
		Replay:  field(paypalDoc, Primary, "current"),
		Marker:  field(paypalAPI, Primary, "201->200"),
		Kind:    field(paypalDoc, Primary, "replay"),
	}
	own(&c)
	return c
}
