package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Case is one plan on one configured operation: one verdict.
type Case struct {
	Name      string // "lost-answer/charge"
	Plan      Plan
	Operation string
	Skip      string // why it is not run, ending with what would enable it; "": it is run
}

// Cases makes the cases of plans on the operations under test (only those
// named in ops, if any are). A plan that makes no sense for an operation makes
// no case; one that a line in idemcheck.yaml would enable is skipped.
func Cases(sys System, plans []Plan, ops []string) []Case {
	var cases []Case
	for _, p := range plans {
		for _, o := range sys.Operations {
			wanted := o.Test && (len(ops) == 0 || slices.Contains(ops, o.Name)) && (p.Operation == "" || p.Operation == o.Name)
			if !wanted || !sys.sensible(p, o) {
				continue
			}
			cases = append(cases, Case{p.Name + "/" + o.Name, p, o.Name, sys.missing(p)})
		}
	}
	return cases
}

// sensible says whether a plan can mean anything for an operation.
func (sys System) sensible(p Plan, o Operation) bool {
	for _, s := range p.flat() {
		r, _ := parseRole(s.Role)
		switch {
		case r.variant == "changed" && !o.Variable,
			s.Body != "" && o.OwnBody,
			s.Fault.Name == "reencode" && !o.JSON,
			(s.Fault.Name == "change-key" || s.Fault.Name == "drop-key") && o.Keyless,
			s.Do == DoArm && sys.known(s.Arm) && len(sys.called(s.Arm, o.Name)) == 0:
			return false
		}
	}
	return true
}

// missing names the line that would enable a plan.
func (sys System) missing(p Plan) string {
	for _, s := range p.flat() {
		r, _ := parseRole(s.Role)
		if r.scope != "" && sys.scope(r.scope) == "" {
			if len(sys.Scopes) < 2 {
				return "only one scope is known: add   scopes: {alice: {headers: {...}}, bob: {headers: {...}}}"
			}
			return fmt.Sprintf("scope %q is not known: the file has %s", r.scope, strings.Join(sys.Scopes, ", "))
		}
	}
	for _, s := range p.Steps {
		if s.Do == DoArm && len(sys.Providers) > 0 && !sys.known(s.Arm) {
			return fmt.Sprintf("%s is not known: the file has %s", s.Arm, strings.Join(slices.Sorted(maps.Keys(sys.Providers)), ", "))
		}
	}
	if p.providers() && len(sys.Providers) == 0 {
		return "no provider stand-in is known: add   effects: {card: {provider: {listen: 127.0.0.1:9100, effect: POST /v1/charges, id: body /metadata/order}}}"
	}
	return ""
}

// scope is the configured scope that a role's @ means: a number counts from 1.
func (sys System) scope(at string) string {
	switch {
	case at == "":
		if len(sys.Scopes) > 0 {
			return sys.Scopes[0]
		}
	case len(at) == 1 && at[0] >= '1' && at[0] <= '9':
		if n := int(at[0] - '1'); n < len(sys.Scopes) {
			return sys.Scopes[n]
		}
	case slices.Contains(sys.Scopes, at):
		return at
	}
	return ""
}

// known says whether an arm means a provider of the file.
func (sys System) known(arm string) bool {
	return len(sys.Providers) > 0 && (arm == "provider" || sys.Providers[strings.TrimPrefix(arm, "provider/")] != nil)
}

// called are the names of the providers that an arm means for an operation.
func (sys System) called(arm, operation string) []string {
	var names []string
	for _, o := range sys.Observers {
		name := o.Name
		if sys.Providers[name] == nil || !counts(o, operation) {
			continue
		}
		if arm == "provider" || arm == "provider/"+name {
			names = append(names, name)
		}
	}
	return names
}

// counts says whether an observer counts for an operation.
func counts(o Observer, operation string) bool {
	return len(o.Of) == 0 || slices.Contains(o.Of, operation)
}
