package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with testdata/NAME.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; if the new text is better: go test ./internal/report -update\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// TestGolden holds every text of every story.
func TestGolden(t *testing.T) {
	for name, r := range stories() {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", print(t, Text, r))
			golden(t, name+".json", print(t, JSON, r))
			junit := print(t, JUnit, r)
			golden(t, name+".xml", junit)
			golden(t, name+".md", print(t, Markdown, r))
			golden(t, name+".sarif", print(t, SARIF, r))
			var any struct{ XMLName xml.Name }
			if err := xml.Unmarshal([]byte(junit), &any); err != nil {
				t.Errorf("JUnit is no XML: %v", err)
			}
		})
	}
}

func print(t *testing.T, f func(io.Writer, Run) error, r Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What reaches a terminal is text: no control characters, no line beyond the width but YAML to copy.
func TestTextIsHarmless(t *testing.T) {
	for name, r := range stories() {
		for line := range strings.Lines(print(t, Text, r)) {
			if w := width(strings.TrimSuffix(line, "\n")); w > columns && !strings.HasPrefix(line, "  effects: ") {
				t.Errorf("%s: %d columns: %s", name, w, line)
			}
			if i := strings.IndexFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%s: a control character in %q", name, line)
			}
		}
	}
}

func TestJSONIsWhole(t *testing.T) {
	for name, r := range stories() {
		var d struct {
			Verdict string
			Exit    int
			Cases   []struct {
				Name       string
				Violations []any
			}
		}
		if err := json.Unmarshal([]byte(print(t, JSON, r)), &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d.Exit != Exit(r) || len(d.Cases) != len(r.Report.Cases) {
			t.Errorf("%s: exit %d with %d cases", name, d.Exit, len(d.Cases))
		}
	}
}

func TestExit(t *testing.T) {
	c := func(vs ...checkers.Verdict) checkers.Report {
		var r checkers.Report
		for _, v := range vs {
			skipped := ""
			if v == "" {
				skipped = "because"
			}
			r.Cases = append(r.Cases, checkers.Case{Verdict: v, Skipped: skipped})
		}
		return r
	}
	problem := c(checkers.Pass)
	problem.Problems = []string{"the history was cut short"}
	for want, reports := range map[int][]checkers.Report{
		0: {c(checkers.Pass), c(checkers.Pass, "")},
		1: {c(checkers.Pass, checkers.Fail), c(checkers.Inconclusive, checkers.Fail)},
		3: {c(), c(""), c(checkers.Inconclusive), c(checkers.Pass, checkers.Inconclusive), problem},
	} {
		for _, r := range reports {
			if got := Exit(Run{Report: r}); got != want {
				t.Errorf("exit %d, want %d for %+v", got, want, r)
			}
		}
	}
}

func TestColorIsNeverAlone(t *testing.T) {
	r := stories()["failed"]
	plain := print(t, Text, r)
	r.Color = true
	colored := print(t, Text, r)
	if colored == plain || !strings.Contains(colored, "\x1b[1;31mFAIL") {
		t.Error("nothing was coloured")
	}
	for _, code := range []string{"\x1b[32m", "\x1b[1;31m", "\x1b[33m", "\x1b[0m"} {
		colored = strings.ReplaceAll(colored, code, "")
	}
	if colored != plain {
		t.Error("without its colours the text is another one")
	}
}

// The null device is a character device like a terminal, so what is asked for decides.
func TestColor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("never coloured on Windows")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, c := range []struct {
		noColor, term string
		want          bool
	}{{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := Color(null); got != c.want {
			t.Errorf("NO_COLOR=%q TERM=%q: %t, want %t", c.noColor, c.term, got, c.want)
		}
	}
	t.Setenv("TERM", "xterm")
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if Color(file) {
		t.Error("a file would be coloured")
	}
}

// A name never leaves the run's directory.
func TestPlanFile(t *testing.T) {
	for name, want := range map[string]string{
		"lost-answer/charge":            "lost-answer-charge.yaml",
		"late-repeat/charge/offset=0.5": "late-repeat-charge-offset=0.5.yaml",
		"../../etc/x":                   "..-..-etc-x.yaml",
		`a\b c` + "\n":                  "a-b-c-.yaml",
		"注文":                            "--.yaml",
	} {
		if got := (Run{}).PlanFile(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Two cases never share a file.
func TestPlanFilesDiffer(t *testing.T) {
	var r Run
	seen := map[string]bool{}
	for _, name := range []string{"a/b-c", "a-b/c", "x/y/field=/n", "x/y/field=-n", "A/b-c"} {
		r.Report.Cases = append(r.Report.Cases, checkers.Case{Name: name})
	}
	for _, c := range r.Report.Cases {
		file := strings.ToLower(r.PlanFile(c.Name))
		if seen[file] {
			t.Errorf("%s is there twice", file)
		}
		seen[file] = true
	}
}

// Only a run that passed has neither a failure nor an error for a CI server.
func TestJUnitIsGreenOnlyIfPassed(t *testing.T) {
	for name, r := range stories() {
		var d struct {
			Suites []struct {
				Failures int `xml:"failures,attr"`
				Errors   int `xml:"errors,attr"`
				Tests    int `xml:"tests,attr"`
				Cases    []struct {
					Failure, Error *struct{}
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(print(t, JUnit, r)), &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := d.Suites[0]
		if green := s.Failures+s.Errors == 0; green != (Exit(r) == 0) || s.Tests != len(s.Cases) {
			t.Errorf("%s: exit %d with %d failures, %d errors, %d tests, %d cases", name, Exit(r), s.Failures, s.Errors, s.Tests, len(s.Cases))
		}
	}
}

// book makes a history by hand.
type book struct {
	h     history.History
	case_ string
}

func newBook(run string) *book {
	return &book{h: history.History{Header: history.Header{
		Version: 1, Run: run, Seed: 1, Target: "http://127.0.0.1:8080", Contract: `{"name":"none"}`, Tool: "idemcheck/test",
		Start:     time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Observers: []history.Observer{{Name: "charge-row", Kind: "sql", By: "id", Of: []string{"charge"}, Say: "Order ${id} was charged"}},
	}}}
}

// add appends an event ms milliseconds after the start and returns its number.
func (b *book) add(ms int, e history.Event) int64 {
	e.Seq, e.At, e.Case = int64(len(b.h.Events)+1), int64(ms)*1e6, b.case_
	b.h.Events = append(b.h.Events, e)
	return e.Seq
}

func (b *book) try(ms, n int, op, status string, kind history.Kind, body string) (begin, end int64) {
	begin = b.add(ms, history.Event{Kind: history.Invoke, Op: op, Name: "charge", Key: "3f1c77aa", Attempt: n, Actor: "client",
		Payload: "p", Attrs: map[string]string{history.AttrRequest: "POST /charges", history.AttrRaw: "p"}})
	end = b.add(ms+7, history.Event{Kind: kind, Op: op, Name: "charge", Key: "3f1c77aa", Attempt: n, Actor: "client", Status: status, Body: body})
	return begin, end
}

func (b *book) read(ms int, op string, n int) int64 {
	return b.add(ms, history.Event{Kind: history.Effect, Op: op, Name: "charge-row", Actor: "charge-row", Count: n})
}

func pass(name string) checkers.Case {
	scenario, operation, _ := strings.Cut(name, "/")
	return checkers.Case{Name: name, Scenario: scenario, Operation: operation, Verdict: checkers.Pass}
}

func with1(c checkers.Case, v checkers.Violation) checkers.Case {
	c.Verdict = v.Verdict
	c.Violations = append(c.Violations, v)
	return c
}

func skipped(name, why string) checkers.Case {
	c := pass(name)
	c.Verdict, c.Skipped = "", why
	return c
}

// twice is a history with one operation charged twice, and its violation.
func twice(b *book) checkers.Violation {
	b.case_ = history.CaseCalibration
	b.try(0, 1, b.h.Header.Run+"-1", "201", history.OK, `{"id":"ch_0"}`)
	b.read(12, b.h.Header.Run+"-1", 1)
	b.case_ = "lost-answer/charge"
	op := b.h.Header.Run + "-12"
	b.try(100, 1, op, "reset", history.Unknown, "")
	b.add(107, history.Event{Kind: history.Fault, Op: op, Name: "lose-answer", Actor: "idemcheck", Hidden: "201 ch_1"})
	b.try(158, 2, op, "201", history.OK, `{"id":"ch_2"}`)
	seen := b.read(170, op, 2)
	return checkers.Violation{Rule: "at-most-once", Verdict: checkers.Fail, Op: op,
		Reason: "Order " + op + " was charged 2 times at charge-row. 1 was allowed.",
		Cause:  "an earlier try took effect but left no mark of it that the next try could find.",
		Cure:   "store the key in the same transaction as the effect.", Witnesses: []int64{seen}}
}

// stories are runs as they come.
func stories() map[string]Run {
	const scopes = "only one scope is known: add   scopes: {alice: {headers: {Authorization: Bearer a}}, bob: {headers: {Authorization: Bearer b}}}"
	all := map[string]Run{}
	tell := func(name string, b *book, dir string, observed []string, problems []string, cases ...checkers.Case) {
		all[name] = Run{History: b.h, Dir: dir, Took: 9400 * time.Millisecond,
			Report: checkers.Report{Cases: cases, Observed: observed, Problems: problems}}
	}
	overlap := pass("overlap/charge")
	overlap.Fired, overlap.Asked = 12, 12
	b := newBook("r7k2m9")
	twice(b)
	tell("passed", b, ".idemcheck/r7k2m9", []string{"replay marked Idempotent-Replayed"}, nil, pass("plain/charge"), overlap)

	b = newBook("r7k2m9")
	other := twice(b)
	other.Rule, other.Reason = "same-answer", "charge r7k2m9-12 was answered 201 ch_1, and its identical repeat 201 ch_2."
	other.Differences = []checkers.Difference{{Where: "header location", First: "/charges/ch_1"}, {Where: "/amount", First: "120", Again: "121"},
		{Where: "/owner", First: "alice", Again: "alice"}}
	for i := range 9 {
		other.Differences = append(other.Differences, checkers.Difference{Where: "/lines/" + strconv.Itoa(i), First: "a\x1b[2J", Again: strings.Repeat("b", 60)})
	}
	tell("differences", b, "", nil, nil, with1(pass("lost-answer/charge"), other))

	b = newBook("r7k2m9")
	double := twice(b)
	tell("failed", b, ".idemcheck/r7k2m9",
		[]string{"changed payload 400", "in flight 409, no Retry-After"}, nil,
		pass("plain/charge"), pass("plain/refund"), with1(pass("lost-answer/charge"), double), pass("lost-answer/refund"), overlap,
		with1(pass("overlap/refund"), checkers.Violation{Rule: "overlap", Verdict: checkers.Inconclusive,
			Reason: "overlap was asked for and did not fire: the copies never overlapped."}),
		skipped("other-scope/charge", scopes), skipped("other-scope/refund", scopes))

	b = newBook("r7k2m9")
	double = twice(b)
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	known, late := pass("lost-answer/charge"), pass("late-repeat/charge/others=10")
	late.Operation, late.Name = "charge", "late-repeat/charge/others=10"
	more := late
	more.Name = "late-repeat/charge/others=100"
	tell("accepted", b, ".idemcheck/r7k2m9", nil, nil, pass("plain/charge"), with1(known, double), with1(pass("client-cut/charge"), double), late, with1(more, double))
	r := all["accepted"]
	r.File, r.Whole, r.Apart, r.Lines = "idemcheck.yaml", true, []string{"same-body-two-ids: its body holds its id or key"}, map[string]int{"charge": 3}
	r.Accept = []Accept{
		{Case: "lost-answer/*", Rule: "at-most-once", Reason: "PAY-77", Until: day, Line: 9},
		{Case: "late-repeat/charge", Reason: "PAY-78", Until: day.AddDate(0, 1, 0), Line: 10},
		{Case: "client-cut/charge", Reason: "PAY-79", Until: day.AddDate(0, -1, 0), Line: 11},
		{Case: "plain/charge", Reason: "PAY-80", Until: day, Line: 12},
		{Case: "plian/charge", Reason: "PAY-81", Until: day, Line: 13},
	}
	all["accepted"] = r

	b = newBook("r7k2m9")
	b.h.Header.Effects, b.h.Header.Observers = "none", nil
	tell("answers", b, ".idemcheck/r7k2m9", nil, nil, pass("plain/charge"))
	tell("skipped", newBook("r7k2m9"), "", nil, nil, skipped("other-scope/charge", scopes))
	tell("cut", newBook("r7k2m9"), "", nil, []string{"the history was cut short: its last mark is missing"}, pass("plain/charge"))

	b = newBook("r7k2m9")
	double = twice(b)
	var many []checkers.Case
	for i := range 25 {
		many = append(many, with1(pass(fmt.Sprintf("scenario-%d/charge", i)), double))
	}
	tell("many", b, ".idemcheck/r7k2m9", nil, nil, many...)

	b = newBook("r7k2m9")
	b.case_ = history.CaseCalibration
	b.try(0, 1, "r7k2m9-1", "201", history.OK, `{"id":"ch_0"}`)
	b.read(12, "r7k2m9-1", 0)
	tell("blind", b, ".idemcheck/r7k2m9", nil, nil, with1(pass("plain/charge"), checkers.Violation{Rule: "at-most-once",
		Verdict: checkers.Inconclusive, Reason: "charge-row showed 0 effects of charge in calibration."}),
		skipped("first-attempt-fails/charge", "no provider stand-in is known: add   effects: {card: {provider: {listen: 127.0.0.1:9100, effect: POST /v1/charges, id: body /metadata/order}}}"))

	b = newBook("r7k2m9")
	b.case_ = "plain/charge"
	op := strings.Repeat("long-", 60) + "\x1b[31m\x00\u202e注文"
	_, end := b.try(1, 1, op, "201", history.OK, "\x1b]0;owned\a\x00<&>\"")
	tell("hostile", b, ".idemcheck/r7k2m9", []string{"a\nb"}, nil,
		with1(pass("plain/charge"), checkers.Violation{Rule: "separation", Verdict: checkers.Fail, Op: op, Reason: "order " + op + " was\nlost", Witnesses: []int64{end}}))
	return all
}
