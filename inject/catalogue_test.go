package inject

import (
	"slices"
	"strings"
	"testing"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]Fault{
		"lose-answer": LoseAnswer, "delay: 50ms": {"delay", "50ms"}, " delay:50ms ": {"delay", "50ms"}, "delay": Delay,
		"cut-client: half-body": {"cut-client", "half-body"}, "replace-answer: 503": {"replace-answer", "503"}, "fail: 3": {"fail", "3"}, "fail: 2 after": {"fail", "2 after"}, "fail: after": {"fail", "after"}, "malform-key: over-long": {"malform-key", "over-long"},
		"change-payload: /a/b": {"change-payload", "/a/b"}, "reencode: numbers": {"reencode", "numbers"}, "slow: 1.5s": {"slow", "1.5s"},
	} {
		got, err := ParseFault(text)
		if err != nil || got != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
		if again, err := ParseFault(got.String()); err != nil || again != got {
			t.Errorf("%q is printed %q, which reads as %v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"":                   `unknown fault "", legal are: lose-request, lose-answer,`,
		"lose-anser":         "unknown fault \"lose-anser\", legal are:",
		"lose-answer: 5":     `takes no argument, it has "5"`,
		"delay: fast":        "takes a duration",
		"delay: -5ms":        "takes a duration",
		"cut-client: middle": "headers-sent, half-body, body-sent (default) or answer-begun",
		"replace-answer: 20": "a status from 400 to 599",
		"fail: 0 after":      "for how many calls",
		"malform-key: tea":   "empty, blank, malformed",
		"fail: 0":            "for how many calls",
		"reencode: all":      "numbers",
	} {
		if _, err := ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v does not say %q", text, err, want)
		}
	}
}

func TestCatalogueIsWhole(t *testing.T) {
	for _, l := range Faults {
		if err := l.Fault.Check(); err != nil || l.Doc == "" || !slices.Contains([]string{SiteRequest, SiteProvider, SiteLink, SiteWorker}, l.Site) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, l := range Faults {
		f.Add(l.Fault.String())
	}
	f.Add("delay: 5ms")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseFault(s)
		if err != nil {
			return
		}
		if again, err := ParseFault(got.String()); err != nil || again != got {
			t.Errorf("%q: %v, then %v, %v", s, got, again, err)
		}
	})
}
