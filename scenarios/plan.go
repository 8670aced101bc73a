package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
)

// What a Step does.
const (
	DoSend     = "send"     // deliver Role once
	DoTogether = "together" // deliver the roles of Steps so that they overlap
	DoRetry    = "retry"    // deliver Role until its answer is final
	DoSettle   = "settle"   // read the observers until the effects are there
	DoArm      = "arm"      // ask a provider for Fault on the nth Call of the operation Role
)

// Plan is the steps of a run as data. A scenario is a plan of the Catalogue.
type Plan struct {
	Name, Title, Story string
	Operation          string // only this operation, if set
	Steps              []Step
	Rules              []string // the rules that judge it; empty: all
	Source             string   // the YAML it was read from
}

// Step is one thing that a plan does.
type Step struct {
	Do     string
	Role   string       // "a", "a@2", "a/changed"; settle: a role or "all"
	Body   string       // send: the role whose body it takes
	Fault  inject.Fault // send and arm
	Arm    string       // arm: "provider" (each that the operation calls) or "provider/NAME"
	Call   int          // arm: which call, from 1
	Steps  []Step       // together
	Offset []float64    // together: a round for each, in units of the handler's time
}

// role is a Role taken apart: operation letter, scope, variant.
type role struct{ op, scope, variant string }

var roleForm = regexp.MustCompile(`^([a-z])(?:@([A-Za-z0-9_.-]+))?(?:/(.+))?$`)

func parseRole(s string) (role, error) {
	m := roleForm.FindStringSubmatch(s)
	if m == nil {
		return role{}, fmt.Errorf("role %q: want a letter, then @SCOPE and /VARIANT if needed, as in a, a@2, a/changed", s)
	}
	return role{m[1], m[2], m[3]}, nil
}

// who is the operation a role stands for: its letter and scope.
func (r role) who() string {
	if r.scope == "" {
		return r.op
	}
	return r.op + "@" + r.scope
}

// flat is all steps with those inside together.
func (p Plan) flat() []Step {
	var all []Step
	for _, s := range p.Steps {
		all = append(append(all, s), s.Steps...)
	}
	return all
}

// letters are the operations that the plan needs, in order of appearance.
func (p Plan) letters() []string {
	var ls []string
	for _, s := range p.flat() {
		if r, err := parseRole(s.Role); err == nil && s.Role != "all" && !slices.Contains(ls, r.op) {
			ls = append(ls, r.op)
		}
	}
	return ls
}

// rounds is how often the plan is carried out, each time on fresh operations.
func (p Plan) rounds() []float64 {
	for _, s := range p.Steps {
		if len(s.Offset) > 0 {
			return s.Offset
		}
	}
	return []float64{0}
}

// alone says that no other case may run beside it: it measures overlaps or touches what cases share.
func (p Plan) alone() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Do == DoTogether || s.Do == DoArm })
}

// providers are the arms of the plan that mean a provider.
func (p Plan) providers() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.Do == DoArm && strings.HasPrefix(s.Arm, "provider")
	})
}
