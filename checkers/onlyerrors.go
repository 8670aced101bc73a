package checkers

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// failures are the repeats of one accepted operation that were answered with a
// server error, as long as none was accepted.
type failures struct {
	n           int
	first, last repeat
	accepted    bool
}

func (f *failures) add(r *repeat) {
	if r.like != identical || !r.alone() {
		return
	}
	switch {
	case r.again.Outcome() == history.OK:
		f.accepted = true
	case r.again.Outcome() == history.Unknown && strings.HasPrefix(status(*r.again), "5"):
		if f.n++; f.n == 1 {
			f.first = *r
		}
		f.last = *r
	}
}

// stubborn is how many server errors are no accident.
const stubborn = 3

// onlyErrors judges an operation of which every repeat, and there were several,
// failed: the caller is told for ever to try again what has been done.
func (g *Group) onlyErrors(op *history.Operation, f failures) Violation {
	if f.accepted || f.n < stubborn {
		return Violation{}
	}
	v := f.first.violation("same-answer", Inconclusive, fmt.Sprintf("%s was accepted (%s), and each of its %d repeats was answered with a server error (%s).",
		called(op), status(*f.first.first), f.n, status(*f.last.again)))
	if replay := &g.Contract.Replay; replay.Judged() && !replay.Has("none") {
		v.Verdict = Fail
		v.Reason += fmt.Sprintf(" The contract says: replay %s.", strings.Join(replay.Values, " or "))
	}
	v.Cause = "what keeps the operation from happening twice is met as an error and passed on."
	v.Cure = "answer a repeat from what was stored, not with the error of a unique index."
	v.Witnesses = append(v.Witnesses, f.last.again.End.Seq)
	return v
}
