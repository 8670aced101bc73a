package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// ten is a run with ten failed cases of different shapes, and one of everything else.
func ten() Run {
	b := newBook("r7k2m9")
	b.h.Header.Observers = append(b.h.Header.Observers, history.Observer{Name: "card-charge", Kind: "provider", By: "id"})
	twice(b)
	var cases []checkers.Case
	names := []string{"lost-answer", "client-cut", "overlap", "late-repeat", "first-attempt-fails", "changed-payload", "other-scope", "reencoded-payload", "repeat", "lost-request"}
	for i, scenario := range names {
		b.case_ = scenario + "/charge"
		op := fmt.Sprintf("r7k2m9-%d", 20+i)
		cases = append(cases, pass(scenario+"/refund"), with1(pass(b.case_), b.violate(op, i)))
	}
	for _, n := range []string{"1", "10", "100"} {
		c := pass("late-repeat/charge/others=" + n)
		c.Operation = "charge"
		cases = append(cases, c)
	}
	blind := checkers.Violation{Rule: "overlap", Verdict: checkers.Inconclusive, Reason: "overlap was asked for in 12 rounds and came about in 3: 6 are needed."}
	cases = append(cases, pass("plain/charge"), pass("plain/refund"), with1(pass("overlap/payout"), blind),
		skipped("other-scope/payout", "only one scope is known: add   scopes: {alice: {headers: {Authorization: Bearer a}}, bob: {headers: {Authorization: Bearer b}}}"))
	return Run{History: b.h, Dir: ".idemcheck/r7k2m9", Took: 9400 * time.Millisecond, File: "idemcheck.yaml", Apart: []string{"same-body-two-ids"},
		Report: checkers.Report{Cases: cases, Attempts: 148, Observed: []string{"changed payload 400", "in flight 409, no Retry-After", "replay marked Idempotent-Replayed"}}}
}

// violate records one operation that goes wrong, the nth way.
func (b *book) violate(op string, n int) checkers.Violation {
	at := 1000 * (n + 1)
	v := checkers.Violation{Rule: "at-most-once", Verdict: checkers.Fail, Op: op,
		Reason: "Order " + op + " was charged 2 times at card-charge. One charge was allowed.",
		Cause:  "the second try called the provider under a new key (p-81, p-82).",
		Cure:   "make the provider's key from the order or from the caller's key, before the first call."}
	b.add(at+1, history.Event{Kind: history.Fault, Op: op, Name: "lose-answer", Actor: "idemcheck", Hidden: "201 ch_1"})
	b.try(at, 1, op, "reset", history.Unknown, "")
	b.add(at+4, history.Event{Kind: history.Effect, Op: op, Name: "card-charge", Actor: "provider/card-charge", Key: "p-81", Count: 1})
	tries := 1 + n%4
	for i := range tries {
		b.try(at+58+i*900, i+2, op, "409", history.Refused, `{"detail":"a request with this Idempotency-Key is in progress"}`)
	}
	v.Witnesses = append(v.Witnesses, b.add(at+61+tries*900, history.Event{Kind: history.Effect, Op: op, Name: "card-charge", Actor: "provider/card-charge", Key: "p-82", Count: 2}))
	_, end := b.try(at+58+tries*900, tries+2, op, "201", history.OK, `{"id":"ch_2","amount":120,"status":"succeeded"}`)
	if n%3 == 2 {
		v.Rule, v.Witnesses = "same-answer", append(v.Witnesses, end)
		v.Differences = []checkers.Difference{{Where: "/id", First: "ch_1", Again: "ch_2"}, {Where: "header location", First: "/charges/ch_1", Again: ""}}
	}
	return v
}

// The page is well-formed, links to what is there, and holds no text of the run as markup.
func TestPage(t *testing.T) {
	all := stories()
	all["ten"], all["crowded"] = ten(), crowded()
	maps.Copy(all, mapped())
	for name, r := range all {
		text := print(t, HTML, r)
		ids := map[string]int{}
		for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
			if ids[m[1]]++; ids[m[1]] > 1 {
				t.Errorf("%s: id %s is there twice", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]+)"`).FindAllStringSubmatch(text, -1) {
			for _, id := range strings.Fields(m[1]) {
				if ids[id] == 0 {
					t.Errorf("%s: nothing has the id %s", name, id)
				}
			}
		}
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\u202e") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("%s: text of the run is not escaped", name)
		}
		for _, svg := range regexp.MustCompile(`(?s)<svg class="draw".*?</svg>`).FindAllString(text, -1) {
			if err := wellFormed(svg); err != nil {
				t.Errorf("%s: a drawing is no XML: %v", name, err)
			}
		}
		if name == "ten" && strings.Count(text, `<svg class="draw"`) != 10 {
			t.Errorf("%d drawings, want 10", strings.Count(text, `<svg class="draw"`))
		}
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// A run of 10,000 failed operations in 1,000 cases makes a page that a browser can hold.
func TestPageIsBounded(t *testing.T) {
	b := newBook("r7k2m9")
	var cases []checkers.Case
	for i := range 1000 {
		b.case_ = fmt.Sprintf("scenario-%d/charge", i)
		c := pass(b.case_)
		for j := range 10 {
			c = with1(c, b.violate(fmt.Sprintf("r7k2m9-%d", i*10+j), j))
		}
		cases = append(cases, c)
	}
	var n counter
	if err := HTML(&n, Run{History: b.h, Report: checkers.Report{Cases: cases}}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB", n>>10)
	if n > 5<<20 {
		t.Errorf("%d bytes", n)
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// Text and what carries a meaning can be read: WCAG 2.2 AA, in both schemes and on paper.
func TestContrast(t *testing.T) {
	schemes := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(style, -1)
	if len(schemes) != 3 {
		t.Fatalf("%d palettes, want light, dark and print", len(schemes))
	}
	for i, s := range schemes {
		colors := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]+);`).FindAllStringSubmatch(s[1], -1) {
			colors[m[1]] = m[2]
		}
		for _, pair := range [][3]string{
			{"ink", "paper", "4.5"}, {"ink", "card", "4.5"}, {"ink", "code", "4.5"}, {"ink", "odd", "4.5"},
			{"muted", "paper", "4.5"}, {"muted", "card", "4.5"}, {"muted", "odd", "4.5"}, {"link", "card", "4.5"}, {"link", "paper", "4.5"},
			{"fail", "card", "4.5"}, {"fail", "fail-bg", "4.5"}, {"fail", "paper", "4.5"}, {"fail", "odd", "4.5"}, {"warn", "card", "4.5"}, {"warn", "warn-bg", "4.5"}, {"warn", "paper", "4.5"},
			{"pass", "card", "4.5"}, {"pass", "pass-bg", "4.5"}, {"pass", "paper", "4.5"}, {"pass", "odd", "4.5"}, {"fault", "card", "4.5"}, {"fault", "odd", "4.5"},
			{"bar", "card", "3"}, {"bar", "odd", "3"}, {"effect", "card", "3"}, {"effect", "odd", "3"},
		} {
			a, errA := luminance(colors[pair[0]])
			b, errB := luminance(colors[pair[1]])
			if err := errors.Join(errA, errB); err != nil {
				t.Fatalf("palette %d: %s on %s: %v", i, pair[0], pair[1], err)
			}
			least, _ := strconv.ParseFloat(pair[2], 64)
			if ratio := (max(a, b) + .05) / (min(a, b) + .05); ratio < least {
				t.Errorf("palette %d: %s on %s has %.2f, want %s", i, pair[0], pair[1], ratio, pair[2])
			}
		}
	}
}

// luminance is the relative luminance of a colour, by WCAG 2.
func luminance(hex string) (float64, error) {
	hex = strings.TrimPrefix(hex, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 24)
	if err != nil {
		return 0, err
	}
	part := func(shift int) float64 {
		c := float64(n>>shift&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	return .2126*part(16) + .7152*part(8) + .0722*part(0), nil
}
