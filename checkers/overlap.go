package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// overlapAnswer: a copy that came while another ran gets what the contract
// says. One that was accepted is right in any case: that two attempts overlap
// at the client does not prove that they did in the service.
func overlapAnswer(g Group) (vs []Violation) {
	if !g.Contract.InFlight.Judged() {
		return nil
	}
	for i := range g.Operations {
		if d := g.digest(i); d.serial || d.ok == d.all {
			continue
		}
		op := &g.Operations[i]
		begin, last := 0, ended(op.Attempts[0])
		for j := 1; j <= len(op.Attempts); j++ {
			if j < len(op.Attempts) && op.Attempts[j].Begin.Seq < last {
				last = max(last, ended(op.Attempts[j]))
				continue
			}
			vs = g.cluster(op, op.Attempts[begin:j], vs)
			if j < len(op.Attempts) {
				begin, last = j, ended(op.Attempts[j])
			}
		}
	}
	return vs
}

// cluster judges attempts that overlap in a chain.
func (g *Group) cluster(op *history.Operation, as []history.Attempt, vs []Violation) []Violation {
	if len(as) < 2 {
		return vs
	}
	oks := map[request]*history.Attempt{}
	how := comparedBy(g.Contract)
	what := func(a *history.Attempt) request {
		return request{keyOf(op, *a), how.body(a.Begin), a.Begin.Attrs[history.AttrRequest] + variant(*a)}
	}
	for i := range as {
		if w := what(&as[i]); as[i].Outcome() == history.OK && oks[w] == nil {
			oks[w] = &as[i]
		}
	}
	for i := range as {
		if ok := oks[what(&as[i])]; ok != nil && as[i].Outcome() != history.OK {
			if v := g.copyAnswer(op, ok, &as[i]); v.Verdict != "" {
				return append(vs, v)
			}
		}
	}
	return vs
}

// copyAnswer judges a copy that was not accepted, beside one that was.
func (g *Group) copyAnswer(op *history.Operation, ok, a *history.Attempt) Violation {
	c, s := g.Contract, status(*a)
	r := repeat{op: op, first: ok, again: a}
	reason := ""
	switch {
	case r.gone():
	case c.InFlight.Has(s), c.InFlight.Has("reject") && a.Outcome() == history.Refused:
		_, told := a.End.Attrs[history.AttrHeader+"retry-after"]
		asks := slices.ContainsFunc(c.Signals.Values, func(v string) bool { return strings.EqualFold(v, "Retry-After") })
		if !told && asks && c.Signals.Judged() && a.Outcome() != history.OK {
			reason = fmt.Sprintf("An overlapping copy of %s was answered %s without Retry-After.", called(op), s)
		}
	case away(s), s == "409" && c.Replay.Judged() && c.Replay.Has("conflict"):
	case a.Outcome() == history.Refused, len(s) == 3 && s[0] == '5' && a.Begin.Attrs[history.AttrFault] == "":
		reason = fmt.Sprintf("An overlapping copy of %s was answered %s. The contract says: in_flight %s.",
			called(op), s, strings.Join(c.InFlight.Values, " or "))
	}
	if reason == "" {
		return Violation{}
	}
	v := r.violation("overlap-answer", Fail, reason)
	v.Differences = differences(ok.End, a.End, g.masks(op.Name))
	return v
}

// away reports whether an answer says that something could not be reached, or
// that there was too much to do: it says nothing about the copy (RFC 9110
// section 15.6, RFC 6585 section 4).
func away(status string) bool {
	switch status {
	case "429", "502", "503", "504", "unreachable":
		return true
	}
	return false
}
