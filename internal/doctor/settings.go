package doctor

import (
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
)

// observers says which operations nobody counts for.
func (x *examination) observers() {
	if x.sys.NoEffects {
		x.advise("effects: none, so only answers are judged. To count effects add for instance\n" + effectLines)
		return
	}
	for _, o := range x.Operations {
		if o.Works && len(o.Observers) == 0 {
			x.problem("no observer counts the effects of %s: no case of it can pass. Add for instance\n"+effectLines+"\nor say  effects: none , then only answers are judged", o.Name)
		}
	}
}

const effectLines = `  effects: {charge-row: {sql: "${DATABASE_URL}", query: "select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1"}}`

// settings are values that look wrong beside what was measured.
func (x *examination) settings() {
	var slowest, latest time.Duration
	for _, c := range x.learned {
		slowest, latest = max(slowest, c.Handler), max(latest, c.Latency)
	}
	l, claim := x.file.Limits, x.sys.Contract.Claim
	if limit := orDefault(l.Attempt, 10*time.Second); slowest > limit/3 {
		x.problem("limits.attempt is %v and an operation takes %v: attempts will end as time-outs; say  limits: {attempt: %v}", limit, round(slowest), 10*slowest.Round(time.Second)+time.Second)
	}
	if bound := orDefault(l.Settle, 10*time.Second); latest > bound/2 {
		x.problem("settle.bound is %v and an effect showed %v after the answer: effects may be missed; say  settle: {bound: %v}", bound, round(latest), (4*latest).Round(time.Second)+time.Second)
	}
	switch {
	case claim > 0 && claim < slowest:
		x.problem("contract.claim is %v and an operation takes %v: a claim that ends before its holder lets a second one in", claim, round(slowest))
	case claim == 0 && x.keyed():
		x.advise("the contract states no claim: how long a key in progress blocks others is not judged, nor how soon a stuck one is free again. Add   claim: 30s   to contract:, with the service's own time")
	}
	if x.Contract == "none" {
		x.advise("no contract: only harm fails, no wrong answer. If the service promises something, say so:  contract: ietf  (idemcheck list contracts)")
	}
	x.scopes()
}

// keyed tells whether an operation carries a key.
func (x *examination) keyed() bool {
	return slices.ContainsFunc(x.Operations, func(o Operation) bool { return o.Key != "none" })
}

func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// scopes that send the same are one tenant under two names.
func (x *examination) scopes() {
	for i, a := range x.file.Scopes {
		for _, b := range x.file.Scopes[:i] {
			if headers(a) == headers(b) {
				x.problem("scopes %s and %s send the same headers: they are one tenant to the service, and other-scope would say nothing", b.Name, a.Name)
			}
		}
	}
}

func headers(s config.Scope) string {
	var lines []string
	for _, h := range s.Headers {
		lines = append(lines, strings.ToLower(h.Name)+": "+h.Value.String())
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// scenarios are those of the catalogue, with what would enable the rest.
func (x *examination) scenarios() {
	for _, p := range scenarios.Catalogue() {
		s := Scenario{Name: p.Name, Runs: []string{}}
		for _, c := range scenarios.Cases(x.sys, []scenarios.Plan{p}, nil) {
			if c.Skip != "" {
				s.Skipped = c.Skip
			} else if !slices.Contains(s.Runs, c.Operation) {
				s.Runs = append(s.Runs, c.Operation)
			}
		}
		x.Scenarios = append(x.Scenarios, s)
	}
	rough := 0
	for _, s := range x.Scenarios {
		rough += 20 * len(s.Runs)
	}
	if n := x.file.Limits.Attempts; n > 0 && n < rough {
		x.advise("limits.attempts is %d; the catalogue needs about %d for these operations", n, rough)
	}
}
