package config

import (
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// Accept is one entry of accept:, a failure that is known and let pass until a day.
type Accept struct {
	Case   string // "lost-answer/refund", "*/refund", "late-repeat/charge/others=10", "rule/no order twice"
	Rule   string // only this rule; "": all
	Reason string
	Until  time.Time // the last day, at its beginning in UTC
	Line   int       // in the file
}

// accept are the failures that the file accepts. Each has an end: what is
// accepted for ever is never mended.
func (r *reader) accept(v strict.Value) {
	if !v.Exists() {
		return
	}
	for _, item := range v.List() {
		fields := item.Fields("case", "rule", "reason", "until")
		a := Accept{Case: item.Need("case").Text(), Reason: strings.TrimSpace(item.Need("reason").Text()), Until: day(item.Need("until"))}
		if len(fields) > 0 {
			a.Line = fields[0].Key.Line()
		}
		if at := item.Field("case"); at.Exists() {
			caseForm(at, a.Case)
		}
		if at := item.Field("reason"); at.Exists() && a.Reason == "" {
			at.Errorf("must say why, or name the ticket")
		}
		if at := item.Field("rule"); at.Exists() {
			a.Rule = at.Text()
			knownRule(at, a.Rule)
		}
		r.file.Accept = append(r.file.Accept, a)
	}
}

// caseForm demands SCENARIO/OPERATION, where one of the two may be *.
func caseForm(at strict.Value, name string) {
	scenario, rest, ok := strings.Cut(name, "/")
	operation, _, _ := strings.Cut(rest, "/")
	switch {
	case !ok || scenario == "" || operation == "":
		at.Errorf("must be the name of a case as reports show it, such as lost-answer/refund or */refund; got %q", name)
	case scenario == "*" && operation == "*":
		at.Errorf("%q would accept every failure: name the scenario or the operation", name)
	}
}

func knownRule(at strict.Value, name string) {
	var names []string
	for _, rule := range checkers.Catalogue {
		names = append(names, rule.Name)
	}
	if !slices.Contains(names, name) && !strings.HasPrefix(name, "rule/") {
		at.Errorf("unknown rule %q%s: idemcheck list rules", name, strict.DidYouMean(name, names))
	}
}

func day(v strict.Value) time.Time {
	if !v.Exists() {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, v.Text())
	if err != nil {
		v.Errorf("must be the last day, such as 2027-03-01; got %q", v.Text())
	}
	return t
}
