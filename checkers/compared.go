package checkers

import (
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// uncompared lets a variant be taken for a repeat where the contract says that
// its field is not compared, or that only some are and another one was seen to be.
func (g *Group) uncompared(r *repeat, what string, compared map[field]bool) (v Violation, open bool) {
	f := &g.Contract.Fingerprint
	at, named := variant(*r.again), false
	for _, field := range f.Values {
		if !strings.HasPrefix(field, "/") {
			continue
		}
		named = true
		if at == field || strings.HasPrefix(at, field+"/") {
			return v, false
		}
	}
	switch {
	case !f.Judged():
		return v, false
	case named:
		return v, true
	case !onlyFields(f) || !compared[field{name: r.op.Name}] || compared[field{r.op.Name, at}]:
		return v, false
	}
	return r.violation("changed-payload-refused", Note, what+
		" and shown the answer to the first. The contract says that some fields are compared, and not which."), true
}

// onlyFields reports whether the user says that some fields are compared: a
// standard that lets services choose is no word of this one.
func onlyFields(f *contract.Field) bool {
	return f.Confidence == contract.Stated && len(f.Values) == 1 && f.Has("fields")
}

// comparedFields are those whose change was refused, and for each name of which
// there is one an entry without a field.
func comparedFields(gs []Group) map[field]bool {
	found := map[field]bool{}
	for i := range gs {
		if !onlyFields(&gs[i].Contract.Fingerprint) {
			continue
		}
		for j := range gs[i].Operations {
			op := &gs[i].Operations[j]
			if !gs[i].digest(j).variants {
				continue
			}
			for _, a := range op.Attempts[1:] {
				if variant(a) != "" && a.Outcome() == history.Refused && status(a) != "429" && status(a) != "unreachable" {
					found[field{op.Name, variant(a)}], found[field{name: op.Name}] = true, true
				}
			}
		}
	}
	return found
}
