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
// Each combination of swept values is read, so that none is wrong later.
func Parse(file string, b []byte) (Plan, error) {
	first := Plan{Source: string(b)}
	err := strict.Parse(file, b, func(v strict.Value) {
		head(v, &first)
		unused(v, first)
		for i, s := range first.settings([]string{"/field"}) {
			p := first
			p.body(v, s)
			if i == 0 {
				first = p
			}
		}
	})
	return first, err
}

// at is the plan with swept values in place of their names. The plan was read
// before, so only a field of the operation can be what makes it wrong.
func (p Plan) at(s setting) (Plan, error) {
	if len(s) == 0 {
		return p, nil
	}
	out := p
	out.Steps, out.Rules = nil, nil
	err := strict.Parse(p.Name, []byte(p.Source), func(v strict.Value) { out.body(v, s) })
	return out, err
}

// head reads what is the same for all swept values.
func head(v strict.Value, p *Plan) {
	v.Fields("name", "title", "story", "operation", "needs", "sweep", "steps", "rules")
	p.Name = v.Need("name").Text()
	p.Title = v.Field("title").Text()
	p.Story = v.Field("story").Text()
	p.Operation = v.Field("operation").Text()
	for _, n := range v.Field("needs").List() {
		p.Needs = append(p.Needs, oneOf(n, needKey, needPerAttempt))
	}
	p.Sweep = parseSweep(v.Field("sweep"))
	v.Need("steps")
}

// body reads the steps and rules with swept values in place of their names.
func (p *Plan) body(v strict.Value, s setting) {
	steps := v.Field("steps").Replace(s.replace)
	for _, x := range steps.List() {
		p.Steps = append(p.Steps, parseStep(x))
	}
	if steps.Exists() && len(p.Steps) == 0 {
		steps.Errorf("a plan needs at least one step")
	}
	for _, r := range v.Field("rules").List() {
		p.Rules = append(p.Rules, parseRule(r))
	}
	oneOfRounds(steps, *p)
	agree(steps, *p)
	joined(steps, *p)
	applicable(v, *p)
}

// oneOf is a text that must be one of a few words.
func oneOf(v strict.Value, legal ...string) string {
	text := v.Text()
	if text != "" && !slices.Contains(legal, text) {
		v.Errorf("unknown word %q%s; legal here: %s", text, strict.DidYouMean(text, legal), strings.Join(legal, ", "))
	}
	return text
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
	name, arg, _ := strings.Cut(text, ": ")
	f := inject.Fault{Name: name, Arg: arg}
	if _, ok := inUnits(f); ok && slices.Contains(faultNames(site), name) {
		return f
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
		if l.Site == site && !slices.Contains([]string{"repeat", "overlap", "late", "restart", "resume", "read-only"}, l.Fault.Name) { // which are steps
			names = append(names, l.Fault.Name)
		}
	}
	return names
}
