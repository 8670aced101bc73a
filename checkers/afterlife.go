package checkers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// afterLife: a repeat that comes when its key has certainly expired is answered
// as contract.after_life says, whatever payload it carries by then. A life that
// is "at least" so long never certainly ends.
func afterLife(gs []Group) (vs []Violation) {
	controls := unacceptable(gs)
	for i := range gs {
		vs = append(vs, gs[i].afterLives(controls)...)
	}
	return vs
}

func (g *Group) afterLives(controls map[field]*history.Attempt) (vs []Violation) {
	c := g.Contract
	if !c.AfterLife.Judged() || c.Life == 0 || c.LifeFrom.Has("at least") {
		return nil
	}
	for i := range g.Operations {
		op := &g.Operations[i]
		if !g.digest(i).outlives(c.Life) {
			continue
		}
		tell := g.Calibration[op.Name].Telling
		repeats(c, op, func(r *repeat) {
			if r.like != identical && variant(*r.again) == "" || !r.expired || !r.after || r.overlapped || r.elapsed() < c.Life+c.Life/10 {
				return
			}
			if v := g.afterLife(r, tell, controls[field{op.Name, variant(*r.again)}]); v.Verdict != "" {
				vs = append(vs, v)
			}
		})
	}
	return vs
}

// elapsed is how long after the first answer the repeat began, ageing included.
func (r *repeat) elapsed() time.Duration {
	d := r.since()
	for _, m := range r.op.Marks {
		if m.Seq > r.first.End.Seq && m.Seq < r.again.Begin.Seq {
			d += agedBy(m)
		}
	}
	return d
}

func (g *Group) afterLife(r *repeat, tell []string, control *history.Attempt) Violation {
	f, s := &g.Contract.AfterLife, status(*r.again)
	how := "repeated"
	if v := variant(*r.again); v != "" {
		how = "sent with another " + strings.TrimPrefix(v, "/")
	}
	what := fmt.Sprintf("%s was %s after the life of its key (%s) and answered %s", called(r.op), how, span(g.Contract.Life), shown(r.again, tell))
	says := fmt.Sprintf("The contract says: after_life %s.", strings.Join(f.Values, " or "))
	refusal := f.Has("reject") || f.Has(s) || !f.Has("new") && variant(*r.again) != "" && g.Contract.Mismatch.Has(s)
	switch r.again.Outcome() {
	case history.OK:
		switch {
		case f.Has("new") && len(tell) == 0:
			return r.violation("after-life", Inconclusive, what+". No field of the answers names the operation, so whether it ran as new is not known.")
		case f.Has("new") && (differ(r.first, r.again, tell) || g.tookMore()):
			return Violation{}
		}
	case history.Refused:
		if refusal {
			return Violation{}
		}
		if control != nil {
			v := r.violation("after-life", Inconclusive, fmt.Sprintf("%s, but so was a fresh operation with that payload (%s): nothing was learned.", what, status(*control)))
			v.Witnesses = append(v.Witnesses, control.End.Seq)
			return v
		}
		if s == "429" || s == "unreachable" || (s == "409" || s == "423") && r.lingering {
			return r.violation("after-life", Inconclusive, what+": not judged.")
		}
	default:
		if !slices.Contains(f.Values, s) {
			return r.violation("after-life", Inconclusive, what+": not judged.")
		}
		return Violation{}
	}
	return r.violation("after-life", Fail, what+". "+says)
}
