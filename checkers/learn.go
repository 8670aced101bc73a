package checkers

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// learn finds the telling fields of operations that were not calibrated in the
// answers of the run itself. Its operations may have been answered wrongly, so
// less is taken for an identity than a calibration would: a place must be named
// as one, or be as varied as the operations are; and some repeat must have shown
// the same value again.
func (x *index) learn(measured map[string]Calibration) map[string]Calibration {
	known := maps.Clone(measured)
	byName := map[string]*places{}
	for i := range x.ops {
		op := &x.ops[i]
		if _, ok := known[op.Name]; ok {
			continue
		}
		p, ok := byName[op.Name]
		if !ok {
			p = &places{at: map[string]*place{}}
			byName[op.Name] = p
		}
		if p.n < sample {
			p.look(op)
		}
	}
	for name, p := range byName {
		if p.n > 0 {
			known[name] = p.calibration()
		}
	}
	return known
}

// reading reports whether some of the rules look at what answers say.
func reading(rules []Rule) bool {
	return len(rules) == 0 || slices.ContainsFunc(rules, func(r Rule) bool { return !r.effects && !r.model })
}

// places are the fields in the answers to operations of one name.
type places struct {
	n     int // operations that were accepted
	at    map[string]*place
	order []string
}

// place is one field.
type place struct {
	values       map[string]bool // of first answers
	ops          int
	stays, moves int // repeats that showed the same value again, and another one
	unfit        bool
}

func (p *places) look(op *history.Operation) {
	first := accepted(op)
	if first == nil {
		return
	}
	p.n++
	shown := map[string]string{}
	for _, s := range scalars(first.End.Body) {
		f := p.of(s.pointer)
		f.ops++
		f.values[s.value] = true
		f.unfit = f.unfit || !likeIdentity(s.pointer, s.value, s.str) || asks(first, s.value)
		shown[s.pointer] = s.value
	}
	for i := range op.Attempts {
		a := &op.Attempts[i]
		if a == first || a.Outcome() != history.OK || a.End == first.End || variant(*a) != "" {
			continue
		}
		for _, s := range scalars(a.End.Body) {
			if v, ok := shown[s.pointer]; ok {
				p.at[s.pointer].again(v == s.value)
			}
		}
	}
}

// asks reports whether the caller sent a value. It is looked for as a text first:
// to take a request apart costs more.
func asks(a *history.Attempt, value string) bool {
	e := a.Begin
	for _, text := range []string{e.Op, e.Key, e.Body, e.Attrs[history.AttrRequest]} {
		if strings.Contains(text, value) {
			return requested(*a)[value]
		}
	}
	return false
}

func (p *places) of(pointer string) *place {
	f, ok := p.at[pointer]
	if !ok {
		f = &place{values: map[string]bool{}}
		p.at[pointer] = f
		p.order = append(p.order, pointer)
	}
	return f
}

func (f *place) again(same bool) {
	if same {
		f.stays++
	} else {
		f.moves++
	}
}

// calibration takes for telling what names the operation, for moving what is named
// so and never stayed, for volatile what else changed.
func (p *places) calibration() (c Calibration) {
	for _, pointer := range p.order {
		f := p.at[pointer]
		name := pointer[strings.LastIndexByte(pointer, '/')+1:]
		named := pointer == "" || idName.MatchString(name) && !passing.MatchString(pointer)
		own := !f.unfit && f.singular() && !passing.MatchString(name)
		switch {
		case own && f.stays > 0 && (named || f.ops >= 4 && f.stays >= f.moves):
			c.Telling = append(c.Telling, pointer)
		case own && named && f.moves > 0:
			c.Moving = append(c.Moving, pointer)
		case f.moves > 0:
			c.Volatile = append(c.Volatile, pointer)
		}
	}
	if len(c.Telling) > 0 {
		c.Volatile, c.Moving = append(c.Volatile, c.Moving...), nil
	}
	slices.Sort(c.Volatile)
	return c
}

// singular reports whether hardly any two operations show the same value.
func (f *place) singular() bool { return f.ops < 2 || 10*len(f.values) >= 9*f.ops }

// passing are names of what belongs to an answer and not to the operation.
var passing = regexp.MustCompile(`(?i)request|trace|span|correlation|response|attempt|delivery|message|session|nonce`)

// timely are names and forms of what may change from answer to answer without
// telling anything: moments, durations, and what passing says.
var timely = regexp.MustCompile(`(?i:^(?:at|on|ts|date|time|now|age|ttl|took|elapsed|duration|latency)$|[_-](?:at|on|ts|date|time|ms|ns)$|timestamp)|[a-z](?:At|On|Date|Time|Ms)$`)

// untelling reports whether a difference of two answers says nothing: both are ok,
// whatever the status.
func untelling(d Difference) bool {
	if d.Where == "status" {
		return true
	}
	name := d.Where[strings.LastIndexByte(d.Where, '/')+1:]
	return strings.HasPrefix(d.Where, "/") && d.First != "" && d.Again != "" &&
		(passing.MatchString(name) || timely.MatchString(name) || moment.MatchString(d.First) && moment.MatchString(d.Again))
}

// identifying reports whether a difference is one of what may be identities.
func identifying(d Difference) bool {
	return likeIdentity(d.Where, d.First, true) || likeIdentity(d.Where, d.Again, true)
}

// uncomparable says why same-answer, asked for by name, could not compare a
// single pair of answers: they differ, and no field of them names the operation.
func uncomparable(groups []Group) []Violation {
	var v Violation
	for i := range groups {
		g := &groups[i]
		for j := range g.Operations {
			op := &g.Operations[j]
			cal := g.Calibration[op.Name]
			if g.Contract.Replay.Judged() || len(cal.Telling)+len(cal.Moving) > 0 {
				return nil
			}
			judged := false
			repeats(g.Contract, op, func(r *repeat) {
				if r.like == changed || r.again.Outcome() != history.OK {
					return
				}
				ds := slices.DeleteFunc(differences(r.first.End, r.again.End, nil), untelling)
				judged = judged || len(ds) == 0 || names(r.first.End, op.ID) && names(r.again.End, op.ID) && !slices.ContainsFunc(ds, identifying)
				if v.Rule == "" && len(ds) > 0 {
					v = unlike(r, ds)
				}
			})
			if judged {
				return nil
			}
		}
	}
	if v.Rule == "" {
		return nil
	}
	return []Violation{v}
}

func unlike(r *repeat, ds []Difference) Violation {
	d := ds[0]
	v := r.violation("same-answer", Inconclusive, "same-answer judged nothing: answers to repeats differ ("+d.Where+": "+orNothing(d.First)+", then "+orNothing(d.Again)+
		"), and no field of them names the operation.")
	v.Differences = ds
	v.Cure = "answer with the id of what was made, state what a repeat is answered (contract: replay), or leave the rule out."
	return v
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
