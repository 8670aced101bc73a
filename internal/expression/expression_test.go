package expression

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

var observers = []history.Observer{
	{Name: "charge-row", Kind: "sql", By: "id", Of: []string{"charge"}},
	{Name: "receipt", Kind: "smtp", By: "id", Of: []string{"charge"}},
	{Name: "refund-row", Kind: "sql", By: "id", Of: []string{"refund"}},
	{Name: "blind", Kind: "sql", By: "id", Of: []string{"charge"}},
}

// shop is a history of a charge r-1 that was sent twice and charged n times, and
// a refund.
func shop(n int, rules ...history.UserRule) history.History {
	h := history.History{Header: history.Header{Version: 1, Run: "r", Observers: observers, Rules: rules}}
	add := func(e history.Event) {
		e.Seq = int64(len(h.Events) + 1)
		e.At = e.Seq * 1e9
		h.Events = append(h.Events, e)
	}
	for _, r := range rules {
		add(history.Event{Kind: history.Mark, Name: history.MarkCase, Case: "rule/" + r.Name, Attrs: map[string]string{"scenario": "rule"}})
	}
	try := func(id, name string, attempt int, kind history.Kind, status, body string) {
		add(history.Event{Kind: history.Invoke, Case: "x/" + name, Op: id, Name: name, Key: "k-" + id, Attempt: attempt})
		add(history.Event{Kind: kind, Case: "x/" + name, Op: id, Name: name, Key: "k-" + id, Attempt: attempt, Status: status, Body: body})
	}
	try("r-1", "charge", 1, history.Unknown, "reset", "")
	try("r-1", "charge", 2, history.OK, "201", `{"id":"ch_1","amount":5}`)
	try("r-2", "refund", 1, history.Refused, "402", "{}")
	for name, count := range map[string]int{"charge-row": n, "receipt": n} {
		add(history.Event{Kind: history.Effect, Name: name, Op: "r-1", Count: count})
	}
	add(history.Event{Kind: history.Effect, Name: "refund-row", Op: "r-3", Count: 1})
	add(history.Event{Kind: history.Mark, Name: history.MarkEnd})
	return h
}

func TestJudge(t *testing.T) {
	const pass, fail, open = checkers.Pass, checkers.Fail, checkers.Inconclusive
	for _, c := range []struct {
		kind, text string
		n          int
		want       checkers.Verdict
		says       string
	}{
		{"each", `effects["charge-row"] <= 1`, 1, pass, ""},
		{"each", `effects["charge-row"] <= 1`, 2, fail, "never twice: not true of charge r-1 (case x/charge):   effects"},
		{"each", `accepted ? effects.receipt == 1 : true`, 1, pass, ""},
		{"each", `accepted ? effects.receipt == 1 : true`, 2, fail, "charge r-1"},
		{"each", `accepted ? effects.receipt == 1 : true`, 0, open, "Not to be relied on here: charge-row, receipt, blind"},
		{"each", `not (refused and accepted)`, 0, pass, ""},
		{"each", `effects.blind == 0`, 1, open, "Not to be relied on here: blind."},
		{"each", `attempts | filter(.outcome == "ok") | all(.answer.amount == 5)`, 1, pass, ""},
		{"each", `attempts | filter(.outcome == "ok") | all(.answer.amount == 6)`, 1, fail, "charge r-1"},
		{"each", `name != "refund" or attempts[0].status == 402 and attempts[0].took == 1.0 and attempts[0].word == "402"`, 1, pass, ""},
		{"each", `attempts[5].n == 6`, 1, open, "the expression broke"},
		{"expr", `all(operations, .effects["charge-row"] <= 1)`, 1, pass, ""},
		{"expr", `all(operations, .effects["charge-row"] <= 1)`, 2, fail, "not true of the run, of 2 operations"},
		{"expr", `operations | filter(.accepted) | all(.effects.receipt == 1)`, 1, pass, ""},
		{"expr", `sum(operations, .effects.receipt) == 1`, 1, pass, ""},
		{"expr", `count(operations, .name == "refund") == 1`, 1, pass, ""},
	} {
		r := history.UserRule{Name: "never twice", Kind: c.kind, Text: c.text}
		if err := Check(c.kind, c.text, observers); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		cs := Judge(shop(c.n, r), contract.Contract{}).Cases
		i := 0
		for i < len(cs)-1 && cs[i].Name != "rule/never twice" {
			i++
		}
		if got := cs[i]; got.Verdict != c.want || !strings.Contains(fmt.Sprint(got.Violations), c.says) {
			t.Errorf("%s with %d: %s %v, want %s %q", c.text, c.n, got.Verdict, got.Violations, c.want, c.says)
		}
	}
}

// Without its compiler a rule is not passed over.
func TestNotCompiled(t *testing.T) {
	h := shop(1, history.UserRule{Name: "x", Kind: "each", Text: "true"})
	if c := checkers.Judge(h, contract.Contract{}).Cases[0]; c.Verdict != checkers.Inconclusive {
		t.Errorf("%+v", c)
	}
	h = shop(1, history.UserRule{Name: "x", Kind: "each", Text: "nothing("})
	if c := Judge(h, contract.Contract{}).Cases[0]; c.Verdict != checkers.Inconclusive || !strings.Contains(c.Violations[0].Reason, "does not compile") {
		t.Errorf("%+v", c)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ kind, text, want string }{
		{"each", `effects["charge-rwo"] <= 1`, "line 1, column 9"},
		{"each", `effects.nothing <= 1`, "line 1, column 9"},
		{"each", "accepted and\n  acepted", "line 2, column 3"},
		{"each", `effects.receipt`, "expected bool"},
		{"each", `operations | all(true)`, "unknown name operations"},
		{"expr", `accepted`, "unknown name accepted"},
		{"each", `all(1..1000000000, true)`, "ranges"},
		{"each", `now() != now()`, "unknown name now"},
		{"each", `attempts | all(.key = 1)`, "line 1"},
		{"each", ``, "line 1, column 1"},
		{"each", `attempts[0].answer`, "bool"},
	} {
		err := Check(c.kind, c.text, observers)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestTooLong(t *testing.T) {
	for text, want := range map[string]int{
		`true`:                         0,
		`all(operations, .accepted)`:   1,
		`operations | all(.id != "x")`: 1,
		`all(operations, {let x = .id; count(operations, .id == x) == 1})`: 2,
	} {
		p, err := compile("expr", text, observers)
		if err != nil || p.depth != want {
			t.Errorf("%s: depth %d, want %d; %v", text, p.depth, want, err)
		}
		if (p.tooLong(10_000) != "") != (want == 2) {
			t.Errorf("%s: %q", text, p.tooLong(10_000))
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"true", "effects.receipt == 1", "all(attempts, .n > 0)", "a ?? b", "{let x = 1; x}", "1 in [1]", "'"} {
		f.Add(s)
	}
	h := shop(1)
	f.Fuzz(func(t *testing.T, text string) {
		h.Header.Rules = []history.UserRule{{Name: "x", Kind: "each", Text: text}}
		if len(text) < 1000 {
			Judge(h, contract.Contract{})
		}
	})
}
