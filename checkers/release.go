package checkers

import (
	"fmt"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// release is how long after its answer a service may still hold the mark that
// an attempt is in progress: many keep the answer only once it has been sent.
const release = 250 * time.Millisecond

// inFlight reports whether a status says that an attempt is still running.
func (g *Group) inFlight(s string) bool {
	if f := &g.Contract.InFlight; f.Judged() {
		return f.Has(s)
	}
	return s == "409" || s == "423"
}

// soon reports whether the mark of the first attempt may still have been there:
// it is too early to tell, or a later attempt was accepted.
func (r *repeat) soon() bool {
	return time.Duration(r.again.Begin.At-r.first.End.At) < release || r.acceptedLater()
}

func (r *repeat) acceptedLater() bool {
	for _, a := range r.op.Attempts {
		if a.Begin.Seq > r.again.End.Seq && a.Outcome() == history.OK && keyOf(r.op, a) == keyOf(r.op, *r.again) && variant(a) == "" {
			return true
		}
	}
	return false
}

// releasedLate judges a repeat that was told of an attempt in flight when the
// first had been answered.
func (g *Group) releasedLate(r *repeat) Violation {
	what := fmt.Sprintf("%s was accepted (%s), and its identical repeat was refused (%s) %s later",
		called(r.op), status(*r.first), status(*r.again), span(time.Duration(r.again.Begin.At-r.first.End.At)))
	if r.acceptedLater() {
		return r.violation("same-answer", Note, what+", and accepted after that: the mark of the first was released late.")
	}
	return r.violation("same-answer", Inconclusive, what+". It was not tried again later, so whether the key stays blocked is not known.")
}
