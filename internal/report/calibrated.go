package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// calibrated prints what each observer showed for one operation without faults,
// and how long after the first byte was sent.
func (p *page) calibrated() {
	if parts := p.calibratedLines(); len(parts) > 0 {
		p.say("calibrated  ", "            ", strings.Join(parts, " · "))
	}
}

// calibratedLines are those of each operation: "charge: charge-row 1 (12 ms)".
func (p *page) calibratedLines() (parts []string) {
	names, seen := p.calibration()
	for _, name := range names {
		var observers []string
		for _, o := range p.History.Header.Observers {
			if len(o.Of) == 0 || slices.Contains(o.Of, name) {
				observers = append(observers, o.Name+" "+seen[[2]string{name, o.Name}].String())
			}
		}
		switch {
		case p.Report.Calibration[name].Failed != "":
			observers = []string{"not accepted"}
		case len(observers) == 0:
			observers = []string{"no observer"}
		}
		parts = append(parts, name+": "+strings.Join(observers, ", "))
	}
	return parts
}

// sight is what one observer showed for the calibration of one operation.
type sight struct {
	few, many int // effects of the operations that showed the fewest and the most
	after     time.Duration
	any       bool
}

// String is "1 (12 ms)", "0" or, where the operations differ, "0 to 2 (12 ms)".
func (s sight) String() string {
	switch {
	case s.many == 0:
		return "0"
	case s.few == s.many:
		return fmt.Sprintf("%d (%s)", s.many, short(s.after))
	}
	return fmt.Sprintf("%d to %d (%s)", s.few, s.many, short(s.after))
}

// calibration are the operations that were calibrated, and what was seen.
func (p *page) calibration() (names []string, seen map[[2]string]sight) {
	seen = map[[2]string]sight{}
	for op := range p.History.Operations() {
		if op.Case != history.CaseCalibration || len(op.Attempts) == 0 || op.Attempts[0].Begin.Attrs[history.AttrBefore] != "" || !p.underTest(op.Name) {
			continue
		}
		names = add(names, op.Name)
		for _, o := range p.History.Header.Observers {
			at := [2]string{op.Name, o.Name}
			n, after := effects(op, o.Name)
			s := seen[at]
			if !s.any {
				s = sight{few: n, any: true}
			}
			s.few, s.many, s.after = min(s.few, n), max(s.many, n), max(s.after, after)
			seen[at] = s
		}
	}
	return names, seen
}

// effects counts the effects that an observer showed of an operation, and tells
// how long after its first attempt began the first was seen.
func effects(op history.Operation, observer string) (n int, after time.Duration) {
	for _, e := range op.Effects {
		if e.Name != observer || e.Attrs[history.AttrForeign] == "true" {
			continue
		}
		if n = max(n, e.Count); n > 0 && after == 0 {
			after = time.Duration(e.At - op.Attempts[0].Begin.At)
		}
	}
	return n, after
}

// underTest says whether an operation has cases; others only run before one that has.
func (p *page) underTest(operation string) bool {
	return slices.ContainsFunc(p.Report.Cases, func(c checkers.Case) bool { return c.Operation == operation })
}

// short is a duration for people: "12 ms", "1.2 s".
func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
