package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// block is an operation of the demo's idemcheck.yaml and how it is counted.
type block struct {
	name               string
	operation, effects string
	whole              bool // only where all endpoints are tried
}

// yaml is the idemcheck.yaml of the service, as a user would write it: nothing
// in it tells what is wrong.
func (s service) yaml(urls []string) string {
	var operations, effects strings.Builder
	for _, b := range demoBlocks {
		if s.Whole || slices.Contains(s.Operations, b.name) || !b.whole && s.Operations == nil {
			operations.WriteString(strings.ReplaceAll(b.operation, "FIND", s.find()))
			effects.WriteString(strings.NewReplacer("DATABASE", "sqlite:"+s.Config.DSN, "ALONE", strconv.FormatBool(s.Config.Variant == "")).Replace(b.effects))
		}
	}
	return fmt.Sprintf("target: [%s]\ncontract: %s\nsettle: {bound: %s}\n%s%seffects:\n%s%s", strings.Join(urls, ", "), s.Contract, cmp.Or(s.Settle, "2s"), demoHead, &operations, &effects,
		fmt.Sprintf(demoAge, "sqlite:"+s.Config.DSN)+s.totals(urls))
}

// find is how a caller asks for a charge.
func (s service) find() string {
	if s.Config.Variant != "" {
		return ""
	}
	return "    find: GET /charges?order=${id}\n"
}

// totals are the rules that hold only where nobody else uses the service.
func (s service) totals(urls []string) string {
	if s.started != nil || s.Operations != nil && s.Defect == nil {
		return ""
	}
	rules := demoRules
	if s.Config.Variant == "" {
		rules += demoTotals
	}
	return fmt.Sprintf(rules, "sqlite:"+s.Config.DSN, "\""+strings.Join(urls, "/metrics\", \"")+"/metrics\"")
}

const demoHead = `scopes:
  alice: {headers: {Authorization: Bearer alice}}
  bob: {headers: {Authorization: Bearer bob}}
operations:
  customer:
    send: POST /customers
    body: {name: Jane, email: "${id}@shop.example"}
    take: {customer: /id}
`

const demoAge = `age:
  sql: %s
  exec: >-
    update idempotency_keys set created_at = created_at - cast(:seconds * 1000 as bigint), claimed_at = claimed_at - cast(:seconds * 1000 as bigint)
    where key in (:keys) or key in (:ids)
`

// demoRules hold for every design.
const demoRules = `exclusive: true
rules:
  - {name: conserved, sql: %[1]q, conserved: select sum(balance) from balances}
  - {name: same-state, of: [charge], sql: %[1]q, same: "select order_id as id, currency, revision from charges where order_id in (:ids)"}
  - {name: accepted-means-done, each: 'accepted && name == "charge" ? effects["charge-row"] > 0 : true'}
`

// demoTotals hold where keys are kept in their table, and replays are counted.
const demoTotals = `  - {name: bounded-state, of: [charge], sql: %[1]q, bounded: "select count(*) from idempotency_keys where endpoint = '/charges'", within: 2s}
  - {name: suppressed-counted, of: [charge], metrics: [%[2]s], counted: 'payments_replays_total{route="/charges"}'}
`

var demoBlocks = []block{
	{name: "charge", operation: `  charge:
    send: POST /charges
    before: [customer]
FIND    body: {note: thanks, order: "${id}", amount: "${int 100 999}", currency: EUR, customer: "${customer}"}
`, effects: `  charge-row:
    of: [charge]
    sql: DATABASE
    query: select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1
    say: Order ${id} was charged
  card-charge:
    of: [charge]
    provider: {listen: "127.0.0.1:0", effect: POST /v1/charges, id: body /metadata/order, one_at_a_time: ALONE}
    say: Order ${id} was charged
`},
	{name: "transfer", operation: `  transfer:
    send: POST /transfers
    body: {from: savings, to: rent, amount: "${int 100 999}"}
`, effects: `  transfer-row:
    of: [transfer]
    by: key
    sql: DATABASE
    query: select idempotency_key as key, count(*) as n from transfers where idempotency_key in (:keys) group by 1
    say: The transfer of key ${key} was booked
`},
	{whole: true, name: "credit", operation: `  credit:
    send: POST /webhooks/credits
    key: body /event
    body: {account: savings, amount: "${int 100 999}"}
    per_attempt: {body: {/sent_at: "${now}"}}
`, effects: `  credit-row:
    of: [credit]
    sql: DATABASE
    by: key
    query: select idempotency_key as key, count(*) as n from credits where idempotency_key in (:keys) group by 1
    say: The credit of event ${key} was booked
`},
	{whole: true, name: "subscription", operation: `  subscription:
    send: POST /webhooks/subscriptions
    key: body /event
    body: {subscription: "${id}", status: active, version: "${version}"}
    versions: [{status: active}, {status: paused}, {status: cancelled}]
`, effects: `  subscription-state:
    of: [subscription]
    sql: DATABASE
    query: select name as id, 1 as n, version from subscriptions where name in (:ids)
    say: Subscription ${id} was written
  notice:
    of: [subscription]
    provider: {listen: "127.0.0.1:0", effect: POST /notices, id: body /subscription, version: body /version}
    say: A notice of subscription ${id} went out
`},
	{whole: true, name: "raise", operation: `  raise:
    send: PATCH /limit
    body: {reference: "${id}", by: "${int 10 99}"}
`, effects: `  raise-row:
    of: [raise]
    sql: DATABASE
    query: select reference as id, count(*) as n from raises where reference in (:ids) group by 1
    say: The limit was raised for ${id}
`},
	{whole: true, name: "receipt", operation: `  receipt:
    send: POST /receipts
    body: {order: "${id}"}
`, effects: `  receipt-row:
    of: [receipt]
    sql: DATABASE
    query: select order_id as id, count(*) as n from receipts where order_id in (:ids) group by 1
    say: A receipt was made for order ${id}
`},
	{whole: true, name: "checkout", operation: `  checkout:
    send: POST /checkouts
    key: none
    body: {order: "${id}", amount: 4900, currency: EUR}
  checkout_event:
    send: POST /webhooks/checkout
    key: none
    entry_of: checkout
    body: {event: "evt-${id}", order: "${id}", amount: "${body.amount}", currency: EUR}
`, effects: `  checkout-row:
    of: [checkout]
    sql: DATABASE
    query: select order_id as id, count(*) as n from checkouts where order_id in (:ids) group by 1
    say: Order ${id} was paid
`},
	{whole: true, name: "mandate", operation: `  mandate:
    send: PUT /mandates/${id}
    key: none
    body: {account: "${id}-rent", limit: "${n}"}
    take: {mandate: /name}
    test: true
`, effects: `  mandate-row:
    of: [mandate]
    sql: DATABASE
    query: select name as id, count(*) as n from mandates where name in (:ids) group by 1
    say: Mandate ${id} was made
`},
	{whole: true, name: "close", operation: `  close:
    send: DELETE /mandates/${mandate}?reference=${id}
    before: [mandate]
`, effects: `  mandate-closed:
    of: [close]
    sql: DATABASE
    query: select reference as id, sum(closed) as n from mandates where reference in (:ids) group by 1
    say: A mandate was closed for ${id}
`},
}
