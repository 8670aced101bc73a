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
		return f.Has(s) || f.Has("reject") && (s == "409" || s == "423")
	}
	return s == "409" || s == "423"
}

// soon reports whether the mark of the first attempt may still have been there:
// it is too early to tell, or a later attempt was accepted and no more than the
// stated life of an in-progress record, and a tenth, had passed. Without a stated
// claim that cannot be judged.
func (g *Group) soon(r *repeat) bool {
	claim := g.Contract.Claim
	return r.since() < release || r.acceptedLater() && (claim == 0 || r.since() < claim+claim/10)
}

// since is how long after the first answer the repeat began.
func (r *repeat) since() time.Duration {
	return time.Duration(r.again.Begin.At - r.first.End.At)
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
		called(r.op), status(*r.first), status(*r.again), span(r.since()))
	switch {
	case !r.acceptedLater():
		return r.violation("same-answer", Inconclusive, what+". It was not tried again later, so whether the key stays blocked is not known.")
	case r.since() >= release && g.Contract.Claim == 0:
		return r.violation("same-answer", Inconclusive, what+", and accepted after that. Say how long a record in progress may block its key, contract.claim, to have it judged.")
	}
	return r.violation("same-answer", Note, what+", and accepted after that: the mark of the first was released late.")
}
