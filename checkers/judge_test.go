package checkers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

func sound(b *book, id string) {
	b.try(id, "201")
	b.seen(id, 1)
}

// TestNotEarned holds what must never pass.
func TestNotEarned(t *testing.T) {
	for name, tt := range map[string]struct {
		tell func() history.History
		want string
	}{
		"empty": {func() history.History { return newBook(rows1).done() }, ""},
		"no observer": {func() history.History {
			b := newBook()
			b.calibrate("charge")
			b.open("plain/charge", "exactly-once")
			b.try("r-1", "201")
			return b.done()
		}, "Effects of charge were not judged: no observer counts them."},
		"an observer that never sees": {func() history.History {
			b := newBook(rows1)
			b.in = history.CaseCalibration
			b.try("r-1", "201")
			b.seen("r-1", 0)
			b.open("plain/charge", "exactly-once")
			sound(b, "r-2")
			return b.done()
		}, "charge-row showed 0 effects for r-1, 1 was expected."},
		"an observer that was never read": {func() history.History {
			b := newBook(rows1)
			b.in = history.CaseCalibration
			b.try("r-1", "201")
			b.open("plain/charge", "exactly-once")
			sound(b, "r-2")
			return b.done()
		}, "charge-row was never read for r-1"},
		"an observer without calibration that saw nothing": {func() history.History {
			b := newBook(rows1)
			b.open("plain/charge", "exactly-once")
			b.try("r-2", "402")
			b.seen("r-2", 0)
			return b.done()
		}, "never showed an effect of charge"},
		"calibration failed": {func() history.History {
			b := newBook(rows1)
			b.in = history.CaseCalibration
			b.try("r-1", "500")
			b.open("plain/charge", "same-answer")
			sound(b, "r-2")
			return b.done()
		}, "charge r-1, sent without any fault, ended with 500."},
		"a fault that did not fire": {func() history.History {
			b := newBook(rows1)
			b.calibrate("charge")
			b.open("lost-answer/charge", "exactly-once")
			b.mark(history.MarkArmed, "r-1", "fault=lose-answer")
			sound(b, "r-1")
			return b.done()
		}, "lose-answer was asked for and did not fire."},
		"overlaps that did not come about": {func() history.History {
			b := newBook(rows1)
			b.calibrate("charge")
			b.open("overlap/charge", "exactly-once")
			b.mark(history.MarkArmed, "", "fault=overlap", "need=3")
			for i := range 4 {
				b.begin(fmt.Sprint("r-", i), fmt.Sprint("together=t", i))
				b.seen(fmt.Sprint("r-", i), 1)
			}
			b.add(history.Event{Kind: history.Fault, Name: "overlap"})
			return b.done()
		}, "overlap was asked for in 4 rounds and came about in 1: 3 are needed."},
		"the tool failed": {func() history.History {
			b := newBook(rows1)
			b.calibrate("charge")
			b.open("plain/charge", "exactly-once")
			sound(b, "r-1")
			b.mark(history.MarkError, "", "cause=charge-row: no such table")
			return b.done()
		}, "charge-row: no such table."},
		"cut short": {func() history.History {
			b := newBook(rows1)
			b.calibrate("charge")
			b.open("plain/charge", "exactly-once")
			sound(b, "r-1")
			return b.h
		}, "The history was cut short here."},
		"nothing sent": {func() history.History {
			b := newBook(rows1)
			b.calibrate("charge")
			b.open("plain/charge")
			return b.done()
		}, "No operation was sent."},
		"no such rule": {func() history.History {
			b := newBook(rows1)
			b.calibrate("charge")
			b.open("plain/charge", "exactly-twice")
			sound(b, "r-1")
			return b.done()
		}, "No rule is named exactly-twice."},
		"all skipped": {func() history.History {
			b := newBook(rows1)
			b.in = "other-scope/charge"
			b.mark(history.MarkSkipped, "", "cause=only one scope is known")
			return b.done()
		}, ""},
	} {
		r := Judge(tt.tell(), stated(t))
		if got := findings(r); r.Verdict() != Inconclusive || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want inconclusive with %q:\n%s", name, r.Verdict(), tt.want, got)
		}
	}
}

func TestRuleThatPanics(t *testing.T) {
	b := newBook(rows1)
	b.calibrate("charge")
	b.open("plain/charge")
	sound(b, "r-1")
	bad := Rule{Name: "bad", Group: func(Group) []Violation { panic("index out of range") }}
	r := Judge(b.done(), stated(t), bad, AtMostOnce)
	if got := findings(r); r.Verdict() != Inconclusive || !strings.Contains(got, "The rule bad broke down: index out of range.") {
		t.Errorf("%s\n%s", r.Verdict(), got)
	}
}

func TestReport(t *testing.T) {
	b := newBook(rows1)
	b.h.Header.Contract = `{"name":"mine","mismatch":{"values":["422"],"confidence":"stated"}}`
	b.calibrate("charge")
	b.open("lost-answer/charge", "exactly-once")
	b.mark(history.MarkArmed, "r-1", "fault=lose-answer")
	f := b.begin("r-1")
	b.add(history.Event{Kind: history.Fault, Name: "lose-answer", Op: "r-1", Case: "-"}).Case = "" // from a provider
	b.end(f, "reset")
	b.try("r-1", "201")
	b.seen("r-1", 2)
	b.open("changed-payload/charge", "changed-payload-refused")
	b.try("r-2", "201")
	b.try("r-2", "400", "variant=/amount", "payload=x", "raw=x")
	b.in = "other-scope/charge"
	b.mark(history.MarkSkipped, "", "cause=only one scope is known")
	r := Judge(b.done(), contract.Contract{})
	failed, inconclusive, passed, skipped := r.Counts()
	if failed != 2 || inconclusive != 0 || passed != 0 || skipped != 1 || r.Verdict() != Fail {
		t.Errorf("%d %d %d %d %s\n%s", failed, inconclusive, passed, skipped, r.Verdict(), findings(r))
	}
	c := r.Cases[0]
	if c.Scenario != "lost-answer" || c.Operation != "charge" || c.Fired != 1 || c.Asked != 1 || len(c.NotFired) > 0 {
		t.Errorf("%+v", c)
	}
	v := c.Violations[0]
	if v.Cause == "" || v.Cure == "" || v.Case != c.Name || len(v.Witnesses) == 0 {
		t.Errorf("%+v", v)
	}
	if r.Cases[2].Skipped != "only one scope is known" || r.Cases[2].Scenario != "other-scope" || r.Attempts != 7 || r.Faults != 1 {
		t.Errorf("%+v %d %d", r.Cases[2], r.Attempts, r.Faults)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// TestOnlyTested leaves out what only ran before.
func TestOnlyTested(t *testing.T) {
	b := newBook(history.Observer{Name: "charge-row", Kind: "sql", By: "id", Of: []string{"charge"}})
	b.calibrate("charge")
	b.open("plain/charge")
	b.try("r-0", "201", "name=create_customer")
	sound(b, "r-1")
	if r := Judge(b.done(), stated(t)); r.Verdict() != Pass {
		t.Error(findings(r))
	}
}

func TestEffectsNone(t *testing.T) {
	b := newBook()
	b.h.Header.Effects = "none"
	b.calibrate("charge")
	b.open("plain/charge")
	b.try("r-1", "201", one)
	b.try("r-1", "201", one)
	if r := Judge(b.done(), stated(t)); r.Verdict() != Pass {
		t.Error(findings(r))
	}
	b.try("r-1", "201", two)
	if r := Judge(b.done(), stated(t)); r.Verdict() != Inconclusive {
		t.Error("another id in a repeat is suspect where only answers are judged")
	}
}

func TestUserRules(t *testing.T) {
	for _, tt := range []struct {
		before, after int
		want          Verdict
		text          string
	}{
		{0, 0, Pass, ""},
		{0, 2, Fail, `2 rows after the run: {"id":1}, {"id":2}.`},
		{1, 2, Inconclusive, "1 row before the run"},
		{0, -1, Inconclusive, "not read after the run"},
		{-1, 0, Inconclusive, "not read before the run"},
	} {
		b := newBook()
		b.in = "rule/no order twice"
		for i, n := range []int{tt.before, tt.after} {
			if n >= 0 {
				b.add(history.Event{Kind: history.State, Name: "no order twice", Count: n, Body: "{\"id\":1}\n{\"id\":2}\n"[:9*n],
					Attrs: map[string]string{"when": []string{"before", "after"}[i]}})
			}
		}
		r := Judge(b.done(), stated(t))
		if got := findings(r); r.Verdict() != tt.want || !strings.Contains(got, tt.text) {
			t.Errorf("%+v: %s\n%s", tt, r.Verdict(), got)
		}
	}
}

func TestUserRuleNamesCases(t *testing.T) {
	b := newBook()
	b.open("double-click/charge", "at-most-once")
	b.try("r-1", "201", one)
	b.try("r-10", "201", one)
	b.in = "rule/no order twice"
	b.add(history.Event{Kind: history.State, Name: "no order twice", Attrs: map[string]string{"when": "before"}})
	b.add(history.Event{Kind: history.State, Name: "no order twice", Count: 1, Body: `{"id":"r-10"}`, Attrs: map[string]string{"when": "after"}})
	got := findings(Judge(b.done(), stated(t)))
	if want := `1 row after the run: {"id":"r-10"}. r-10 was sent by double-click/charge.`; !strings.Contains(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestObserved(t *testing.T) {
	b := newBook(rows1)
	b.calibrate("charge")
	b.open("x/charge", "at-most-once")
	b.try("r-1", "201", one)
	b.try("r-1", "201", one, "header.idempotent-replayed=true")
	b.try("r-1", "422", "variant=/amount", "payload=x", "raw=x")
	b.try("r-1", "400", "key=", "keyless=dropped")
	b.seen("r-1", 1)
	x, y := b.begin("r-2"), b.begin("r-2")
	b.end(x, "409")
	b.end(y, "201", two)
	b.seen("r-2", 1)
	h := b.done()
	want := []string{"repeat verbatim", "changed payload 422", "in flight 409, no Retry-After", "missing key 400", "replay marked Idempotent-Replayed", "looks like ietf"}
	if r := Judge(h, stated(t)); !slices.Equal(r.Observed, want) {
		t.Errorf("%q", r.Observed)
	}
	if r := Judge(h, stated(t, "replay=verbatim", "mismatch=422", "in_flight=409", "missing=400", "marker=none")); len(r.Observed) > 0 {
		t.Errorf("what is judged is not observed: %q", r.Observed)
	}
}

func TestCalibrate(t *testing.T) {
	b := newBook(rows1, card)
	b.in = history.CaseCalibration
	call := func(id, at, answer string) {
		d, _ := time.ParseDuration(at)
		f := b.begin(id, "at="+at)
		b.end(f, "201", answer, "at="+(d+12*time.Millisecond).String())
	}
	answer := func(request, id, amount string) string {
		return `{"meta":{"request_id":"` + request + `","node":"n1"},"data":[{"id":"` + id + `","at":"2026-01-0` + amount + `T10:00:00Z","fee":` + amount + `,"order":"r-` + amount + `"}]}`
	}
	call("r-1", "1ms", answer("q1", "ch_1", "1"))
	b.add(history.Event{Kind: history.Effect, Name: "charge-row", Op: "r-1", Count: 1, At: int64(600 * time.Millisecond)})
	b.effect(card, "r-1", 1)
	call("r-2", "700ms", answer("q2", "ch_2", "2"))
	b.effect(rows1, "r-2", 1)
	b.effect(card, "r-2", 1)
	call("r-2", "800ms", answer("q3", "ch_2", "2"))
	b.effect(card, "r-2", 2) // what the repeat did is not measured here
	c := Calibrate(b.done())["charge"]
	if !slices.Equal(c.Telling, []string{"/data/0/id"}) || !slices.Equal(c.Volatile, []string{"/meta/request_id"}) {
		t.Errorf("telling %q, volatile %q", c.Telling, c.Volatile)
	}
	if c.Effects["charge-row"] != 1 || c.Effects["card-charge"] != 1 || len(c.Blind) > 0 || c.Failed != "" {
		t.Errorf("%+v", c)
	}
	if c.Handler != 12*time.Millisecond || c.Latency != 587*time.Millisecond {
		t.Errorf("handler %v, latency %v", c.Handler, c.Latency)
	}
}

func TestLikeIdentity(t *testing.T) {
	for _, tt := range []struct {
		pointer, value string
		str, want      bool
	}{
		{"/id", "17", false, true}, {"/charge/id", "ch_1", true, true}, {"/chargeId", "77", true, true}, {"/reference", "AB", true, true},
		{"/charge", "ch_1", true, true}, {"/x", "f47ac10b-58cc-4372-a567-0e02b2c3d479", true, true}, {"/x", "<hmac:1a2b3c4d>", true, true},
		{"/fee", "12", false, false}, {"/paid", "true", false, false}, {"/created", "2026-01-01T10:00:00Z", true, false}, {"/x", "EUR 3.20", true, false},
		{"/amount", "3.20", true, false}, {"/status", "paid", true, false}, {"/id", "null", false, false}, {"/paid", "17", false, false},
	} {
		if got := likeIdentity(tt.pointer, tt.value, tt.str); got != tt.want {
			t.Errorf("likeIdentity(%s, %s) = %v", tt.pointer, tt.value, got)
		}
	}
}

func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b/~":"x\n\"y"}],"c":null}`, `[1,2`, `"x"`, `{"a"`, `{`, strings.Repeat("[", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := 0
		walk(s, func([]byte, string, bool) bool { n++; return true })
		var v any
		if json.Unmarshal([]byte(s), &v) == nil && depth(v) < maxDepth {
			if want := leaves(v); want >= 0 && n < want {
				t.Errorf("%d scalars of %d in %q", n, want, s)
			}
		}
		pick(s, []string{"/a/1/b~1~0", ""})
	})
}

func depth(v any) (d int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d = max(d, 1+depth(e))
		}
	case map[string]any:
		for _, e := range v {
			d = max(d, 1+depth(e))
		}
	}
	return d
}

func leaves(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += leaves(e)
		}
		return n
	case map[string]any:
		for _, e := range v {
			n += leaves(e)
		}
		return n
	}
	return 1
}
