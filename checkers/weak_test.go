package checkers

import (
	"slices"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// calibrateWith is a service that answers with what answer makes of a number.
func (b *book) calibrateWith(answer func(n string) []string) {
	in := b.in
	b.in = history.CaseCalibration
	for _, n := range []string{"1", "2"} {
		what := answer(n)
		tryPlain(b, "c-"+n, what)
		b.seen("c-"+n, 1)
		if n == "2" {
			tryPlain(b, "c-"+n, what)
		}
	}
	b.in = in
}

// Another identity is suspect wherever the answers show it: in XML, in a text, in
// the Location alone.
func TestAnotherIdentityWithoutJSON(t *testing.T) {
	for name, answer := range map[string]func(n string) []string{
		"xml":      func(n string) []string { return []string{"<charge><id>ch-" + n + "</id><state>paid</state></charge>"} },
		"text":     func(n string) []string { return []string{"Your charge is ch-" + n + ". Thank you."} },
		"location": func(n string) []string { return []string{"header.location=/charges/" + n} },
	} {
		for _, again := range []string{"7", "8"} {
			b := newBook(rows1)
			b.calibrateWith(answer)
			b.open("x/charge", "same-answer", "exactly-once")
			tryPlain(b, "r-1", answer("7"))
			tryPlain(b, "r-1", answer(again))
			b.seen("r-1", 1)
			r := Judge(b.done(), stated(t))
			want := map[string]Verdict{"7": Pass, "8": Inconclusive}[again]
			if r.Verdict() != want {
				t.Errorf("%s, then %s: %s, want %s\n%s%v", name, again, r.Verdict(), want, findings(r), r.Calibration["charge"].Telling)
			}
		}
	}
}

func tryPlain(b *book, id string, what []string) {
	f := b.begin(id)
	if strings.HasPrefix(what[0], "header.") {
		b.end(f, "201", what...)
		return
	}
	b.end(f, "201")
	e := &b.h.Events[len(b.h.Events)-1]
	e.Body, e.Answer = what[0], what[0]
}

func TestWordsOfATextKeepTheirPlace(t *testing.T) {
	for _, text := range []string{"3 items; charge ch_1.", "one more thing: charge ch_1", `<charge id="x">ch_1`, "charge=ch_1&a=b"} {
		if v, n := pick(text, []string{"/charge"}); n != 1 || v[0] != "ch_1" && v[0] != "id" {
			t.Errorf("%q: %q", text, v)
		}
	}
	for text, want := range map[string]bool{"": false, "{}": false, "12": false, " true": false, "base64:AAA": false, "<a/>": true, "thanks": true} {
		if noJSON(text) != want {
			t.Errorf("noJSON(%q) is not %v", text, want)
		}
	}
}

func TestCurrentNeedsATellingField(t *testing.T) {
	stories(t, []story{
		{name: "the repeat names nothing", rules: "same-answer,exactly-once", contract: []string{"replay=current"}, verdict: Inconclusive,
			want: "in which no field names the operation", tell: func(b *book) {
				b.try("r-1", "201", `{"id":"ch_1"}`)
				b.try("r-1", "200", `{"status":"paid"}`)
				b.seen("r-1", 1)
			}},
		{name: "it names it beside a new state", rules: "same-answer,exactly-once", contract: []string{"replay=current"}, tell: func(b *book) {
			b.try("r-1", "201", `{"id":"ch_1"}`)
			b.try("r-1", "200", `{"id":"ch_1","status":"paid"}`)
			b.seen("r-1", 1)
		}},
		{name: "a condition that no longer holds", rules: "same-answer,exactly-once", want: "note: charge r-1 was accepted (200), and its repeat was answered 412", tell: func(b *book) {
			b.try("r-1", "200")
			b.try("r-1", "412")
			b.seen("r-1", 1)
		}},
		{name: "unless a replay is stated", rules: "same-answer,exactly-once", contract: []string{"replay=verbatim"}, verdict: Fail, want: "refused (412)", tell: func(b *book) {
			b.try("r-1", "200")
			b.try("r-1", "412")
			b.seen("r-1", 1)
		}},
	})
}

func TestLinesTakenOut(t *testing.T) {
	b := newBook(rows1)
	b.calibrate("charge")
	b.open("x/charge", "exactly-once")
	b.try("r-1", "201")
	b.seen("r-1", 1)
	h := b.done()
	if r := Judge(h, stated(t)); r.Verdict() != Pass {
		t.Fatal(findings(r))
	}
	h.Events = slices.Delete(slices.Clone(h.Events), 4, 5)
	if r := Judge(h, stated(t)); r.Verdict() != Inconclusive || !strings.Contains(findings(r), "event 6 stands where 5 must") {
		t.Errorf("%s\n%s", r.Verdict(), findings(r))
	}
}

func TestOneReasonForAFailedCalibration(t *testing.T) {
	b := newBook(rows1)
	b.open("x/charge", "exactly-once")
	b.mark(history.MarkError, "", "cause=calibration: charge answered 401")
	if got := findings(Judge(b.done(), stated(t))); strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
}

// What met a fault at its COMMIT and was answered ok is told so, if the COMMIT was
// not done and was its own.
func TestLostAtCommit(t *testing.T) {
	for _, c := range []struct {
		fault   string
		overlap bool
		want    string
	}{
		{"cut", false, "the try met cut at db COMMIT, and was answered as if the commit had gone through."},
		{"refuse", false, "the try met refuse at db COMMIT, and was answered as if the commit had gone through."},
		{"lose-reply", false, ""},
		{"hold", false, ""},
		{"cut", true, ""},
	} {
		b := newBook(rows1)
		b.calibrate("charge")
		b.open("commit-cut/charge", "exactly-once")
		a := b.begin("r-1")
		b.add(history.Event{Kind: history.Fault, Op: "r-1", Name: c.fault, Attrs: map[string]string{history.AttrArg: "db COMMIT"}})
		if c.overlap {
			b.end(b.begin("r-1"), "201", one)
		}
		b.end(a, "201", one)
		b.seen("r-1", 0)
		r := Judge(b.done(), stated(t))
		i := slices.IndexFunc(r.Cases, func(c Case) bool { return len(c.Violations) > 0 })
		if i < 0 || r.Cases[i].Violations[0].Cause != c.want {
			t.Errorf("%+v: %+v", c, r.Cases)
		}
	}
}
