package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// storedOutcome: an outcome that is not a success is kept, or not, as
// contract.stored and contract.replay_5xx say. It is judged only where a fault of
// ours made the service fail after it had begun the work, and has gone: what it
// refuses before that is kept by nobody.
func storedOutcome(g Group) (vs []Violation) {
	for i := range g.Operations {
		if d := g.digest(i); d.ok == d.all {
			continue
		}
		op := &g.Operations[i]
		for j := 1; j < len(op.Attempts); j++ {
			first, again := &op.Attempts[j-1], &op.Attempts[j]
			if v := g.stored(op, first, again); v.Verdict != "" {
				vs = append(vs, v)
				break
			}
			if v := g.stale(op, first, again); v.Verdict != "" {
				vs = append(vs, v)
				break
			}
		}
	}
	return vs
}

// stale judges an attempt under a new key, after a definite refusal, that was
// refused because the service asked its provider under the key of the refused
// call: then the operation can never be carried out.
func (g *Group) stale(op *history.Operation, first, again *history.Attempt) Violation {
	if failed(first) != "4xx" || again.Outcome() != history.Refused || first.End.Seq > again.Begin.Seq ||
		sentKey(op, *again) == "" || keyOf(op, *first) == keyOf(op, *again) || provoked(op, again) {
		return Violation{}
	}
	for _, m := range op.Moments {
		if m.Attrs[history.AttrStale] == "" || m.Seq < again.Begin.Seq || m.Seq > ended(*again) {
			continue
		}
		r := repeat{op: op, first: first, again: again}
		v := r.violation("stored-outcome", Inconclusive, fmt.Sprintf(
			"%s was refused (%s); tried again under a new key when the cause had gone it was refused again, since %s was called under the key of the refused call and repeated its refusal.",
			called(op), first.End.Status, m.Name))
		if g.Contract.Stored.Judged() {
			v.Verdict = Fail
			v.Reason += " The contract says: stored " + strings.Join(g.Contract.Stored.Values, " and ") + ", under the key."
		}
		v.Cause = "the provider's key is made from the order alone."
		v.Cure = "keep the provider's key after an outcome that is not known, and make a new one after a definite refusal."
		v.Witnesses = append(v.Witnesses, m.Seq)
		return v
	}
	return Violation{}
}

// provoked reports whether a fault of a provider struck while an attempt ran.
func provoked(op *history.Operation, a *history.Attempt) bool {
	return slices.ContainsFunc(op.Faults, func(f *history.Event) bool {
		return (f.Name == "fail" || f.Name == "refuse" && f.Attrs[history.AttrMoment] == "") && f.Seq > a.Begin.Seq && f.Seq < ended(*a)
	})
}

// failed reports whether an attempt ended with an error that is about the work:
// "4xx" or "5xx", else "".
func failed(a *history.Attempt) string {
	s := status(*a)
	switch {
	case !numeric(s), a.Begin.Attrs[history.AttrFault] != "", slices.Contains([]string{"408", "409", "423", "425", "429"}, s):
		return ""
	case s[0] == '4' || s[0] == '5':
		return s[:1] + "xx"
	}
	return ""
}

// keptClass says whether the contract keeps outcomes of a class, and in which
// words. What the user says of stored outweighs what a preset says of 5xx.
func keptClass(c *contract.Contract, class string) (kept bool, says string, judged bool) {
	own := c.Stored.Confidence == contract.Stated && c.Replay5xx.Confidence != contract.Stated
	if f := &c.Replay5xx; class == "5xx" && f.Judged() && !own {
		if f.Has("same") && len(f.Values) > 1 {
			return false, "", false
		}
		return f.Has("same"), "replay_5xx " + strings.Join(f.Values, " or "), true
	}
	f := &c.Stored
	return f.Has(class) || f.Has("all"), "stored " + strings.Join(f.Values, " and "), f.Judged()
}

func (g *Group) stored(op *history.Operation, first, again *history.Attempt) Violation {
	class := failed(first)
	if class == "" || again.End == nil || first.End.Seq > again.Begin.Seq || keyOf(op, *first) != keyOf(op, *again) ||
		again.Begin.Attrs[history.AttrFault] != "" || raw(first.Begin) != raw(again.Begin) || !provoked(op, first) || provoked(op, again) {
		return Violation{}
	}
	kept, says, judged := keptClass(g.Contract, class)
	same := again.End.Status == first.End.Status
	busy := !numeric(again.End.Status) || slices.Contains([]string{"408", "409", "423", "425", "429", "503"}, again.End.Status) && !same
	if !judged || busy || kept == same {
		return Violation{}
	}
	how := "and not carried out again"
	if kept {
		how = "although the first answer is kept"
	}
	reason := fmt.Sprintf("%s failed with %s, and its repeat, when the cause had gone, was answered %s, %s. The contract says: %s.",
		called(op), first.End.Status, again.End.Status, how, says)
	r := repeat{op: op, first: first, again: again}
	return r.violation("stored-outcome", Fail, reason)
}
