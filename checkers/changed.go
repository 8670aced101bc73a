package checkers

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// changedPayloadRefused: another payload under a used key gets the contract's
// answer. That nothing was executed is for at-most-once, whose upper bound a
// variant does not raise.
//
// A service may refuse the other payload for what it says, whoever sends it: an
// amount above its limit. Where a fresh operation with a payload changed in the
// same field was refused too (the control), a refusal has shown nothing.
func changedPayloadRefused(gs []Group) (vs []Violation) {
	controls, compared := unacceptable(gs), comparedFields(gs)
	for i := range gs {
		vs = append(vs, gs[i].changedPayload(controls, compared)...)
	}
	return vs
}

// field is one that a variant changes, of the operations of one name.
type field struct{ name, variant string }

// unacceptable finds the fields whose change was refused where no other attempt
// could be the reason.
func unacceptable(gs []Group) map[field]*history.Attempt {
	found := map[field]*history.Attempt{}
	for i := range gs {
		if len(gs[i].Operations) > 1 || !gs[i].digest(0).variants {
			continue
		}
		op := &gs[i].Operations[0]
		if a := &op.Attempts[0]; variant(*a) != "" && a.Outcome() == history.Refused && status(*a) != "429" && status(*a) != "unreachable" {
			found[field{op.Name, variant(*a)}] = a
		}
	}
	return found
}

func (g *Group) changedPayload(controls map[field]*history.Attempt, compared map[field]bool) (vs []Violation) {
	if !g.Contract.Mismatch.Judged() {
		return nil
	}
	for i := range g.Operations {
		if !g.digest(i).variants {
			continue
		}
		op := &g.Operations[i]
		tell := g.Calibration[op.Name].Telling
		var open Violation
		judged := false
		repeats(g.Contract, op, func(r *repeat) {
			if r.like != changed || variant(*r.again) == "" || r.expired {
				return
			}
			if !r.alone() { // which of the two came first is not known; both were shown one answer, or were not
				if r.again.Outcome() == history.OK && tellsSame(r.first, r.again, tell) {
					what, says := g.mismatching(r)
					vs = append(vs, g.carriedOut(r, tell, what, says, compared))
				}
				return
			}
			v, ok := g.mismatch(r, tell, controls[field{op.Name, variant(*r.again)}], compared)
			judged = judged || ok
			if !ok {
				open = v
			} else if v.Verdict != "" {
				vs = append(vs, v)
			}
		})
		if !judged && open.Verdict != "" {
			vs = append(vs, open)
		}
	}
	return vs
}

// mismatch judges the answer to a variant; ok is false where there was none, or
// the control was refused like it.
func (g *Group) mismatch(r *repeat, tell []string, control *history.Attempt, compared map[field]bool) (v Violation, ok bool) {
	m, s := &g.Contract.Mismatch, status(*r.again)
	what, says := g.mismatching(r)
	switch r.again.Outcome() {
	case history.Refused:
		if s == "429" || s == "unreachable" || (s == "409" || s == "423") && r.lingering && !m.Has(s) {
			break
		}
		if control != nil {
			v = r.violation("changed-payload-refused", Inconclusive, fmt.Sprintf(
				"%s and was refused (%s), but so was a fresh operation with that field changed (%s): the service takes no such payload. Give the field a value that may grow, such as ${int 1 100}, or send another field in a plan of your own, as in a/note.",
				what, s, status(*control)))
			v.Witnesses = append(v.Witnesses, control.End.Seq)
			return v, false
		}
		if m.Has("reject") || m.Has(s) {
			return Violation{}, true
		}
		return r.violation("changed-payload-refused", Fail, fmt.Sprintf("%s and was refused with %s. %s", what, s, says)), true
	case history.OK:
		return g.carriedOut(r, tell, what, says, compared), true
	}
	if m.Has(s) {
		return Violation{}, true
	}
	return r.violation("changed-payload-refused", Inconclusive, fmt.Sprintf("%s and ended with %s: not judged.", what, s)), false
}

// mismatching is what happened and what the contract says of it, in words.
func (g *Group) mismatching(r *repeat) (what, says string) {
	return fmt.Sprintf("%s was sent again with another %s under the same key", called(r.op), strings.TrimPrefix(variant(*r.again), "/")),
		fmt.Sprintf("The contract says: mismatch %s.", strings.Join(g.Contract.Mismatch.Values, " or "))
}

func (g *Group) carriedOut(r *repeat, tell []string, what, says string, compared map[field]bool) Violation {
	m := &g.Contract.Mismatch
	replayed := !differ(r.first, r.again, tell)
	if m.Has("execute") || m.Has("replay") && replayed {
		return Violation{}
	}
	if v, open := g.uncompared(r, what, compared); open && replayed {
		return v
	}
	how := "accepted"
	ds := differences(r.first.End, r.again.End, g.masks(r.op.Name))
	if replayed && len(tell) > 0 {
		how = "shown the answer to the first"
		ds = inBoth(r.first.End, r.again.End, tell)
	}
	v := r.violation("changed-payload-refused", Fail, fmt.Sprintf("%s and was %s (%s). %s", what, how, status(*r.again), says))
	v.Differences = ds
	v.Cause = "the payload is not compared with the one that the key was first used for."
	v.Cure = "keep a fingerprint of the payload with the key, and refuse another one."
	return v
}
