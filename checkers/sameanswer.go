package checkers

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// sameAnswer: a repeat of what was accepted is answered as the contract says.
func sameAnswer(g Group) (vs []Violation) {
	for i := range g.Operations {
		if g.answered(i) {
			continue
		}
		op := &g.Operations[i]
		tell := g.Calibration[op.Name].Telling
		if len(tell) == 0 {
			tell = g.Calibration[op.Name].Moving
		}
		found := false
		var errors failures
		repeats(g.Contract, op, func(r *repeat) {
			errors.add(r)
			if v := g.answer(r, tell); v.Verdict != "" && !found {
				if v.Verdict != Note {
					v.Differences = differences(r.first.End, r.again.End, g.masks(op.Name))
				}
				vs = append(vs, v)
				found = v.Verdict == Fail
			}
		})
		if v := g.onlyErrors(op, errors); v.Verdict != "" && !found {
			vs = append(vs, v)
		}
	}
	return vs
}

// masks are the places at which answers may differ.
func (g *Group) masks(name string) []string {
	if g.Contract.Replay.Judged() && g.Contract.Replay.Has("verbatim") {
		return nil
	}
	return g.Calibration[name].Volatile
}

func (g *Group) answer(r *repeat, tell []string) Violation {
	if r.like == changed || r.expired {
		return Violation{}
	}
	switch r.again.Outcome() {
	case history.OK:
		return g.accepted(r, tell)
	case history.Refused:
		if r.alone() {
			return g.refused(r, tell)
		}
	case history.Unknown:
		if r.alone() && strings.HasPrefix(status(*r.again), "5") {
			return r.violation("same-answer", Note, fmt.Sprintf("%s was accepted (%s), and its repeat was answered %s.",
				called(r.op), status(*r.first), status(*r.again)))
		}
	}
	return Violation{}
}

// accepted judges a repeat that was accepted too.
func (g *Group) accepted(r *repeat, tell []string) Violation {
	replay := &g.Contract.Replay
	promised := replay.Judged() && r.like == identical
	if promised && r.alone() {
		kept := false
		for _, how := range replay.Values {
			kept = kept || keeps(r, how, tell)
		}
		if !kept && replay.Has("current") && !showsSome(r.again.End, tell) {
			return r.violation("same-answer", Inconclusive, fmt.Sprintf(
				"%s was answered %s, and its identical repeat in another way (%s), in which no field names the operation: whether they agree is not known (contract.replay: current).",
				called(r.op), shown(r.first, tell), status(*r.again)))
		}
		if !kept {
			return r.violation("same-answer", Fail, fmt.Sprintf("%s was answered %s, and its identical repeat %s. The contract says: replay %s.",
				called(r.op), shown(r.first, tell), shown(r.again, tell), strings.Join(replay.Values, " or ")))
		}
		if v := g.marked(r); v.Verdict != "" {
			return v
		}
	}
	another := differ(r.first, r.again, tell)
	if !another && !promised && len(tell) == 0 && r.like == identical && r.alone() && pointElsewhere(r.first.End, r.again.End) {
		return r.violation("same-answer", Inconclusive, fmt.Sprintf("%s was answered %s with the Location %s, and its identical repeat %s with %s.", called(r.op),
			status(*r.first), r.first.End.Attrs[history.AttrHeader+"location"], status(*r.again), r.again.End.Attrs[history.AttrHeader+"location"]))
	}
	if promised && (replay.Has("accepted") || replay.Has("none")) || !another {
		return Violation{}
	}
	verdict := Inconclusive
	if promised || g.hooked && len(g.Calibration[r.op.Name].Telling) > 0 {
		verdict = Fail
	}
	what := "its identical repeat"
	if r.like == reencoded {
		what = "the same document written in another way"
	}
	if !r.after || r.overlapped {
		what = "an overlapping copy of it"
	}
	v := r.violation("same-answer", verdict, fmt.Sprintf("%s was answered %s, and %s %s.",
		called(r.op), shown(r.first, tell), what, shown(r.again, tell)))
	if verdict == Inconclusive {
		v.Cure = "state what a repeat is answered (replay, in the contract), or answer a repeat with the id that was made first."
	}
	if verdict == Inconclusive && !g.hooked {
		v.Cure = "Two answers that name different things are suspect. Count the effects (effects:) to see whether it happened twice, or state under contract: what a repeat is answered (replay:)."
	}
	return v
}

// refused judges a repeat that was refused although the first was accepted.
func (g *Group) refused(r *repeat, tell []string) Violation {
	s, replay := status(*r.again), &g.Contract.Replay
	busy := s == "409" || s == "423"
	switch {
	case s == "429", s == "unreachable", busy && r.lingering:
		return Violation{} // not about this operation, or a matter of progress
	case s == "412" && replay.Confidence != contract.Stated && !g.Contract.AfterLife.Has(s):
		// RFC 9110, 13.1.1: where the condition no longer holds since the same
		// request made it so, a server may say 412 as well as 2xx.
		return r.violation("same-answer", Note, fmt.Sprintf("%s was accepted (%s), and its repeat was answered 412: its condition no longer held.",
			called(r.op), status(*r.first)))
	case r.gone():
		return r.violation("same-answer", Note, fmt.Sprintf("%s was accepted (%s), and its repeat found nothing to delete (%s).",
			called(r.op), status(*r.first), s))
	case r.like == reencoded:
		return r.violation("same-answer", Note, fmt.Sprintf("%s was accepted (%s); the same document written in another way was refused (%s).",
			called(r.op), status(*r.first), s))
	case replay.Judged() && replay.Has("conflict") && s == "409" && (len(tell) == 0 || pointsAt(r, tell)):
		return Violation{}
	case replay.Judged() && replay.Has("none"):
		return r.violation("same-answer", Note, fmt.Sprintf("%s was accepted (%s), and its identical repeat was refused (%s).",
			called(r.op), status(*r.first), s))
	case replay.Judged() && !replay.Has("conflict") && g.inFlight(s) && g.soon(r):
		return g.releasedLate(r)
	case replay.Judged():
		return r.violation("same-answer", Fail, fmt.Sprintf("%s was accepted (%s), and its identical repeat was refused (%s).",
			called(r.op), status(*r.first), s))
	case s == "409":
		return Violation{}
	}
	return r.violation("same-answer", Inconclusive, fmt.Sprintf(
		"%s was accepted (%s), and its identical repeat was refused (%s). Say what the service promises, contract.replay, to have it judged.",
		called(r.op), status(*r.first), s))
}

// pointsAt reports whether a conflict names the resource or the operation.
func pointsAt(r *repeat, tell []string) bool {
	values, _ := pick(r.first.End.Body, tell)
	for _, v := range append(values, r.op.ID) {
		if names(r.again.End, v) {
			return true
		}
	}
	return false
}

// marked judges the marker of a replay, if one is promised.
func (g *Group) marked(r *repeat) Violation {
	m := &g.Contract.Marker
	if !m.Judged() || m.Has("none") {
		return Violation{}
	}
	for _, want := range m.Values {
		if was, is, statuses := strings.Cut(want, "->"); statuses {
			if status(*r.first) != was || status(*r.again) == is {
				return Violation{}
			}
			continue
		}
		name, value, valued := strings.Cut(want, ":")
		got, ok := r.again.End.Attrs[history.AttrHeader+strings.ToLower(name)]
		if ok && (!valued || strings.EqualFold(strings.TrimSpace(value), strings.TrimSpace(got))) {
			return Violation{}
		}
	}
	return r.violation("same-answer", Fail, fmt.Sprintf("%s was repeated, and the replay (%s) was not marked %s.",
		called(r.op), status(*r.again), strings.Join(m.Values, " or ")))
}

func (r *repeat) violation(rule string, v Verdict, reason string) Violation {
	w := []int64{r.first.End.Seq, r.again.Begin.Seq}
	if r.again.End != nil {
		w = append(w, r.again.End.Seq)
	}
	return Violation{Rule: rule, Verdict: v, Op: r.op.ID, Scope: r.op.Scope, Reason: reason, Witnesses: w}
}
