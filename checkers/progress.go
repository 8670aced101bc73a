package checkers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// progress: an operation that was retried reaches a final answer within the
// life of an in-progress record plus a tenth.
func progress(g Group) (vs []Violation) {
	for i := range g.Operations {
		op := &g.Operations[i]
		if d := g.digest(i); d.all < 2 || d.ok > 0 || final(op) {
			continue
		}
		s := stuck{g: &g, op: op, last: &op.Attempts[len(op.Attempts)-1]}
		s.effect = s.there()
		if v := s.judge(); v.Verdict != "" {
			vs = append(vs, v)
		}
	}
	return vs
}

// final reports whether the operation was refused for good: one attempt with an
// answer that a later one cannot change.
func final(op *history.Operation) bool {
	last := op.Attempts[len(op.Attempts)-1]
	return last.Outcome() == history.Refused && !slices.Contains([]string{"409", "423", "425", "429", "unreachable"}, status(last))
}

// stuck is an operation without a final answer.
type stuck struct {
	g      *Group
	op     *history.Operation
	last   *history.Attempt
	effect presence
}

// presence of the effect, as far as it is known.
type presence int

const (
	unseen  presence = iota // nobody looked
	missing                 // at one observer at least
	there                   // at all
)

func (s *stuck) there() presence {
	p := unseen
	for i := range s.g.Observers {
		s.g.units(&s.g.Observers[i], func(u *unit) {
			switch {
			case !slices.ContainsFunc(u.ops, func(op history.Operation) bool { return sameOperation(&op, s.op) }):
			case u.seen >= max(1, u.observer.Expect) && p != missing:
				p = there
			case u.read && u.seen < max(1, u.observer.Expect):
				p = missing
			}
		})
	}
	return p
}

// tried is for how long the key was tried, ageing included: since the first
// attempt, or since the system was last made whole.
func (s *stuck) tried() time.Duration {
	from := s.op.Attempts[0].Begin
	for _, m := range s.op.Marks {
		if made(m) && m.Seq > from.Seq && m.Seq < s.last.Begin.Seq {
			from = m
		}
	}
	d := time.Duration(s.last.Begin.At - from.At)
	for _, m := range s.op.Marks {
		if m.Seq > from.Seq && m.Seq < s.last.Begin.Seq {
			d += agedBy(m)
		}
	}
	return d
}

func (s *stuck) judge() Violation {
	st, c := status(*s.last), s.g.Contract
	what := fmt.Sprintf("%s was tried %s in %s and never got a final answer: the last was %s",
		called(s.op), times(len(s.op.Attempts)), span(s.tried()), st)
	switch {
	case s.disturbed() != "":
		return s.violation(Inconclusive, fmt.Sprintf("%s, while %s.", what, s.disturbed()))
	case strings.HasPrefix(st, "5") && s.wasAway():
		return s.violation(Inconclusive, what+". Its store had been away, and was back: whether it finds its way back later is not known.")
	case strings.HasPrefix(st, "5") && s.keptFailing():
		return s.stored(what)
	}
	late := c.Claim > 0 && s.tried() >= c.Claim+c.Claim/10
	busy := st == "409" || st == "423" || st == "425"
	promises := c.Replay.Judged() && !c.Replay.Has("conflict") && !c.Replay.Has("none")
	switch {
	case busy && s.effect == there && !(late && promises):
		return s.violation(Note, what+". The effect is there: reported as a conflict.")
	case c.Claim == 0:
		return s.violation(Inconclusive, what+". State contract.claim, how long an unfinished try blocks the key, to have it judged.")
	case !late:
		return s.violation(Inconclusive, fmt.Sprintf("%s. The claim of %s had not ended by then.", what, span(c.Claim)))
	case st == "429" || st == "unreachable" || st == "garbage" || s.faulted():
		return s.violation(Inconclusive, what+".")
	case busy && s.effect == unseen && !promises:
		return s.violation(Inconclusive, what+". Whether it took effect is not known: no observer saw it.")
	}
	v := s.violation(Fail, fmt.Sprintf("%s. The contract says that an unfinished try blocks the key for %s.", what, span(c.Claim)))
	if busy {
		v.Cause = "the first try left its key marked as in progress, and nothing takes the mark away."
		v.Cure = "give the mark a time after which another try may take it over."
	}
	return v
}

// faulted reports whether the last attempt was itself struck.
func (s *stuck) faulted() bool {
	f := s.last.Begin.Attrs[history.AttrFault]
	return f != "" && f != "delay" || slices.ContainsFunc(s.op.Faults, func(e *history.Event) bool {
		return e.Attrs[history.AttrMoment] != "" && e.Seq > s.last.Begin.Seq && e.Seq < ended(*s.last)
	})
}

// keptFailing reports whether the last two answers are the same 5xx: perhaps a
// failure that is kept, not one that happens again.
func (s *stuck) keptFailing() bool {
	before := s.op.Attempts[len(s.op.Attempts)-2]
	return before.End != nil && before.End.Status == s.last.End.Status && before.End.Answer == s.last.End.Answer
}

// causeGone reports whether a fault of ours had made the operation fail, and
// struck neither of the last two attempts.
func (s *stuck) causeGone() bool {
	n := len(s.op.Attempts)
	if len(s.op.Faults) == 0 || s.faulted() {
		return false
	}
	last := s.op.Faults[len(s.op.Faults)-1]
	return last.Seq < s.op.Attempts[n-2].Begin.Seq
}

// stored judges a failure that is given again and again.
func (s *stuck) stored(what string) Violation {
	f := &s.g.Contract.Stored
	kept := f.Has("5xx") || f.Has("all")
	switch {
	case f.Judged() && kept:
		return Violation{}
	case !f.Judged():
		return s.violation(Inconclusive, what+", again and again. State contract.stored, which outcomes are kept, to have it judged.")
	case !s.causeGone():
		return s.violation(Inconclusive, what+", and no fault of ours was behind it.")
	}
	v := s.violation(Fail, what+", again and again. The contract does not say that a failure is kept.")
	v.Cause = "the first failure was kept as the answer to the key."
	v.Cure = "keep only answers that are final; release the key when the work fails for a passing reason."
	return v
}

func (s *stuck) violation(v Verdict, reason string) Violation {
	first := s.op.Attempts[0]
	w := []int64{first.Begin.Seq, s.last.Begin.Seq}
	if s.last.End != nil {
		w = append(w, s.last.End.Seq)
	}
	return Violation{Rule: "progress", Verdict: v, Op: s.op.ID, Scope: s.op.Scope, Reason: reason, Witnesses: w}
}
