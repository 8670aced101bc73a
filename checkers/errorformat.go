package checkers

import (
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// errorFormat: errors that are about the key look as contract.errors says: the
// refusal of a changed payload, of an overlapping copy, of a bad key.
func errorFormat(g Group) (vs []Violation) {
	if !g.Contract.Errors.Judged() {
		return nil
	}
	for i := range g.Operations {
		if g.digest(i).refused == 0 {
			continue
		}
		op := &g.Operations[i]
		ok := accepted(op)
		for j := range op.Attempts {
			a := &op.Attempts[j]
			what := aboutKey(op, ok, a)
			if what == "" || looks(&g.Contract.Errors, a.End, what) {
				continue
			}
			vs = append(vs, oneAttempt("error-format", Fail, op, a, fmt.Sprintf(
				"%s: the refusal of %s (%s) does not look as promised. The contract says: errors %s.",
				called(op), what, status(*a), strings.Join(g.Contract.Errors.Values, " or "))))
			break
		}
	}
	return vs
}

const anotherPayload = "another payload under a used key"

// aboutKey says why an attempt was refused, if its key was the reason.
func aboutKey(op *history.Operation, ok, a *history.Attempt) string {
	if a.Outcome() != history.Refused || !numeric(status(*a)) || status(*a) == "429" {
		return ""
	}
	switch {
	case badKey(a) != "":
		return "a bad key"
	case ok == nil || keyOf(op, *ok) != keyOf(op, *a):
		return ""
	case variant(*a) != "" && variant(*ok) == "" && ok.End.Seq < a.Begin.Seq:
		return anotherPayload
	case status(*a) == "409" && variant(*a) == "" && a.Begin.Seq < ok.End.Seq && ok.Begin.Seq < a.End.Seq:
		return "an overlapping copy"
	}
	return ""
}

// looks reports whether an error has one of the looks. What is only a text in
// it, such as a code, is asked of changed payloads only.
func looks(f *contract.Field, end *history.Event, what string) bool {
	for _, v := range f.Values {
		switch v {
		case "problem+json":
			if strings.HasPrefix(strings.ToLower(end.Attrs[history.AttrHeader+"content-type"]), "application/problem+json") {
				return true
			}
		case "describedby":
			if strings.Contains(strings.ToLower(end.Attrs[history.AttrHeader+"link"]), "describedby") {
				return true
			}
		case "graphql":
			if strings.Contains(end.Body, `rrors"`) {
				return true
			}
		default:
			if what != anotherPayload || strings.Contains(end.Body, v) {
				return true
			}
		}
	}
	return false
}
