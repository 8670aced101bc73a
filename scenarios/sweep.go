package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// Sweep is a name that stands for one value after the other: $NAME in the steps.
type Sweep struct {
	Name   string
	Values []string // as they stand in the file
	Each   bool     // field: a case for each field of the operation's own
}

// each is the word for all fields of an operation.
const each = "each"

// mostSwept bounds the cases that one plan makes of one operation.
const mostSwept = 200

// setting is the value of each swept name, in the order of the plan.
type setting [][2]string

// label is how a case's name shows it: "others=10", or "at=0.5,stage=body-sent".
func (s setting) label() string {
	var parts []string
	for _, nv := range s {
		parts = append(parts, nv[0]+"="+nv[1])
	}
	return strings.Join(parts, ",")
}

var dollar = regexp.MustCompile(`\$[a-z][a-z_]*`)

// replace puts the values in place of the names in a text.
func (s setting) replace(text string) string {
	return dollar.ReplaceAllStringFunc(text, func(name string) string {
		for _, nv := range s {
			if nv[0] == name[1:] {
				return nv[1]
			}
		}
		return name
	})
}

// settings are all combinations of the swept values; fields stand for each.
func (p Plan) settings(fields []string) []setting {
	all := []setting{nil}
	for _, sw := range p.Sweep {
		values := sw.Values
		if sw.Each {
			values = fields
		}
		var more []setting
		for _, s := range all {
			for _, v := range values {
				more = append(more, append(slices.Clone(s), [2]string{sw.Name, v}))
			}
		}
		all = more
	}
	return all
}

// parseSweep reads sweep: {others: [1, 10], field: each}.
func parseSweep(v strict.Value) (all []Sweep) {
	for _, f := range v.Fields() {
		s := Sweep{Name: f.Name}
		switch {
		case !sweepName.MatchString(f.Name) || slices.Contains(reserved, f.Name):
			f.Key.Errorf("%q can not be swept: take another name of small letters", f.Name)
		case f.Value.Kind() == strict.Text && f.Value.Text() == each && f.Name == "field":
			s.Each = true
		case f.Value.Kind() == strict.Text:
			f.Value.Errorf("want a list of values, or  field: each  for every field of the operation's own")
		default:
			s.Values = sweptValues(f.Value)
		}
		all = append(all, s)
	}
	if n := len((Plan{Sweep: all}).settings([]string{""})); n > mostSwept {
		v.Errorf("%d combinations are too many: at most %d", n, mostSwept)
	}
	return all
}

var (
	sweepName  = regexp.MustCompile(`^[a-z][a-z_]*$`)
	sweptValue = regexp.MustCompile(`^[^\s,"'$]+( [^\s,"'$]+)*$`)
	reserved   = []string{"scenario", "operation", "rules", "also"} // attributes of a case's mark
)

func sweptValues(v strict.Value) (values []string) {
	for _, x := range v.List() {
		text := x.Text()
		switch {
		case slices.Contains(values, text):
			x.Errorf("%s is there twice", text)
		case !sweptValue.MatchString(text):
			x.Errorf("%q can not be swept: it becomes part of the case's name, so it has no comma, quote, $, and no blanks at its ends", text)
		}
		values = append(values, text)
	}
	if len(values) == 0 {
		v.Errorf("a sweep needs at least one value")
	}
	return values
}

// unused refuses names that are swept and stand nowhere, and those that are not swept.
func unused(v strict.Value, p Plan) {
	seen := map[string]bool{}
	known := func(name string) bool {
		return slices.ContainsFunc(p.Sweep, func(s Sweep) bool { return s.Name == name })
	}
	v.Field("steps").Replace(func(text string) string {
		for _, m := range dollar.FindAllString(text, -1) {
			if seen[m[1:]] = true; !known(m[1:]) {
				v.Field("steps").ErrorIn(m, "%s is not swept: add   sweep: {%s: [...]}", m, m[1:])
			}
		}
		return text
	})
	for _, f := range v.Field("sweep").Fields() {
		if !seen[f.Name] {
			f.Key.Errorf("%s is swept, and no step says $%s", f.Name, f.Name)
		}
	}
}

// Only is the YAML of the plan for one case alone: its operation, and its swept
// values as they stand in the case's name ("others=10"; "" if none).
func (p Plan) Only(operation, swept string) string {
	source := p.Source
	if swept != "" {
		source = narrow(source, p.sweepOf(swept))
	}
	if p.Operation == "" {
		source = "operation: " + operation + "\n" + source
	}
	return source
}

// sweepOf is the sweep field that has only the values of a label.
func (p Plan) sweepOf(label string) string {
	var parts []string
	for i, s := range p.Sweep {
		value := strings.TrimPrefix(label, s.Name+"=")
		if i+1 < len(p.Sweep) {
			value, label, _ = strings.Cut(value, ","+p.Sweep[i+1].Name+"=")
			label = p.Sweep[i+1].Name + "=" + label
		}
		parts = append(parts, fmt.Sprintf("%s: [%q]", s.Name, value))
	}
	return "sweep: {" + strings.Join(parts, ", ") + "}"
}

// narrow replaces the field sweep of a plan in block style.
func narrow(source, sweep string) string {
	var out []string
	inside := false
	for line := range strings.Lines(source) {
		top := line[0] != ' ' && line[0] != '#' && line[0] != '-' && strings.TrimSpace(line) != ""
		if top {
			if inside = strings.HasPrefix(line, "sweep:"); inside {
				out = append(out, sweep+"\n")
			}
		}
		if !inside {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
