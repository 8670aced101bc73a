package main

import (
	"slices"
	"testing"

	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// shows is how repeated traffic shows a defect.
type shows struct {
	route   string // where, as the report names it
	counted bool   // it takes the file, with observers and a contract: the answers alone tell nothing
	as      string // the kind of finding that names it; "": that it was done twice
}

// done are the kinds of findings that say that something was done twice.
var done = []string{"twice", "two-things", "second-id"}

// names reports whether a finding says what is wrong.
func (s shows) names(f traffic.Finding) bool {
	return f.Kind == s.as || s.as == "" && slices.Contains(done, f.Kind)
}

// shownByTraffic are the defects that repeats show.
var shownByTraffic = map[string]shows{
	"check-then-act":           {route: "POST /charges"},
	"lock-freed-at-end":        {route: "POST /charges"},
	"big-answer-not-kept":      {route: "POST /charges"},
	"zero-not-kept":            {route: "POST /charges"},
	"one-endpoint-unprotected": {route: "POST /transfers"},
	"only-newest-key":          {route: "POST /charges"},
	"only-post-protected":      {route: "PATCH /limit"},
	"keys-in-memory":           {route: "POST /charges"},
	"repeat-server-error":      {route: "POST /charges", as: "broken"},
	"answer-not-kept":          {route: "POST /charges", counted: true, as: "promised"}, // these four break what the file says is promised
	"streamed-not-kept":        {route: "POST /receipts", counted: true, as: "promised"},
	"replay-without-headers":   {route: "POST /charges", counted: true, as: "promised"},
	"fingerprint-raw-bytes":    {route: "POST /charges", counted: true, as: "promised"},
	"put-appends":              {route: "PUT /mandates/{}", counted: true},
	"event-credited-again":     {route: "POST /webhooks/credits", counted: true},
}

// notByTraffic are those that repeats alone do not show, and why.
var notByTraffic = map[string]string{
	"effect-then-mark":          "takes a caller that hangs up between two transactions",
	"stuck-after-cut":           "takes a caller that hangs up while the work runs",
	"payload-not-compared":      "takes another payload under the same key",
	"in-flight-not-compared":    "takes another payload under the same key",
	"key-global-over-tenants":   "takes the same key from two tenants",
	"key-without-endpoint":      "takes the same key on two endpoints",
	"keys-folded":               "takes two keys that differ in case alone",
	"keys-trimmed":              "takes two keys that differ in a blank",
	"keys-truncated":            "takes two long keys that begin alike",
	"orders-folded":             "takes two order numbers that differ in case alone",
	"bad-key-server-error":      "takes a key that is not valid",
	"content-hash":              "merges honest requests: a repeat is answered rightly",
	"two-entries-two-keys":      "takes the same order by another way in, not the same request",
	"keeps-5xx":                 "takes a provider that fails",
	"first-failure-marked-done": "takes a provider that fails",
	"provider-key-per-attempt":  "takes a provider whose answer is lost",
	"silence-taken-for-refusal": "takes a provider whose answer is lost",
	"refusal-kept":              "takes a provider that refuses, and a new key after it",
	"claim-too-short":           "takes a provider that is slower than the claim lasts",
	"two-holders":               "takes a provider that is slower than the claim lasts",
	"short-life":                "takes 20 hours between the two",
	"expired-unguarded":         "takes a key that has just expired",
	"never-swept":               "takes a day, and a look into the table of keys",
	"delete-404":                "sound services answer a second DELETE so, too",
	"envelope-compared":         "takes a redelivery with another time of sending",
	"old-event-wins":            "takes events in another order: a repeated event is known by its id",
	"notices-overtake":          "takes a look at the order of notices",
	"find-lags":                 "takes a caller that looks before it sends again",
	"loser-told-done":           "sound services that accept at once answer so, too",
	"debit-on-arrival":          "takes the sum of all balances: no id counts it",
	"replay-revises":            "takes a rule on the state after the run",
	"replays-not-counted":       "takes the service's own metric of replays",
}

// TestProxyTableIsWhole holds that no defect is left out of the tables, and
// none stands in both. Windows take a kill or a broken link.
func TestProxyTableIsWhole(t *testing.T) {
	for _, d := range payments.Defects {
		_, shown := shownByTraffic[d.Name]
		if _, not := notByTraffic[d.Name]; shown == not {
			t.Errorf("%s must stand in one of the tables", d.Name)
		}
	}
	if n := len(shownByTraffic) + len(notByTraffic); n != len(payments.Defects) {
		t.Errorf("the tables have %d defects, there are %d", n, len(payments.Defects))
	}
}
