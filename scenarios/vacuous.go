package scenarios

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// needs says what a plan must do for a rule to have anything to judge. Rules
// that are not here judge every operation.
var needs = map[string]struct {
	what string
	in   func(Plan) bool
}{
	"same-answer":             {"delivers an operation twice", Plan.repeats},
	"progress":                {"delivers an operation twice", Plan.repeats},
	"no-step-back":            {"sends two versions of an entity, as in  {send: a#2}", Plan.versions},
	"order-kept":              {"sends two versions of an entity, as in  {send: a#2}", Plan.versions},
	"one-holder":              {"delivers an operation twice", Plan.repeats},
	"overlap-answer":          {"sends copies together", Plan.overlaps},
	"changed-payload-refused": {"changes a payload, as in  {send: a/changed}", Plan.changes},
	"bad-key-refused":         {"spoils a key, as in  {send: a, fault: drop-key}", Plan.spoils},
	"stored-outcome":          {"makes a provider fail, as in  {arm: provider, fault: fail}", Plan.providers},
}

func (p Plan) repeats() bool {
	seen := map[string]bool{}
	return slices.ContainsFunc(p.flat(), func(s Step) bool {
		if !s.delivers() {
			return false
		}
		r, _ := parseRole(s.Role)
		again := seen[r.who()]
		seen[r.who()] = true
		return again
	})
}

func (p Plan) versions() bool {
	return slices.ContainsFunc(p.flat(), func(s Step) bool { return strings.Contains(s.Role, "#") })
}

func (p Plan) overlaps() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.Do == doTogether || s.Do == doStart || s.Do == doArm && s.Fault.Name == "hold"
	})
}

func (p Plan) spoils() bool {
	return slices.ContainsFunc(p.flat(), func(s Step) bool { return s.Fault.Name == "drop-key" || s.Fault.Name == "malform-key" })
}

func (p Plan) changes() bool {
	return slices.ContainsFunc(p.flat(), func(s Step) bool {
		r, _ := parseRole(s.Role)
		return r.variant != "" || s.Fault.Name == "change-payload"
	})
}

// applicable refuses a rule that could judge nothing in the plan: it would always pass.
func applicable(v strict.Value, p Plan) {
	for _, r := range v.Field("rules").List() {
		if n, ok := needs[r.Text()]; ok && !n.in(p) {
			r.Errorf("%s would judge nothing: no step %s", r.Text(), n.what)
		}
	}
}
