package checkers

import (
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// withoutKeys is what a contract promises to operations that have no key: a
// preset speaks of keys, so only what was stated is left to be judged.
func withoutKeys(c contract.Contract) contract.Contract {
	for _, a := range contract.Axes {
		if f := a.Field(&c); f.Confidence != contract.Stated {
			*f = contract.Field{}
		}
	}
	return c
}

// contractOf is what is promised to the operations of a group.
func (f *frame) contractOf(part []history.Operation) *contract.Contract {
	for i := range part {
		if part[i].Attempts[0].Begin.Attrs[history.AttrKeyless] != "none" {
			return f.contract
		}
	}
	return &f.keyless
}

// gone reports whether a repeat of a DELETE without a key found that there was
// nothing left: its effect is the same (RFC 9110, 9.2.2), its answer need not be.
func (r *repeat) gone() bool {
	s := status(*r.again)
	return (s == "404" || s == "410") && r.again.Begin.Attrs[history.AttrKeyless] == "none" &&
		strings.HasPrefix(r.again.Begin.Attrs[history.AttrRequest], "DELETE ")
}
