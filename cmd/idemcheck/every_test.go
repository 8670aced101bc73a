package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios"
)

// showing is a scenario, or a plan of its own, and the broken service that it
// rejects. The sound twin passes the same.
type showing struct {
	scenario string // a name of the catalogue, or a whole plan as YAML
	defect   string // of payments.Defects, or of twins
	rule     string // that it breaks: the first in the order of the rules
	only     string // the operation of payments that shows it
}

// every is what each scenario of the catalogue is good for.
var every = []showing{
	{"plain", "full buffer", "no-lost-effect", ""},
	{"repeat", "one-endpoint-unprotected", "at-most-once", "transfer"},
	{"late-repeat", "only-newest-key", "at-most-once", "charge"},
	{"later-repeat", "20 keys kept", "at-most-once", ""},
	{"key-volume", "150 keys kept", "at-most-once", ""},
	{"lost-answer", "lock-freed-at-end", "at-most-once", "charge"},
	{"lost-request", "later sending is a repeat", "no-lost-effect", ""},
	{"client-cut", "stuck-after-cut", "progress", "transfer"},
	{"retry-overtakes-original", "lock-freed-at-end", "at-most-once", "charge"},
	{"overlap", "check-then-act", "at-most-once", "charge"},
	{"overlap-three", "one answer for all", "separation", ""},
	{"overlap-and-retry", "third is let in", "at-most-once", ""},
	{"overlap-after-expiry", "expired-unguarded", "at-most-once", "charge"},
	{"slow-handler", "claim-too-short", "at-most-once", "charge"},
	{"first-attempt-fails", "keeps-5xx", "progress", "charge"},
	{"first-of-two-fails", "first-failure-marked-done", "no-lost-effect", "charge"},
	{"provider-answer-lost", "provider-key-per-attempt", "at-most-once", "charge"},
	{"provider-fails-after-effect", "provider-key-per-attempt", "at-most-once", "charge"},
	{"definite-refusal", "refusal-kept", "stored-outcome", "charge"},
	{"changed-payload", "payload-not-compared", "changed-payload-refused", "charge"},
	{"changed-field", "amount alone compared", "changed-payload-refused", ""},
	{"changed-while-running", "in-flight-not-compared", "changed-payload-refused", "charge"},
	{"two-payloads-at-once", "in-flight-not-compared", "changed-payload-refused", "transfer"},
	{"changed-after-failure", "payload is part of the key", "at-most-once", ""},
	{"changed-after-life", "payload outlives the key", "after-life", ""},
	{"reencoded-payload", "fingerprint-raw-bytes", "same-answer", "charge"},
	{"fresh-envelope", "envelope-compared", "same-answer", "credit"},
	{"boundary-payload", "zero-not-kept", "at-most-once", "charge"},
	{"large-payload", "big-answer-not-kept", "at-most-once", "charge"},
	{"key-life", "short-life", "at-most-once", "charge"},
	{"key-format", "bad-key-server-error", "bad-key-refused", "charge"},
	{"missing-key", "no key is a crash", "bad-key-refused", ""},
	{"unkeyed-retry", "no key is no matter", "bad-key-refused", ""},
	{"look-alike-keys", "keys folded in case", "no-lost-effect", ""},
	{"look-alike-twins", "keys-truncated", "separation", "transfer"},
	{"look-alike-ids", "orders-folded", "separation", "checkout"},
	{"same-body-two-ids", "content-hash", "separation", "transfer"},
	{"double-click", "two keys, two orders", "at-most-once", ""},
	{"other-endpoint", "key-without-endpoint", "separation", "charge"},
	{"other-method", "key without method", "separation", ""},
	{"other-scope", "key-global-over-tenants", "separation", "transfer"},
	{"other-replica", "keys-in-memory", "at-most-once", "charge"},
	{"two-entries", "two-entries-two-keys", "at-most-once", "checkout"},
	{"old-event-last", "old-event-wins", "no-step-back", "subscription"},
	{"every-order", "old-event-wins", "no-step-back", "subscription"},
	{"unknown-then-reconcile", "asks another tenant", "at-most-once", ""},
}

// rare are the faults that no scenario of the catalogue uses: plans of users have them.
var rare = []showing{
	{`steps: [{send: a, fault: {replace-answer: 504}}, {retry: a}, {settle: all}]`, "lock-freed-at-end", "at-most-once", "charge"},
	{`steps: [{send: a}, {send: a, fault: change-payload}, {settle: all}]`, "payload-not-compared", "changed-payload-refused", "charge"},
	{`steps: [{arm: provider, fault: hold, op: a, call: 1}, {start: a}, {wait: 20ms}, {send: a}, {join: all}, {settle: all}]`, "check-then-act", "at-most-once", "charge"},
}

// plan is the scenario, or the plan that stands there.
func (s showing) plan(t *testing.T) scenarios.Plan {
	t.Helper()
	if p, known := scenarios.Lookup(s.scenario); known {
		return p
	}
	p, err := scenarios.Parse("plan.yaml", []byte("name: own\n"+s.scenario))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// name of the scenario; of another plan, the faults that it is there for.
func (s showing) name() string {
	if _, known := scenarios.Lookup(s.scenario); known {
		return s.scenario
	}
	return "own/" + s.defect
}

// TestEveryScenarioIsShown holds that none is left out of the tables, and no fault.
func TestEveryScenarioIsShown(t *testing.T) {
	used := map[string]bool{ // in a plan these three are steps
		"request " + inject.Repeat.Name: true, "request " + inject.Overlap.Name: true, "request " + inject.Late.Name: true,
	}
	for _, p := range scenarios.Catalogue() {
		if !slices.ContainsFunc(slices.Concat(every, beside), func(s showing) bool { return s.scenario == p.Name }) {
			t.Errorf("no broken service shows %s", p.Name)
		}
	}
	for _, s := range slices.Concat(every, rare, beside) {
		for _, f := range faultsOf(s.plan(t).Steps) {
			used[f] = true
		}
	}
	for _, f := range inject.Faults {
		if !used[f.Site+" "+f.Fault.Name] {
			t.Errorf("no plan shows the fault %s at a %s", f.Fault.Name, f.Site)
		}
	}
}

func faultsOf(steps []scenarios.Step) (all []string) {
	for _, s := range steps {
		site, _, _ := strings.Cut(cmp.Or(s.Arm, inject.SiteRequest), "/")
		fault := s.Fault.Name
		if s.Do != "arm" && s.Arm != "" {
			fault = s.Do // restart, resume, read-only
		}
		all = append(append(all, site+" "+fault), faultsOf(s.Steps)...)
	}
	return all
}

// shown is what a plan came to at a broken service and at its sound twin.
type shown struct {
	showing
	broken, sound checkers.Report
	err           error
	took          time.Duration // of the sound one
}

// TestEveryScenario runs each scenario alone: it rejects a broken service by
// the rule that is meant, and accepts the sound one.
func TestEveryScenario(t *testing.T) {
	unraced(t)
	if testing.Short() {
		t.Skip("takes half a minute: leave out -short")
	}
	var all []*shown
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, s := range eachNth(slices.Concat(every, rare), amount(4, 1, 1)) {
		v := &shown{showing: s}
		all = append(all, v)
		plan := s.plan(t)
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			v.try(t, plan)
		})
	}
	group.Wait()
	for _, v := range all {
		t.Run(v.name(), v.judge)
	}
}

func (v *shown) try(t *testing.T, plan scenarios.Plan) {
	if pair, known := twins[v.defect]; known {
		v.broken, v.err = pair.visit(pair.broken, plan)
		if v.err == nil {
			begin := time.Now()
			v.sound, v.err = pair.visit(pair.sound, plan)
			v.took = time.Since(begin)
		}
		return
	}
	i := slices.IndexFunc(payments.Defects, func(d payments.Defect) bool { return d.Name == v.defect })
	if i < 0 {
		v.err = fmt.Errorf("there is no defect %q", v.defect)
		return
	}
	both := []service{defectService(payments.Defects[i]), {Name: "payments", Contract: payments.Contract, Whole: true}}
	for i, into := range []*checkers.Report{&v.broken, &v.sound} {
		s := both[i]
		s.plans, s.only = []scenarios.Plan{plan}, []string{v.only}
		s.started = func(string) func() { return func() {} } // rules on totals take seconds, and are not meant here
		r, err := s.run(t.Context())
		if err != nil {
			v.err = err
			return
		}
		*into, v.took = r.Report, r.Took
	}
}

func (v *shown) judge(t *testing.T) {
	if v.err != nil {
		t.Fatal(v.err)
	}
	t.Logf("%-26s %-28s %5.1f s", v.defect, v.rule, v.took.Seconds())
	if name, rule := firstFailure(v.broken); rule != v.rule {
		t.Errorf("%s must break %s: it broke %q in %q\n%s", v.defect, v.rule, rule, name, tellAll(v.broken))
	}
	passed := false
	for _, c := range v.sound.Cases {
		passed = passed || c.Verdict == checkers.Pass && strings.HasPrefix(c.Name, v.plan(t).Name)
	}
	if v.sound.Verdict() != checkers.Pass || !passed {
		t.Errorf("the sound twin must pass:\n%s", tellAll(v.sound))
	}
}

func tellAll(r checkers.Report) string {
	var b strings.Builder
	for _, c := range r.Cases {
		fmt.Fprintf(&b, "%s: %s %s\n%s", c.Name, c.Verdict, c.Skipped, tell(c))
	}
	return b.String()
}
