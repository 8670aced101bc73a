package draft

import (
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// idNames are what the business id of an operation is called, best first,
// without separators and in lower case.
var idNames = []string{
	"orderid", "order", "ordernumber", "orderno", "orderref", "orderreference", "paymentid", "chargeid", "transferid", "payoutid",
	"invoiceid", "invoice", "invoicenumber", "bookingid", "booking", "transactionid", "transactionreference", "messageid", "eventid",
	"externalid", "externalreference", "externalref", "merchantreference", "merchanttransactionid", "merchantorderid",
	"clientreference", "clientreferenceid", "clientorderid", "referenceid", "referencenumber", "reference", "ref", "requestreference",
	"correlationid", "purchaseorder", "subscriptionid", "refundid",
	"endtoendidentification", "instructionidentification", "number",
}

// plain is a name without separators, in lower case.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// idRank orders names by how likely they are the business id; -1 is no id.
func idRank(name string) int { return slices.Index(idNames, plain(name)) }

var (
	undo   = regexp.MustCompile(`(?i)refund|revers|captur|cancel|void|disput|chargeback|credit_?note`)
	things = regexp.MustCompile(`^(order|payment|charge|transfer|payout|invoice|booking|transaction|subscription)(id|number)?$`)
)

// undoes tells whether an operation is about what was done before, as a refund is.
func (o *Operation) undoes() bool { return undo.MatchString(o.Name + " " + o.Path) }

// refers tells whether a field names what must exist already, as payment_id of a
// refund does: another id there would be refused.
func (o *Operation) refers(field string) bool {
	return o.undoes() && things.MatchString(plain(field))
}

// idRank is that of a name which may be the id of this operation.
func (o *Operation) idRank(name string) int {
	if o.refers(name) {
		return -1
	}
	return idRank(name)
}

// keyHeaders and keyFields are where the presets of contracts carry keys.
var keyHeaders, keyFields = carriers()

func carriers() (headers, fields []string) {
	headers = []string{"Idempotency-Key", "X-Idempotency-Key", "PayPal-Request-Id"}
	fields = []string{"/idempotency_key"}
	for _, c := range contract.Catalogue {
		for _, v := range c.Carrier.Values {
			if name, ok := strings.CutPrefix(v, "header "); ok {
				headers = append(headers, name)
			} else if pointer, ok := strings.CutPrefix(v, "body "); ok {
				fields = append(fields, pointer)
			}
		}
	}
	return headers, fields
}

// isKeyHeader tells whether a header is one that carries idempotency keys.
func isKeyHeader(name string) bool {
	return strings.Contains(plain(name), "idempoten") || ownKey.MatchString(name) ||
		slices.ContainsFunc(keyHeaders, func(k string) bool { return strings.EqualFold(k, name) })
}

// isKeyField tells whether a field at the top of a body carries the key. Names
// that also mean other things count only where a preset says so and the text is
// about keys.
func isKeyField(name string) bool {
	return strings.Contains(plain(name), "idempoten") || slices.Contains(keyFields, "/"+name)
}

var (
	ownKey       = regexp.MustCompile(`(?i)^(x-)?(request|operation|transaction|dedup\w*|retry|unique|once)-?key$`) // no vendor's, and it says what it is
	secretHeader = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^cookie$|token|secret|api-?key|auth|session|signature`)
	secretField  = regexp.MustCompile(`(?i)^(password|passwd|secret|client_?secret|api_?key|access_?token|refresh_?token|token|cvc|cvv|pin|private_?key)$`)
	envForm      = regexp.MustCompile(`[^A-Z0-9]+`)
)

// envName is a name for the environment: X-Api-Key is API_KEY.
func envName(name string) string {
	name = strings.TrimPrefix(strings.ToUpper(name), "X-")
	name = strings.Trim(envForm.ReplaceAllString(name, "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "SECRET_" + name
	}
	return name
}

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
