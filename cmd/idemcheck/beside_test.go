package main

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/fixtures/payments"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
)

// beside are the scenarios that need processes and links, each with a service
// that it rejects. Their services are processes of this binary.
var beside = []showing{
	{"kill-after-effect", "provider-key-per-attempt", "at-most-once", "charge"},
	{"kill-before-effect", "claim-never-expires", "progress", "charge"},
	{"kill-after-mark", "claim-never-expires", "progress", "charge"},
	{"commit-reply-lost", "commit-taken-for-failure", "at-most-once", "charge"},
	{"statement-reply-lost", "driver-resends", "at-most-once", "charge"},
	{"commit-conflict", "provider-in-retried-transaction", "at-most-once", "charge"},
	{"store-down", "", "", "charge"}, // payments does nothing without its database: TestTills has what it rejects
	{"store-read-only", "store-fails-open", "at-most-once", "charge"},
	{"overlap-at-a-moment", "check-then-act", "at-most-once", "charge"},
	{"restart-between-attempts", "keys-in-memory", "at-most-once", "charge"},
	{"kill-after-answer", "keys-in-memory", "at-most-once", "charge"},
	{"zombie", "claim-not-fenced", "at-most-once", "charge"},
	{"stuck-after-kill", "claim-never-expires", "progress", "charge"},
	{`steps: [{arm: link, fault: cut, moment: commit, op: a}, {send: a}, {retry: a}, {settle: all}]`, "commit-taken-for-success", "no-lost-effect", "charge"},
}

// seat is where the services of a test live.
type seat struct {
	name   string
	db     string // the URL of a database; "": SQLite
	points bool
}

// run runs a plan against the payments service as two processes over one
// database.
func (s seat) run(t *testing.T, plan scenarios.Plan, defect string) (checkers.Report, history.History) {
	t.Helper()
	id, err := newRun()
	if err != nil {
		t.Fatal(err)
	}
	file, err := config.Parse("idemcheck.yaml", []byte(s.yaml(t, defect)), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	sys, end, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	if err := file.Start(t.Context(), sys); err != nil {
		t.Fatal(err)
	}
	r, h, err := scenarios.Run(t.Context(), sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), Plans: []scenarios.Plan{plan}, Operations: []string{"charge"}})
	if err != nil {
		t.Fatal(err)
	}
	return r, h
}

// yaml is what a user would write.
func (s seat) yaml(t *testing.T, defect string) string {
	t.Helper()
	var addresses []string
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, l.Addr().String())
		l.Close()
	}
	dsn, link := filepath.Join(t.TempDir(), "shop.db"), ""
	observed := "sqlite:" + dsn
	if s.db != "" {
		u, err := url.Parse(s.db)
		if err != nil {
			t.Fatal(err)
		}
		observed, link = s.db, fmt.Sprintf("\n  db: {protocol: postgres, to: %q}", u.Host)
		u.Host = "LINK"
		dsn = strings.Replace(u.String(), "LINK", "${link.db}", 1)
	}
	var workers strings.Builder
	for i, a := range addresses {
		fmt.Fprintf(&workers, "  api-%d:\n    run: [idemcheck, fixture, payments, --listen, %q, --db, %q, --provider, 'http://${link.card}', --claim, 2s, --defect, %q]\n    points: %v\n    ready: GET http://%s/healthz\n",
			i+1, a, dsn, defect, s.points, a)
	}
	return fmt.Sprintf("target: [http://%s, http://%s]\ncontract: %s\nsettle: {bound: 3s}\n%s%seffects:\n%slinks:\n  card: {protocol: http, to: provider/card-charge}%s\nworkers:\n%s",
		addresses[0], addresses[1], payments.Contract, demoHead,
		strings.ReplaceAll(demoBlocks[0].operation, "FIND", ""),
		strings.NewReplacer("DATABASE", observed, "ALONE", "false").Replace(demoBlocks[0].effects), link, &workers)
}

// TestEveryScenarioBeside runs each against a broken service, which it rejects by
// the rule that is meant, and against the sound one.
func TestEveryScenarioBeside(t *testing.T) {
	unraced(t)
	if testing.Short() {
		t.Skip("takes a minute")
	}
	server := needPostgres(t)
	for _, s := range beside {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			plan := s.plan(t)
			for _, defect := range slices.Compact([]string{"", s.defect}) {
				r, h := seat{db: database(t, server)}.run(t, plan, defect)
				name, rule := firstFailure(r)
				switch {
				case defect != "" && rule != s.rule:
					t.Errorf("%s must break %s: it broke %q in %q\n%s\n%s", s.defect, s.rule, rule, name, tellAll(r), lines(h))
				case defect == "" && r.Verdict() != checkers.Pass:
					t.Errorf("the sound one must pass:\n%s\n%s", tellAll(r), lines(h))
				}
			}
		})
	}
}

// TestScenariosAtPoints runs them where there are points of code in place of a
// link to the database. None accuses the sound service.
func TestScenariosAtPoints(t *testing.T) {
	unraced(t)
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	for _, s := range beside {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			r, h := seat{points: true}.run(t, s.plan(t), "")
			for _, c := range r.Cases {
				if c.Verdict != checkers.Pass && c.Skipped == "" {
					t.Errorf("%s\n%s", tellAll(r), lines(h))
				}
				t.Log(c.Name, c.Verdict, c.Skipped)
			}
		})
	}
}

// lines are the events of the cases in short.
func lines(h history.History) string {
	var b strings.Builder
	for _, e := range h.Events {
		if e.Case != history.CaseCalibration && e.Name != history.MarkCase {
			fmt.Fprintf(&b, "%7.1f %-10s %-13s %-8s %-28s %s %d %s %s\n", float64(e.At)/1e6, e.Op, e.Actor, e.Kind, e.Name, e.Status, e.Count, e.Cause, e.Attrs[history.AttrMoment])
		}
	}
	return b.String()
}
