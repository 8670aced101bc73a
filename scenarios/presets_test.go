package scenarios_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// own are plans beside those of the catalogue.
var own = []string{
	`name: bad-keys
title: keys that are not well made
steps: [{send: a, fault: {malform-key: over-long}}, {send: b, fault: {malform-key: non-ascii}}, {send: c, fault: {malform-key: empty}}, {settle: all}]
rules: [exactly-once, bad-key-refused, error-format]
`, `name: refused
title: the provider refuses once
steps: [{arm: provider, fault: refuse, op: a, call: 1}, {send: a}, {send: a}, {settle: all}]
rules: [exactly-once, stored-outcome]
`, `name: aged
title: a repeat after the life of its key
steps: [{send: a}, {age: a, by: 1.2 life}, {send: a}, {settle: all}]
rules: [exactly-once, after-life]
`,
}

var fromCatalogue = []string{
	"repeat", "overlap", "lost-answer", "lost-request", "changed-payload", "reencoded-payload", "missing-key", "other-scope", "first-attempt-fails",
}

func plans(t *testing.T, c contract.Contract) (all []scenarios.Plan) {
	t.Helper()
	for _, name := range fromCatalogue {
		p, ok := scenarios.Lookup(name)
		if !ok {
			t.Fatalf("no scenario %s", name)
		}
		if len(p.Steps) > 0 && len(p.Steps[0].Offset) > 4 {
			p.Steps = slices.Clone(p.Steps)
			p.Steps[0].Offset = []float64{0, 0, 0.3, 0.6}
		}
		all = append(all, p)
	}
	for _, source := range own {
		if strings.HasPrefix(source, "name: aged") && c.JudgedLife() == 0 {
			continue
		}
		p, err := scenarios.Parse("own.yaml", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// configuration is the file of somebody whose service keeps a preset.
func configuration(c contract.Contract) string {
	body, key := `{order: "${id}", amount: "${int 100 999}"}`, ""
	if len(c.Carrier.Values) > 0 {
		key = "key: " + c.Carrier.Values[0] + ", "
	}
	switch {
	case c.Carrier.Has("graphql"):
		body = `{query: 'mutation { charge @idempotent(key: "${key}") { id } }', order: "${id}", amount: "${int 100 999}"}`
	case len(c.Carrier.Values) > 0 && strings.HasPrefix(c.Carrier.Values[0], "body /variables"):
		body = `{query: mutation, variables: {input: {order: "${id}", amount: "${int 100 999}"}}}`
	}
	return "target: http://127.0.0.1:9\ncontract: " + c.Name + "\noperations: {charge: {send: POST /charges, " + key + "body: " + body + "}}\n" +
		"scopes: {alice: {headers: {Authorization: a}}, bob: {headers: {Authorization: b}}}\n"
}

// judge runs the plans against a service that keeps the contract but for one field.
func judge(t *testing.T, c contract.Contract, broken string) checkers.Report {
	t.Helper()
	return judgeBy(t, c, c, broken)
}

// judgeBy judges it by what the file says that it promises.
func judgeBy(t *testing.T, promised, c contract.Contract, broken string) (r checkers.Report) {
	t.Helper()
	f, err := config.Parse("idemcheck.yaml", []byte(configuration(c)), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	f.Contract = promised
	synctest.Test(t, func(t *testing.T) {
		sys, done, err := f.System(config.Options{Run: "r"})
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		k := &keeper{HTTP: sys.Target.(*target.HTTP), contract: c, broken: broken, records: map[string]*record{}, effects: map[string]int{},
			provider: &inject.Provider{Name: "card", Effect: "POST /v1/charges", ID: "body /order"}}
		sys.Target, sys.Age = k, k
		sys.Limits.Rate = 0
		sys.Providers = map[string]*inject.Provider{"card": k.provider}
		sys.Observers = []scenarios.Observer{
			{Observer: history.Observer{Name: "charges", Kind: "sql", By: "id", Of: []string{"charge"}}, Read: k},
			{Observer: history.Observer{Name: "card", Kind: "provider", By: "id", Of: []string{"charge"}}},
		}
		if r, _, err = scenarios.Run(t.Context(), sys, scenarios.Options{Run: "r", Plans: plans(t, c)}); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

func told(r checkers.Report) string {
	var all []string
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			all = append(all, fmt.Sprintf("%s %s %s: %s", c.Name, v.Verdict, v.Rule, v.Reason))
		}
	}
	return strings.Join(append(all, r.Problems...), "\n")
}

// breakers are the rules that find a service which breaks an axis.
var breakers = map[string][]string{
	"carrier": {"at-most-once", "bad-key-refused"}, "syntax": {"bad-key-refused"}, "missing": {"bad-key-refused"}, "scope": {"separation"},
	"after_life": {"after-life"}, "replay": {"same-answer"}, "marker": {"same-answer"}, "mismatch": {"changed-payload-refused"},
	"fingerprint": {"same-answer", "changed-payload-refused"}, "in_flight": {"overlap-answer"}, "stored": {"stored-outcome"},
	"replay_5xx": {"stored-outcome"}, "errors": {"error-format"}, "signals": {"overlap-answer"},
}

// beyond says why breaking an axis of a contract cannot be seen; "" if it can.
func beyond(c contract.Contract, axis string) string {
	switch axis {
	case "kind", "outage":
		return "nothing judges it"
	case "carrier":
		if in, _, _ := strings.Cut(c.Carrier.Values[0], " "); in != "header" && in != "body" && in != "query" {
			return "the key is not in a place of its own"
		}
	case "syntax":
		if !c.Syntax.Has("uuid") && !slices.ContainsFunc(c.Syntax.Values, func(v string) bool { return strings.HasPrefix(v, "max=") }) {
			return "no key is surely against it"
		}
	case "scope":
		if !c.Scope.Has("account") && !c.Scope.Has("client") {
			return "only accounts and clients are told apart"
		}
	case "after_life":
		if c.LifeFrom.Has("at least") || c.JudgedLife() == 0 {
			return "it never surely ends"
		}
	case "marker":
		if c.Marker.Has("none") {
			return "no marker is promised"
		}
	case "fingerprint":
		if !c.Fingerprint.Has("canonical") && !c.Fingerprint.Has("key") {
			return "more is allowed than is judged"
		}
		if c.Fingerprint.Has("canonical") && !c.Replay.Judged() {
			return "the answer is not judged"
		}
	case "mismatch":
		if len(c.Mismatch.Values) > 1 {
			return "nearly anything is right"
		}
	case "stored":
		if c.Stored.Has("all") && c.Replay5xx.Judged() && !c.Replay5xx.Has("same") {
			return ""
		}
	case "replay_5xx":
		if len(c.Replay5xx.Values) > 1 && c.Replay5xx.Has("same") {
			return "either is right"
		}
	case "errors":
		if c.Errors.Has("graphql") {
			return "without errors in it, it is no refusal"
		}
		if !c.Mismatch.Judged() && !c.Mismatch.Has("400") {
			return "nothing is refused"
		}
	case "signals":
		if !c.Signals.Has("Retry-After") {
			return "only Retry-After is judged"
		}
	}
	return ""
}

// full states every axis; fuller says some of it in another way.
func full(t *testing.T) []contract.Contract {
	all := slices.Clone(contract.Catalogue)
	for name, says := range map[string][]string{
		"full": {"carrier=header Idempotency-Key", "syntax=uuid,400", "missing=400", "scope=account", "after_life=reject", "replay=verbatim",
			"marker=Idempotent-Replayed: true", "mismatch=422", "fingerprint=canonical", "in_flight=409", "stored=2xx,4xx", "replay_5xx=execute",
			"errors=problem+json", "signals=Retry-After", "kind=replay", "life=24h", "claim=2s"},
		"fuller": {"carrier=query key", "syntax=max=64", "missing=run", "scope=client", "after_life=new", "replay=remapped",
			"mismatch=replay", "fingerprint=canonical", "in_flight=wait", "stored=all", "replay_5xx=same", "life=1h", "claim=2s"},
	} {
		c := contract.Contract{Name: "none"}
		for _, s := range says {
			axis, values, _ := strings.Cut(s, "=")
			list := strings.Split(values, ",")
			if err := c.Set(axis, list...); err != nil {
				t.Fatal(err)
			}
		}
		c.Doc = name
		all = append(all, c)
	}
	return all
}

// Of each contract, a service that keeps it passes, and one that breaks a single
// judged field is found by the rule for it.
func TestContracts(t *testing.T) {
	for _, c := range full(t) {
		if c.Kind.Judged() && !c.Kind.Has("replay") || c.Carrier.Has("derived") {
			continue // queues and libraries are no HTTP services with keys
		}
		name := c.Name
		if len(c.Doc) < 7 {
			name = c.Doc
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := judge(t, c, ""); r.Verdict() != checkers.Pass {
				t.Errorf("a service that keeps it: %s\n%s", r.Verdict(), told(r))
			}
			r := judgeBy(t, contract.Contract{Name: "none", Life: c.Life}, c, "")
			if r.Verdict() == checkers.Fail {
				t.Errorf("where nothing is promised: %s\n%s", r.Verdict(), told(r))
			}
			last := r.Observed[len(r.Observed)-1]
			if slices.Contains([]string{"ietf", "stripe", "azure-repeatable", "modern-treasury", "gocardless", "paypal-payments"}, c.Name) && !strings.Contains(last, c.Name) {
				t.Errorf("it %s", last)
			}
			for _, a := range contract.Axes {
				if f := a.Field(&c); f.Judged() && beyond(c, a.Name) == "" {
					broken(t, c, a.Name)
				}
			}
		})
	}
}

func broken(t *testing.T, c contract.Contract, axis string) {
	t.Helper()
	r := judge(t, c, axis)
	for _, in := range r.Cases {
		for _, v := range in.Violations {
			if v.Verdict == checkers.Fail && slices.Contains(breakers[axis], v.Rule) {
				return
			}
		}
	}
	if axis == "carrier" && !c.Missing.Has("run") && r.Verdict() != checkers.Pass {
		return // it takes no request at all
	}
	t.Errorf("a service that breaks %s (%v): %s\n%s", axis, breakers[axis], r.Verdict(), told(r))
}
