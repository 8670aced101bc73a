package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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
	{`steps: [{arm: link, fault: cut, moment: commit, op: a}, {send: a}, {settle: all}]`, "commit-taken-for-success", "no-lost-effect", "charge"},
}

// seat is where the services of a test live.
type seat struct {
	db      string // the URL of a database; "": SQLite
	points  bool
	variant payments.Variant // of the sound service; without a name: none
}

// run runs plans against the payments service as two processes over one
// database; a broken one ends at its first failing case.
func (s seat) run(t *testing.T, plans []scenarios.Plan, defect string) (r checkers.Report, h history.History, err error) {
	id, err := newRun()
	if err != nil {
		return r, h, err
	}
	file, err := config.Parse("idemcheck.yaml", []byte(s.yaml(t, defect)), func(string) (string, bool) { return "", false })
	if err != nil {
		return r, h, err
	}
	sys, end, err := file.System(config.Options{Run: id, Seed: 1, Agent: tool()})
	if err != nil {
		return r, h, err
	}
	defer end()
	if err := file.Start(t.Context(), sys); err != nil {
		return r, h, err
	}
	return scenarios.Run(t.Context(), sys, scenarios.Options{Run: id, Seed: 1, Tool: tool(), Plans: plans, Operations: s.tried(), StopAtFail: defect != ""})
}

// tried are the operations that cases are made for.
func (s seat) tried() []string {
	switch {
	case s.variant.Name == "":
		return []string{"charge"}
	case s.variant.Operations == nil:
		return []string{"charge", "transfer"}
	}
	return s.variant.Operations
}

// outcome is what a plan came to at a service.
type outcome struct {
	showing
	defect string // "": the sound one
	report checkers.Report
	lines  string
	err    error
}

// atSeats runs each plan at a seat of its own, several side by side.
func atSeats(t *testing.T, all []*outcome, sit func() seat) {
	t.Helper()
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, o := range all {
		plan, at := o.plan(t), sit()
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			var h history.History
			o.report, h, o.err = at.run(t, []scenarios.Plan{plan}, o.defect)
			o.lines = lines(h)
		})
	}
	group.Wait()
}

// yaml is what a user would write.
func (s seat) yaml(t *testing.T, defect string) string {
	addresses := []string{unusedAddress(), unusedAddress()}
	dsn, link := filepath.Join(t.TempDir(), "shop.db"), ""
	observed := "sqlite:" + dsn
	if s.db != "" {
		u, err := url.Parse(s.db)
		if err != nil {
			t.Error(err)
			return ""
		}
		observed, link = s.db, fmt.Sprintf("\n  db: {protocol: postgres, to: %q}", u.Host)
		u.Host = "LINK"
		dsn = strings.Replace(u.String(), "LINK", "${link.db}", 1)
	}
	var workers strings.Builder
	for i, a := range addresses {
		fmt.Fprintf(&workers, "  api-%d:\n    run: [idemcheck, fixture, payments, --listen, %q, --db, %q, --provider, 'http://${link.card}', --claim, 2s, --defect, %q, --variant, %q]\n    points: %v\n    ready: GET http://%s/healthz\n",
			i+1, a, dsn, defect, s.variant.Name, s.points, a)
	}
	var operations, effects strings.Builder
	for _, b := range demoBlocks {
		if slices.Contains(s.tried(), b.name) || b.name == "charge" {
			operations.WriteString(strings.ReplaceAll(b.operation, "FIND", ""))
			effects.WriteString(strings.NewReplacer("DATABASE", observed, "ALONE", "false").Replace(b.effects))
		}
	}
	return fmt.Sprintf("target: [http://%s, http://%s]\ncontract: %s\nsettle: {bound: 3s}\n%s%seffects:\n%slinks:\n  card: {protocol: http, to: provider/card-charge}%s\nworkers:\n%s",
		addresses[0], addresses[1], cmp.Or(s.variant.Contract, payments.Contract), demoHead, &operations, &effects, link, &workers)
}

// TestEveryScenarioBeside runs each against a broken service, which it rejects by
// the rule that is meant, and against the sound one.
func TestEveryScenarioBeside(t *testing.T) {
	unraced(t)
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("takes half a minute, and processes of Unix: leave out -short")
	}
	server := needPostgres(t)
	var all []*outcome
	for _, s := range eachNth(beside, amount(2, 1, 1)) {
		for _, defect := range slices.Compact([]string{"", s.defect}) {
			all = append(all, &outcome{showing: s, defect: defect})
		}
	}
	atSeats(t, all, func() seat { return seat{db: database(t, server)} })
	for _, o := range all {
		t.Run(o.name()+"/"+o.defect, func(t *testing.T) {
			name, rule := firstFailure(o.report)
			switch {
			case o.err != nil:
				t.Fatal(o.err)
			case o.defect != "" && rule != o.rule:
				t.Errorf("%s must break %s: it broke %q in %q\n%s\n%s", o.defect, o.rule, rule, name, tellAll(o.report), o.lines)
			case o.defect == "" && o.report.Verdict() != checkers.Pass:
				t.Errorf("the sound one must pass:\n%s\n%s", tellAll(o.report), o.lines)
			}
		})
	}
}

// TestScenariosAtPoints runs them where there are points of code in place of a
// link to the database: those that need no such link judge as they do with it.
func TestScenariosAtPoints(t *testing.T) {
	unraced(t)
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("takes half a minute, and processes of Unix: leave out -short")
	}
	var all []*outcome
	for _, s := range eachNth(beside, amount(4, 1, 1)) {
		if all = append(all, &outcome{showing: s}); s.defect != "" {
			all = append(all, &outcome{showing: s, defect: s.defect})
		}
	}
	all = slices.DeleteFunc(all, func(o *outcome) bool {
		return o.defect != "" && slices.ContainsFunc(payments.Windows, func(d payments.Defect) bool { return d.Name == o.defect && d.NeedsPostgres })
	})
	atSeats(t, all, func() seat { return seat{points: true} })
	for _, o := range all {
		t.Run(o.name()+"/"+o.defect, func(t *testing.T) {
			if o.err != nil {
				t.Fatal(o.err)
			}
			if _, rule := firstFailure(o.report); o.defect != "" && rule != o.rule {
				t.Errorf("%s must break %s: it broke %q\n%s\n%s", o.defect, o.rule, rule, tellAll(o.report), o.lines)
			}
			for _, c := range o.report.Cases {
				if o.defect == "" && c.Verdict != checkers.Pass && !strings.Contains(c.Skipped, "links: {db:") {
					t.Errorf("the sound one must pass:\n%s\n%s", tellAll(o.report), o.lines)
				}
			}
		})
	}
}

// TestSoundVariantsBeside holds that no sound design is accused when its
// processes are killed and its links break.
func TestSoundVariantsBeside(t *testing.T) {
	unraced(t)
	if os.Getenv("IDEMCHECK_LONG") == "" {
		t.Skip("takes minutes: set IDEMCHECK_LONG=1")
	}
	server := needPostgres(t)
	var plans []scenarios.Plan
	for _, s := range beside {
		plans = append(plans, s.plan(t))
	}
	for _, v := range payments.Variants {
		t.Run(v.Name, func(t *testing.T) {
			r, h, err := seat{db: database(t, server), variant: v}.run(t, plans, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range r.Cases {
				t.Log(c.Name, c.Verdict, c.Skipped)
				if c.Verdict != checkers.Pass && c.Skipped == "" {
					t.Errorf("%s%s", tell(c), linesOf(h, c.Name))
				}
			}
		})
	}
}

// lines are the events of the cases in short.
func lines(h history.History) string { return linesOf(h, "") }

// linesOf are those of one case; "": of all.
func linesOf(h history.History, name string) string {
	var b strings.Builder
	for _, e := range h.Events {
		if (e.Case == name || name == "") && e.Case != history.CaseCalibration && e.Name != history.MarkCase {
			fmt.Fprintf(&b, "%7.1f %-10s %-13s %-8s %-28s %s %d %s %s\n", float64(e.At)/1e6, e.Op, e.Actor, e.Kind, e.Name, e.Status, e.Count, e.Cause, e.Attrs[history.AttrMoment])
		}
	}
	return b.String()
}
