package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// Units of an Amount.
const (
	unitClaim   = "claim"   // contract.claim
	unitLife    = "life"    // contract.life
	unitHandler = "handler" // the time of an attempt, as calibration measured it
)

// Amount is a length of time in a plan: a duration, or some times a Unit.
type Amount struct {
	Exact time.Duration // a duration; 0 where Times and Unit say it
	Times float64
	Unit  string
}

var amountForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) (claim|life|handler)$`)

// parseAmount reads 50ms, or 1.1 claim.
func parseAmount(s string) (Amount, error) {
	if m := amountForm.FindStringSubmatch(s); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		if err == nil && n > 0 {
			return Amount{Times: n, Unit: m[2]}, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return Amount{Exact: d}, nil
	}
	return Amount{}, fmt.Errorf("%q is no length of time: want a duration such as 50ms, or a number and claim, life or handler, as in 1.1 claim", s)
}

// of is how long the amount is, with units of these lengths.
func (a Amount) of(claim, life, handler time.Duration) time.Duration {
	unit := map[string]time.Duration{unitClaim: claim, unitLife: life, unitHandler: handler}[a.Unit]
	return a.Exact + time.Duration(a.Times*float64(unit))
}

// inUnits says whether a fault's argument is an amount that a run must work out.
func inUnits(f inject.Fault) (Amount, bool) {
	a, err := parseAmount(f.Arg)
	return a, err == nil && a.Unit != "" && takesTime(f.Name)
}

func takesTime(fault string) bool {
	return fault == inject.Delay.Name || fault == inject.Slow.Name
}

// amounts are the lengths of time that the plan needs, ageing left out.
func (p Plan) amounts() []Amount {
	var all []Amount
	for _, s := range p.flat() {
		switch {
		case s.Do == doWait:
			all = append(all, s.Amount)
		case s.Do == doTogether && s.Unit != "":
			for _, o := range s.Offset {
				all = append(all, Amount{Times: o, Unit: s.Unit})
			}
		}
		if a, ok := inUnits(s.Fault); ok {
			all = append(all, a)
		}
	}
	return all
}
