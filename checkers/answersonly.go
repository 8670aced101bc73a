package checkers

import (
	"slices"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// tells reports whether answers alone can show anything wrong with an operation
// of a case: a field names it, or the contract says how answers look.
func (f *frame) tells(c *caseFile, name string, cal Calibration) bool {
	if len(cal.Telling)+len(cal.Moving) > 0 {
		return true
	}
	promises := f.contract
	if slices.ContainsFunc(c.ops, func(op history.Operation) bool {
		return op.Name == name && op.Attempts[0].Begin.Attrs[history.AttrKeyless] == "none"
	}) {
		promises = &f.keyless
	}
	return slices.ContainsFunc([]*contract.Field{&promises.Replay, &promises.Mismatch, &promises.InFlight},
		func(p *contract.Field) bool { return p.Judged() })
}
