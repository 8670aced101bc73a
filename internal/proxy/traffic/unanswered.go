package traffic

import (
	"fmt"
	"time"
)

const (
	// Patience is how long the answer to a copy is waited for.
	Patience = 30 * time.Second

	slowOriginals = 2000 // ms on the average: with more, repeats may time out by load
)

// wait notes how an answer did not come.
func (g *group) wait(a Answer) {
	switch {
	case a.Err != "timeout":
	case a.Took >= Patience-time.Second:
		g.hung++
	default:
		g.cutShort++
	}
	g.err = a.Err
}

// unanswered tells of repeats of accepted requests that were not answered, or not
// as an answer should be.
func (j *judgement) unanswered(groups []*group) {
	hung, short := group{sort: unanswered}, int64(0)
	for _, g := range groups {
		if g.sort != unanswered || g.otherKey || g.swapped {
			continue
		}
		short += g.cutShort
		part, rest := *g, *g
		part.n, rest.n = g.hung, g.n-g.hung
		part.overlapped, rest.overlapped = min(g.overlapped, part.n), max(0, g.overlapped-part.n)
		if part.n > 0 {
			hung.join(&part)
		}
		if rest.n > 0 {
			j.find("unanswered", Unknown, &rest, "%s, after the first was accepted.", rest.missed())
		}
	}
	switch {
	case hung.n == 0:
	case hung.n >= fewestRefusals && 2*hung.n >= j.Tried-short && j.answering():
		j.find("hung", Likely, &hung, "not answered within %.0f s, and requests that were sent once are: the key, or what else tells that it is a repeat, seems to stay locked.", Patience.Seconds())
	default:
		j.find("unanswered", Unknown, &hung, "not answered within %.0f s, after the first was accepted.", Patience.Seconds())
	}
}

// answering reports whether what callers send is answered, and soon.
func (j *judgement) answering() bool {
	return 50*(j.r.answers[0].Load()+j.r.answers[5].Load()) <= j.r.requests.Load() && j.MeanMs <= slowOriginals
}

// missed is how an answer was missed, in words.
func (g *group) missed() string {
	switch g.err {
	case "":
		return fmt.Sprintf("answered %d", g.statuses[1])
	case "timeout":
		return "not answered before the proxy ended"
	case "unreachable":
		return "not answered, since the service could not be reached"
	case "cut-off":
		return "answered in part only"
	}
	return "not answered: the connection was reset"
}
