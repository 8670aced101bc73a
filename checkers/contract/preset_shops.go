package contract

const (
	shopify  = "shopify.dev/docs/api/usage/implementing-idempotency"
	shopifys = "third parties that quote Shopify"
	ec2      = "docs.aws.amazon.com, ec2-api-idempotency"
	awsSays  = "third parties that quote AWS"
)

// shops are APIs of shops and clouds.
var shops = []Contract{
	{
		Name: "shopify", Doc: "Shopify's Admin GraphQL API: the directive @idempotent(key:)",
		Life: day, LifeFrom: lasting(shopifys, SecondHand, "exactly"),
		Carrier:   field(shopify, Primary, "graphql"),
		Missing:   field(shopifys, SecondHand, "reject"),
		AfterLife: field(shopifys, SecondHand, "new"),
		Replay:    field(shopifys, SecondHand, "current"),
		Mismatch:  field(shopify+", IDEMPOTENCY_KEY_PARAMETER_MISMATCH", Primary, "reject"),
		InFlight:  field(shopify+", IDEMPOTENCY_CONCURRENT_REQUEST", Primary, "reject", "wait"),
		Errors:    field(shopify, Primary, "graphql"),
		Kind:      field(shopify, Primary, "replay"),
	},
	{
		Name: "aws-client-token", Doc: "AWS client tokens, as EC2 has them; the parameter's name, lengths and life differ by service",
		Carrier:     field(ec2, Primary, "body /ClientToken"),
		Syntax:      field(ec2, Primary, "bare", "max=64"),
		Missing:     field(ec2+": the SDK or the service may make one", Primary, "run"),
		Scope:       field(awsSays, SecondHand, "region"),
		Replay:      field(ec2, Primary, "current"),
		Mismatch:    field(ec2+", IdempotentParameterMismatch", Primary, "reject"),
		Fingerprint: field(ec2+", but for region and zone", Primary, "canonical"),
		Kind:        field(ec2, Primary, "replay"),
	},
}
