package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/strict"
)

// Parse reads a plan. Errors say the line, the column and what would be legal.
func Parse(file string, b []byte) (Plan, error) {
	p := Plan{Source: string(b)}
	err := strict.Parse(file, b, func(v strict.Value) {
		v.Fields("name", "title", "story", "operation", "steps", "rules")
		p.Name = v.Need("name").Text()
		p.Title = v.Field("title").Text()
		p.Story = v.Field("story").Text()
		p.Operation = v.Field("operation").Text()
		for _, s := range v.Need("steps").List() {
			p.Steps = append(p.Steps, parseStep(s))
		}
		if steps := v.Field("steps"); steps.Exists() && len(p.Steps) == 0 {
			steps.Errorf("a plan needs at least one step")
		}
		for _, r := range v.Field("rules").List() {
			p.Rules = append(p.Rules, parseRule(r))
		}
		oneTogether(v, p)
		applicable(v, p)
	})
	return p, err
}

// steps are the fields that a step of each kind may have; the first says what it does.
var steps = map[string][]string{
	DoSend:     {"send", "fault", "body"},
	DoTogether: {"together", "offset"},
	DoRetry:    {"retry", "fault"},
	DoSettle:   {"settle"},
	DoArm:      {"arm", "fault", "op", "call"},
}

var doing = []string{DoSend, DoTogether, DoRetry, DoSettle, DoArm}

func parseStep(v strict.Value) Step {
	i := slices.IndexFunc(doing, func(do string) bool { return v.Field(do).Exists() })
	if i < 0 {
		legal := v.Fields(slices.Concat(doing, []string{"fault", "body", "offset", "op", "call"})...)
		if len(legal) == len(v.Fields()) {
			v.Errorf("a step needs one of %s", strings.Join(doing, ", ")) // else what it has instead was said
		}
		return Step{}
	}
	s := Step{Do: doing[i]}
	v.Fields(steps[s.Do]...)
	switch s.Do {
	case DoTogether:
		for _, x := range v.Field("together").List() {
			s.Steps = append(s.Steps, parseSend(x))
		}
		for _, x := range v.Field("offset").List() {
			s.Offset = append(s.Offset, x.Float())
		}
		if len(s.Steps) < 2 {
			v.Field("together").Errorf("together needs two sends or more")
		}
	case DoSettle:
		if s.Role = v.Field("settle").Text(); s.Role != "all" {
			s.Role = parseRoleIn(v.Field("settle"))
		}
	case DoArm:
		if s.Arm = v.Field("arm").Text(); s.Arm != "provider" && !strings.HasPrefix(s.Arm, "provider/") {
			v.Field("arm").Errorf("arm needs provider (each that the operation calls) or provider/NAME, got %q", s.Arm)
		}
		s.Role = parseRoleIn(v.Need("op"))
		s.Fault = parseFault(v.Need("fault"), inject.SiteProvider)
		s.Call = v.Field("call").Int()
	default:
		s.Role = parseRoleIn(v.Field(s.Do))
		s.Fault = parseFault(v.Field("fault"), inject.SiteRequest)
		if v.Field("body").Exists() {
			s.Body = parseRoleIn(v.Field("body"))
		}
	}
	return s
}

// parseSend reads one copy of a together step.
func parseSend(v strict.Value) Step {
	v.Fields("send")
	return Step{Do: DoSend, Role: parseRoleIn(v.Need("send"))}
}

func parseRoleIn(v strict.Value) string {
	text := v.Text()
	if _, err := parseRole(text); err != nil && text != "" {
		v.Errorf("%v", err)
	}
	return text
}

// parseFault reads lose-answer, or {delay: 50ms}.
func parseFault(v strict.Value, site string) inject.Fault {
	if !v.Exists() {
		return inject.Fault{}
	}
	text := ""
	if v.Kind() == strict.Map {
		for _, f := range v.Fields(faultNames(site)...) {
			text = f.Name + ": " + f.Value.Text()
		}
	} else {
		text = v.Text()
	}
	if text == "" {
		return inject.Fault{} // what is there instead was said
	}
	f, err := inject.ParseFault(text)
	if err == nil && !slices.Contains(faultNames(site), f.Name) {
		err = fmt.Errorf("%s is no fault of a %s here; legal: %s", f.Name, site, strings.Join(faultNames(site), ", "))
	}
	if err != nil {
		v.Errorf("%v", err)
		return inject.Fault{}
	}
	return f
}

// faultNames are the faults that a plan can ask for at a site.
func faultNames(site string) []string {
	var names []string
	for _, l := range inject.Faults {
		if l.Site == site && !slices.Contains([]string{"repeat", "overlap", "late"}, l.Fault.Name) {
			names = append(names, l.Fault.Name)
		}
	}
	return names
}

func parseRule(v strict.Value) string {
	name := v.Text()
	if _, ok := checkers.Lookup(name); !ok && name != "" {
		var legal []string
		for _, r := range checkers.Catalogue {
			legal = append(legal, r.Name)
		}
		v.Errorf("unknown rule %q%s; legal here: %s", name, strict.DidYouMean(name, legal), strings.Join(legal, ", "))
	}
	return name
}

// oneTogether keeps to one list of offsets: it says how many rounds there are.
func oneTogether(v strict.Value, p Plan) {
	n := 0
	for _, s := range p.Steps {
		if len(s.Offset) > 0 {
			n++
		}
	}
	if n > 1 {
		v.Errorf("only one step may have offsets: each is a round of the whole plan")
	}
}
