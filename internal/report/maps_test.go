package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
)

// atlas makes runs of maps by hand.
type atlas struct {
	*book
	run Run
	n   int

	operation string
}

func newAtlas() *atlas {
	b := newBook("r7k2m9")
	b.h.Header.Observers = []history.Observer{{Name: "card", Kind: "provider", By: "id", Say: "Order ${id} was charged"}}
	return &atlas{book: b, n: 11, operation: "charge", run: Run{Dir: ".idemcheck/r7k2m9", Took: 4100 * time.Millisecond, File: "idemcheck.yaml"}}
}

func (a *atlas) done() Run {
	a.run.History = a.h
	return a.run
}

// chart adds a map. A row is the name of a moment ("~" behind it: it comes
// sometimes; "@" before it: a point) and its five cells: "." was not run, "-"
// is not there, "=" equals the window that a kill at the neighbour is.
func (a *atlas) chart(worker string, links []string, rows ...string) {
	m := scenarios.Map{Operation: a.operation, Worker: worker, Links: links}
	var words [][]string
	for _, row := range rows {
		name, cells, _ := strings.Cut(row, "|")
		name, words = strings.TrimSpace(name), append(words, strings.Fields(cells))
		plain, sometimes := strings.CutSuffix(name, " ~")
		plain, point := strings.CutPrefix(plain, "@")
		m.Moments = append(m.Moments, scenarios.Moment{Name: plain, Sometimes: sometimes, Point: point})
	}
	for i := range m.Moments {
		for j, column := range mapColumns {
			w := scenarios.Window{Moment: i, Column: column}
			switch word := words[i][j]; {
			case word == "-":
				w.None = true
			case word == "=" && column == "kill before":
				w.Equal = (i-1)*5 + 3 + 1
			case word == "=":
				w.Equal = (i+1)*5 + 1 + 1
			case word != ".":
				w.Word, w.Note, _ = strings.Cut(word, ",")
				a.window(m, &w)
			}
			m.Windows = append(m.Windows, w)
		}
	}
	a.run.Maps = append(a.run.Maps, m)
}

// window records what happened in one window, and its verdict.
func (a *atlas) window(m scenarios.Map, w *scenarios.Window) {
	a.n++
	op, moment := fmt.Sprintf("r7k2m9-%d", a.n), m.Moments[w.Moment]
	w.Case = fmt.Sprintf("map/%s/%s", m.Operation, windowName(*w))
	a.case_ = w.Case
	c := checkers.Case{Name: w.Case, Scenario: "map", Operation: m.Operation, Fired: 1, Asked: 1}
	if w.Word == "?" {
		c.Fired, c.NotFired = 0, []string{"held"}
	}
	witness := a.delivered(op, *w, moment)
	switch w.Word {
	case "pass":
		w.Verdict = checkers.Pass
	case "?":
		w.Verdict, w.Reason = checkers.Inconclusive, "the moment did not come in this try"
		c.Violations = []checkers.Violation{{Rule: "fired", Verdict: w.Verdict, Op: op, Reason: "held was asked for and did not fire: the moment did not come."}}
	default:
		w.Verdict = checkers.Fail
		v := checkers.Violation{Rule: "at-most-once", Verdict: checkers.Fail, Op: op, Witnesses: []int64{witness},
			Reason: "Order " + op + " was charged 2 times at card. One charge was allowed.",
			Cause:  fmt.Sprintf("the second try called the provider under a new key (p-%d, p-%d).", a.n, a.n+100),
			Cure:   "make the provider's key from the order or from the caller's key, before the first call."}
		if w.Word == "STUCK" {
			v = checkers.Violation{Rule: "progress", Verdict: checkers.Fail, Op: op, Witnesses: []int64{witness},
				Reason: "Order " + op + " was refused 30 s long after the worker had died: nobody can finish it."}
		}
		if w.Moment > 1 && w.Word == "TWICE" {
			v.Cause = "an earlier try took effect but left no mark of it that the next try could find."
			v.Cure = "store the key in the same transaction as the effect, and before calling anything outside."
		}
		w.Reason = v.Reason
		c.Violations = []checkers.Violation{v}
	}
	c.Verdict = w.Verdict
	a.run.Report.Cases = append(a.run.Report.Cases, c)
	a.run.Report.Attempts += 2
}

// delivered records an operation that is struck in a window and sent again.
func (a *atlas) delivered(op string, w scenarios.Window, moment scenarios.Moment) (last int64) {
	at := a.n * 1000
	kills := columnOf(w).Kills
	send := func(ms, n int, end history.Kind, status, body string) {
		a.add(ms, history.Event{Kind: history.Invoke, Op: op, Name: a.operation, Key: "3f1c77aa", Attempt: n, Actor: "client",
			Payload: "p", Attrs: map[string]string{history.AttrRequest: "POST /" + a.operation + "s", history.AttrRaw: "p"}})
		a.add(ms+1, history.Event{Kind: history.Moment, Op: op, Name: "db INSERT keys", Actor: "link/db", Attrs: map[string]string{"phase": "before", "text": "insert into keys values ($1)"}})
		a.add(ms+2, history.Event{Kind: history.Moment, Op: op, Name: "db INSERT keys", Actor: "link/db", Attrs: map[string]string{"phase": "after", "reply": "INSERT 0 1"}})
		last = a.add(ms+4, history.Event{Kind: history.Effect, Op: op, Name: "card", Actor: "provider/card", Key: fmt.Sprintf("p-%d", a.n+100*(n-1)), Count: n})
		if n == 1 {
			a.strike(ms+6, op, w, moment, kills)
		}
		a.add(ms+9, history.Event{Kind: end, Op: op, Name: a.operation, Key: "3f1c77aa", Attempt: n, Actor: "client", Status: status, Body: body})
	}
	send(at, 1, history.Unknown, "reset", "")
	if kills {
		a.add(at+31, history.Event{Kind: history.Mark, Op: op, Name: history.MarkRestart, Actor: "worker/api"})
	}
	send(at+58, 2, history.OK, "201", `{"id":"ch_2"}`)
	return last
}

func (a *atlas) strike(ms int, op string, w scenarios.Window, moment scenarios.Moment, kills bool) {
	if w.Word == "?" {
		return
	}
	a.add(ms, history.Event{Kind: history.Moment, Op: op, Name: moment.Name, Actor: actorOfMoment(moment), Attrs: map[string]string{"phase": "before"}})
	if w.Column == "lose reply" || w.Column == "kill after" {
		a.add(ms+1, history.Event{Kind: history.Moment, Op: op, Name: moment.Name, Actor: actorOfMoment(moment), Attrs: map[string]string{"phase": "after", "reply": replies[strings.Fields(moment.Name)[0]]}})
	}
	a.add(ms+1, history.Event{Kind: history.Fault, Op: op, Name: strings.ReplaceAll(w.Column, " ", "-"), Actor: "idemcheck", Attrs: map[string]string{history.AttrArg: moment.Name}})
	if kills {
		a.add(ms+2, history.Event{Kind: history.Mark, Op: op, Name: history.MarkKilled, Actor: "worker/api"})
	}
}

var replies = map[string]string{"db": "INSERT 0 1", "card": "201"}

func actorOfMoment(m scenarios.Moment) string {
	if m.Point {
		return "point"
	}
	link, _, _ := strings.Cut(m.Name, " ")
	return "link/" + link
}

// cleanRun is one of the cases from which a map learns.
func cleanRun(operation string) checkers.Case {
	return checkers.Case{Name: "map/" + operation + "/clean 1", Scenario: "map", Operation: operation, Verdict: checkers.Pass}
}

// mapped are runs of maps as they come.
func mapped() map[string]Run {
	all := map[string]Run{}
	tell := func(name string, draw func(a *atlas)) {
		a := newAtlas()
		draw(a)
		all[name] = a.done()
	}
	both := []string{"db (postgres)", "card (http)"}
	tell("map-broken", func(a *atlas) {
		a.chart("api", both,
			"db INSERT keys       | pass  pass  pass  =     ?",
			"card POST /v1/charges| pass  pass  TWICE TWICE pass,waited",
			"db INSERT charges    | TWICE =     TWICE =     pass,waited",
			"db COMMIT            | TWICE TWICE pass  pass  pass,waited")
	})
	tell("map-sound", func(a *atlas) {
		a.chart("api", both,
			"db INSERT keys       | pass pass pass = pass,waited",
			"card POST /v1/charges| pass pass pass pass pass,waited",
			"db COMMIT            | pass pass pass pass pass,waited")
	})
	tell("map-points", func(a *atlas) {
		a.chart("api", nil,
			"@before-effect   | - pass  - - pass",
			"@after-effect    | - TWICE - - pass,waited",
			"@after-effect #2 | - STUCK - - ?")
	})
	tell("map-mixed", func(a *atlas) {
		a.chart("api", both,
			"db BEGIN                   | . . . . .",
			"db INSERT charges #2       | pass TWICE . = STUCK",
			"db SELECT idempotency_keys ~| . = pass . ?",
			"card GET /v1/charges/{id} ~| pass pass LOST WRONG ?")
		m := &a.run.Maps[0]
		m.Idle = []string{"db SELECT jobs", "db UPDATE heartbeats"}
		m.Windows[6].Note, m.Windows[15].Note = "2 of 5", "came 3 of 5, waited"
		a.run.Report.Cases = append(a.run.Report.Cases, skipped("map/charge/1 cut", "the map reached its limit of 10m0s (limits: run)"))
		m.Windows[0].Case = "map/charge/1 cut"
		m.Windows[0+1].Equal = 1
	})
	tell("map-two", func(a *atlas) {
		a.chart("api", both, "db INSERT keys | pass pass pass pass pass", "db COMMIT | TWICE TWICE pass pass ?")
		a.operation = "refund"
		a.chart("api", both[:1], "db COMMIT | TWICE pass pass pass pass")
		a.run.Lines = map[string]int{"charge": 4, "refund": 9}
		a.run.Accept = []Accept{{Case: "map/refund", Rule: "at-most-once", Reason: "PAY-77", Until: a.h.Header.Start.AddDate(0, 1, 0), Line: 12}}
		a.run.Report.Cases = append(a.run.Report.Cases, cleanRun("charge"), cleanRun("refund"), pass("rule/no order twice"))
	})
	tell("map-ended", func(a *atlas) {
		a.chart("api", both, "db COMMIT | pass . pass . .")
		a.run.Report.Cases = append(a.run.Report.Cases, checkers.Case{Name: "map/charge/1 held", Scenario: "map", Operation: "charge", Skipped: "terminated signal received"})
		a.run.Maps[0].Windows[4].Case = "map/charge/1 held"
		a.run.Report.Problems = []string{"terminated signal received"}
	})
	tell("map-nothing", func(a *atlas) {
		a.chart("api", both)
		a.run.Report.Cases = append(a.run.Report.Cases, with1(cleanRun("charge"),
			checkers.Violation{Rule: "calibration", Verdict: checkers.Inconclusive, Reason: "calibration: charge answered 400."}))
	})
	tell("map-no-worker", func(a *atlas) {
		a.chart("", both,
			"db INSERT keys       | pass . pass . pass",
			"card POST /v1/charges| pass . TWICE . pass,waited")
	})
	tell("map-long", func(a *atlas) {
		a.chart("payments-api-with-a-very-long-name", []string{"the-database-of-payments (postgres)", "card (http)"},
			"the-database-of-payments INSERT a_schema_with_a_name.idempotency_keys_of_all_tenants_2026 | pass pass pass = pass,waited",
			"card POST /v1/customers/{customer}/payment_methods/{method}/charges #12 ~| pass pass TWICE TWICE pass,waited",
			"card "+strings.Repeat("/注文", 30)+"\x1b[31m<b>|pass pass pass pass pass")
	})
	tell("map-forty", func(a *atlas) {
		var rows []string
		for i := range 40 {
			cells := "pass pass pass pass pass,waited"
			if i > 0 && i%9 == 0 {
				cells = "TWICE TWICE STUCK pass ?"
			}
			rows = append(rows, fmt.Sprintf("db INSERT step_%02d |%s", i+1, cells))
		}
		a.chart("api", both[:1], rows...)
	})
	return all
}

// TestMapGolden holds what people read of maps.
func TestMapGolden(t *testing.T) {
	for name, r := range mapped() {
		t.Run(name, func(t *testing.T) {
			text := print(t, Text, r)
			golden(t, name+".txt", text)
			golden(t, name+".md", print(t, Markdown, r))
			if name == "map-broken" || name == "map-long" {
				golden(t, name+".xml", print(t, JUnit, r))
				golden(t, name+".sarif", print(t, SARIF, r))
			}
			for line := range strings.Lines(text) {
				if w := width(strings.TrimSuffix(line, "\n")); w > columns && !strings.Contains(line, "workers:") {
					t.Errorf("%d columns: %s", w, line)
				}
			}
		})
	}
}
