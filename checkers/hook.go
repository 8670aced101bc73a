package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// hook is the kind of an observer that is a call in the system's own code. Its
// run has no calibration: what it reports is what happened, so it is relied on as
// soon as it has reported something.
const hook = "hook"

// hooked reports whether a history was recorded in process.
func hooked(h *history.Header) bool {
	return slices.ContainsFunc(h.Observers, func(o history.Observer) bool { return o.Kind == hook })
}

// unheard says why a hook proves nothing.
func unheard(o *history.Observer, name string) string {
	if o.Name == "effect" {
		return "Effect was never called."
	}
	return fmt.Sprintf("%s never showed an effect of %s.", o.Name, name)
}

// idleHooks drops the hooks that never reported anything where another one did:
// a run has one for each place at which effects may be seen, used or not.
func (f *frame) idleHooks(os []history.Observer, name string) []history.Observer {
	sighted := func(o history.Observer) bool { return o.Kind == hook && f.sighted[o.Name+"/"+name] }
	if !slices.ContainsFunc(os, sighted) {
		return os
	}
	return slices.DeleteFunc(os, func(o history.Observer) bool { return o.Kind == hook && !sighted(o) })
}

// byID reports whether an observer counts by the business id alone, whatever keys
// were sent: one that was told so, and a hook, unless it was the tool that
// changed the key or what was asked for.
func byID(o *history.Observer, op *history.Operation, lives []int) bool {
	if o.Unique == "id" {
		return true
	}
	return o.Kind == hook && lives == nil && !slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool {
		fault := a.Begin.Attrs[history.AttrFault]
		return variant(a) != "" || strings.HasSuffix(fault, "-key") || fault == "change-payload"
	})
}

// idleRules says which rules that were asked for by name had nothing to judge. In
// a test that somebody wrote, a rule that judges nothing is a mistake.
func idleRules(rules []Rule, groups []Group) (vs []Violation) {
	for _, r := range rules {
		if noSubject([]Rule{r}, groups) != "" {
			vs = append(vs, Violation{Rule: r.Name, Verdict: Inconclusive, Reason: r.Name + " judged nothing: it needs " + subjects[r.Name].what + ".",
				Cure: "let the run have that, or leave the rule out."})
		} else if r.Name == SameAnswer.Name {
			vs = append(vs, uncomparable(groups)...)
		}
	}
	return vs
}
