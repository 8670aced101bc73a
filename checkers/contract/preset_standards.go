package contract

import "time"

// Sources of the standards.
const (
	draft  = "draft-ietf-httpapi-idempotency-key-header-06"
	azure  = "github.com/microsoft/api-guidelines, azure/Guidelines.md"
	acs    = "learn.microsoft.com/rest/api/communication/repeatable-requests"
	obuk   = "github.com/OpenBankingUK/read-write-api-docs-pub, v4.0"
	aip155 = "google.aip.dev/155"
)

// standards are contracts that many services follow.
var standards = []Contract{
	{
		Name: "ietf", Doc: "the IETF draft of the Idempotency-Key header; bare keys are accepted as well, since nearly all vendors send them",
		Carrier: field(draft, Primary, "header Idempotency-Key"),
		Syntax:  field(draft+" says quoted; bare is practice", SecondHand, "bare", "quoted"),
		Missing: field(draft, Primary, "400"),
		// "the result of the completed operation": not said to be the same bytes.
		Replay:   field(draft, Primary, "verbatim", "remapped", "current"),
		Mismatch: field(draft, Primary, "422"),
		InFlight: field(draft, Primary, "409"),
		Stored:   field(draft, Primary, "all"),
		// "completed operation": a failure for a passing reason need not be one.
		Replay5xx: field(draft, Primary, "same", "execute"),
		Errors:    field(draft, Primary, "problem+json", "describedby"),
		Kind:      field(draft, Primary, "replay"),
	},
	{
		Name: "azure-repeatable", Doc: "OASIS repeatable requests as Azure has them; each request also needs the header Repeatability-First-Sent, a date as in HTTP",
		Life: 5 * time.Minute, LifeFrom: lasting(azure, Primary, "at least"),
		Carrier:   field(azure, Primary, "header Repeatability-Request-ID"),
		Syntax:    field(acs, Primary, "bare", "uuid", "400"),
		Missing:   field(azure, Primary, "reject"),
		Scope:     field("inferred from Repeatability-Client-ID", Unverified, "client"),
		AfterLife: field(acs, Primary, "412"),
		Replay:    field(acs, Primary, "verbatim"),
		Marker:    field(azure, Primary, "Repeatability-Result: accepted"),
		Mismatch:  field(acs, Primary, "400"),
		InFlight:  field(acs, Primary, "409"),
		Stored:    field(acs, Primary, "2xx", "4xx"),
		Replay5xx: field(acs, Primary, "execute"),
		Kind:      field(azure, Primary, "replay"),
	},
	{
		Name: "openbanking-uk", Doc: "Open Banking read-write API, United Kingdom",
		Life: day, LifeFrom: lasting(obuk, Primary, "exactly"),
		Carrier:  field(obuk, Primary, "header x-idempotency-key"),
		Syntax:   field(obuk, Primary, "bare", "max=40", "400"),
		Scope:    field(obuk, Primary, "client"),
		Replay:   field(obuk, Primary, "current"),
		Marker:   field(obuk, Primary, "201->201"),
		Mismatch: field(obuk+": nothing may be modified, the status is free", Primary, "reject", "replay"),
		Kind:     field(obuk, Primary, "replay"),
	},
	{
		Name: "aip-155", Doc: "Google's AIP-155: a request_id in the message",
		Carrier: field(aip155, Primary, "body /request_id"),
		Syntax:  field(aip155, Primary, "bare", "uuid", "max=36"),
		Missing: field(aip155, Primary, "run"),
		Replay:  field(aip155, Primary, "verbatim", "current"),
		Kind:    field(aip155, Primary, "replay"),
	},
}
