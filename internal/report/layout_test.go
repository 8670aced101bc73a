package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/idemcheck/idemcheck/checkers"
)

// crowded is a run with more operations than fit on a line, a failure that two
// operations show together, and one that 30 operations share.
func crowded() Run {
	b := newBook("r7k2m9")
	b.case_ = "other-scope/op-0"
	_, one := b.try(10, 1, "r7k2m9-1", "201", "ok", `{"id":"ch_1"}`)
	_, two := b.try(30, 1, "r7k2m9-2", "201", "ok", `{"id":"ch_1"}`)
	cases := []checkers.Case{with1(pass("other-scope/op-0"), checkers.Violation{Rule: "separation", Verdict: checkers.Fail, Op: "r7k2m9-2",
		Reason: "The answer to order r7k2m9-2 shows the id of order r7k2m9-1.", Witnesses: []int64{one, two}})}
	shared := pass("plain/op-0")
	for n := range 30 {
		op := fmt.Sprintf("r7k2m9-%d", n+10)
		shared = with1(shared, checkers.Violation{Rule: "at-most-once", Verdict: checkers.Fail, Op: op, Reason: "Order " + op + " was charged 2 times."})
	}
	cases = append(cases, shared)
	for n := range 8 {
		cases = append(cases, pass(fmt.Sprintf("plain/op-%d", n+1)))
	}
	cases = append(cases, pass("plain/"+strings.Repeat("an-operation-", 7)), pass("plain/注文"))
	rule := pass("rule/no order twice")
	rule.Operation = ""
	cases = append(cases, with1(rule, checkers.Violation{Rule: "rule/no order twice", Verdict: checkers.Fail, Reason: "2 rows where none may be:\nr7k2m9-1\nr7k2m9-2"}))
	late := pass("late-repeat/op-0/offset=0.5")
	late.Operation = "op-0"
	late.Notes = []string{"at the limit of the key's life either answer is right: it was replayed."}
	blind := checkers.Violation{Rule: "no-lost-effect", Verdict: checkers.Inconclusive, Reason: "charge-row saw nothing in calibration.", Cure: "Look at its query."}
	cases = append(cases, late, with1(pass("repeat/op-1"), blind), with1(pass("overlap/op-1"), blind))
	return Run{History: b.h, Dir: ".idemcheck/r7k2m9", Report: checkers.Report{Cases: cases}}
}

func TestCrowded(t *testing.T) {
	text := print(t, Text, crowded())
	golden(t, "crowded.txt", text)
	for line := range strings.Lines(text) {
		if w := width(strings.TrimSuffix(line, "\n")); w > columns {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}

// Failures are those of Text and nothing else.
func TestFailures(t *testing.T) {
	got, all := print(t, Failures, stories()["failed"]), print(t, Text, stories()["failed"])
	if !strings.HasPrefix(got, "FAIL lost-answer/charge") || !strings.Contains(all, got) || strings.Contains(got, "inconclusive overlap") {
		t.Errorf("not the failures alone:\n%s", got)
	}
	if got := print(t, Failures, stories()["passed"]); got != "" {
		t.Errorf("failures of a run that passed: %q", got)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrors(t *testing.T) {
	for name, f := range map[string]func(io.Writer, Run) error{"Text": Text, "JSON": JSON, "JUnit": JUnit, "Failures": Failures} {
		if err := f(fullDisk{}, stories()["failed"]); err == nil {
			t.Errorf("%s: no error from a writer that fails", name)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("  ", "a few words and   something: {to: copy}")
	f.Add("skipped (1): ", strings.Repeat("長", 80)+"\x1b[2J\n\x00")
	f.Fuzz(func(t *testing.T, lead, text string) {
		lead = fit(clean(lead), 30)
		lines := wrap(lead, "  ", text)
		for i, line := range lines {
			if width(line) > columns && !strings.Contains(clean(text), "   ") {
				t.Errorf("line %d has %d columns: %q", i, width(line), line)
			}
			bad := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) })
			if bad >= 0 || !utf8.ValidString(line) {
				t.Errorf("line %d is not fit for a terminal: %q", i, line)
			}
		}
		if !bytes.HasPrefix([]byte(lines[0]), []byte(lead)) && width(lead) < columns {
			t.Errorf("the first line does not begin with %q: %q", lead, lines[0])
		}
	})
}
