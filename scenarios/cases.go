package scenarios

import (
	"slices"
)

// Case is one plan on one configured operation, with one set of swept values: one verdict.
type Case struct {
	Name      string // "lost-answer/charge", "late-repeat/charge/others=10"
	Plan      Plan   // with the swept values in it
	Operation string
	Swept     string // "others=10"; "" if nothing is swept
	Skip      string // why it is not run, ending with what would enable it; "": it is run
	Senseless string // why it means nothing for the operation: it is no case at all

	setting setting
}

// Cases makes the cases of plans on the operations under test (only those
// named in ops, if any are). A plan that makes no sense for an operation makes
// no case; one that a line in idemcheck.yaml would enable is skipped.
func Cases(sys System, plans []Plan, ops []string) []Case {
	return slices.DeleteFunc(allCases(sys, plans, ops), func(c Case) bool { return c.Senseless != "" })
}

// allCases are the cases with those that mean nothing, so that a run can say why.
func allCases(sys System, plans []Plan, ops []string) []Case {
	var cases []Case
	for _, p := range plans {
		for _, o := range sys.Operations {
			if o.Test && (len(ops) == 0 || slices.Contains(ops, o.Name)) && (p.Operation == "" || p.Operation == o.Name) {
				cases = append(cases, sys.casesOf(p, o)...)
			}
		}
	}
	return cases
}

// casesOf are the cases of one plan on one operation.
func (sys System) casesOf(p Plan, o Operation) []Case {
	name := p.Name + "/" + o.Name
	settings := p.settings(o.Fields)
	if len(settings) == 0 {
		return []Case{{Name: name, Plan: p, Operation: o.Name, Senseless: "it has no field of its own"}}
	}
	var cases []Case
	for _, s := range settings {
		c := Case{Name: name, Operation: o.Name, Swept: s.label(), setting: s}
		if c.Swept != "" {
			c.Name += "/" + c.Swept
		}
		var err error
		if c.Plan, err = p.at(s); err != nil {
			c.Senseless = err.Error()
		} else if c.Senseless = sys.senseless(c.Plan, o); c.Senseless == "" {
			c.Skip = sys.missing(c.Plan, o)
		}
		cases = append(cases, c)
	}
	return together(cases)
}

// together makes one of several cases that are left out for the same reason.
func together(cases []Case) []Case {
	for _, c := range cases[1:] {
		if c.Skip != cases[0].Skip || c.Senseless != cases[0].Senseless || c.Skip+c.Senseless == "" {
			return cases
		}
	}
	c := cases[0]
	if c.Skip+c.Senseless != "" {
		c.Name, c.Swept, c.setting = c.Plan.Name+"/"+c.Operation, "", nil
	}
	return []Case{c}
}

// attrs are what the mark of a case says of its swept values.
func (c Case) attrs(to map[string]string) {
	for _, nv := range c.setting {
		to[nv[0]] = nv[1]
	}
}
