package checkers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// whyTwice guesses from the history why an operation took effect too often.
// Where it shows nothing, it says nothing.
func whyTwice(u *unit) (cause, cure string) {
	if len(u.ops) != 1 || u.upper == 0 {
		return "", ""
	}
	op := &u.ops[0]
	first, second := providerKeys(u)
	asked := told(op)
	switch {
	case misled(u.observer, op) != nil || slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool { return denies(asked, op, &a) }):
		return "the caller asked whether it had happened and was told no, although it had, and sent again under a new key.",
			"let the question be answered by what the effect is written to, not by a copy that is behind; or answer 5xx while it is not known."
	case otherKeys(op):
		return "the tries carried different keys, so the service took each for an operation of its own.",
			"use one key for all tries of an operation, and protect the business id as well, by a unique constraint on it."
	case someOverlap(op) && second != "" && first != second:
		return fmt.Sprintf("two overlapping copies both called the provider, each under a key of its own (%s, %s).", first, second),
			"claim the key with one atomic insert before the effect, and make the provider's key from the order or from the caller's key."
	case someOverlap(op):
		return "two overlapping copies both found no record of the key, and both did the work (look first, then act).",
			"claim the key with one atomic insert, under a unique constraint, before the effect."
	case second != "" && first != second:
		return fmt.Sprintf("the second try called the provider under a new key (%s, %s).", first, second),
			"make the provider's key from the order or from the caller's key, before the first call."
	case wasReencoded(op):
		return "the repeat was the same document written in another way, and was taken for another request.",
			"compare the parsed payload, not its bytes."
	case unknownThenMore(op):
		return "an earlier try took effect but left no mark of it that the next try could find.",
			"store the key in the same transaction as the effect, and before calling anything outside."
	case slices.ContainsFunc(op.Attempts[1:], func(a history.Attempt) bool { return variant(a) != "" }):
		return "a changed payload under the same key was carried out as a new operation.",
			"keep a fingerprint of the payload with the key, and refuse another one."
	case apart(op) >= time.Minute:
		return fmt.Sprintf("the repeat came %s after the first try, and was not recognised any more, if it ever was.", span(apart(op))),
			"keep the key for longer than a repeat may take to come."
	case len(op.Attempts) > 1:
		return "the repeat was not recognised: the key was not kept, or not looked up.",
			"keep the key and the answer with the effect, and look the key up first."
	}
	return "", ""
}

// providerKeys are the keys of the last two effects that a provider saw.
func providerKeys(u *unit) (first, second string) {
	if !live(u.observer) || u.observer.By == "key" {
		return "", ""
	}
	for _, e := range u.ops[0].Effects {
		if e.Name == u.observer.Name && e.Count > 0 && e.Key != "" {
			first, second = second, e.Key
		}
	}
	if first == "" {
		return "", ""
	}
	return first, second
}

// otherKeys reports whether tries that were not refused carried different keys.
func otherKeys(op *history.Operation) bool {
	var seen few[key]
	for _, a := range op.Attempts {
		if a.Outcome() != history.Refused {
			seen.add(keyOf(op, a))
		}
	}
	return seen.size() > 1
}

func someOverlap(op *history.Operation) bool {
	last := int64(-1)
	for _, a := range op.Attempts {
		if a.Outcome() == history.Refused {
			continue
		}
		if a.Begin.Seq < last {
			return true
		}
		last = max(last, lastSeq(&a))
	}
	return false
}

func wasReencoded(op *history.Operation) bool {
	first := op.Attempts[0].Begin
	return slices.ContainsFunc(op.Attempts[1:], func(a history.Attempt) bool {
		return first.Payload != "" && a.Begin.Payload == first.Payload && raw(a.Begin) != raw(first)
	})
}

func unknownThenMore(op *history.Operation) bool {
	n := len(op.Attempts)
	return n > 1 && slices.ContainsFunc(op.Attempts[:n-1], func(a history.Attempt) bool { return a.Outcome() == history.Unknown })
}

// apart is the time between the first and the last attempt.
func apart(op *history.Operation) time.Duration {
	n := len(op.Attempts)
	if n < 2 {
		return 0
	}
	return time.Duration(op.Attempts[n-1].Begin.At - op.Attempts[0].Begin.At)
}

// whyLost guesses why an acknowledged operation has no effect. A COMMIT was not
// done where it was cut or refused, and it was that of the try which was answered
// ok where no other was under way.
func whyLost(op *history.Operation) (cause, cure string) {
	ok := accepted(op)
	for _, f := range op.Faults {
		at := f.Attrs[history.AttrArg] + f.Attrs[history.AttrMoment]
		undone := (f.Name == "cut" || f.Name == "refuse") && strings.Contains(at, "COMMIT")
		if ok != nil && undone && f.Seq > ok.Begin.Seq && f.Seq < lastSeq(ok) && !someOverlap(op) {
			return fmt.Sprintf("the try met %s at %s, and was answered as if the commit had gone through.", f.Name, at),
				"answer ok only when COMMIT has said so; where its outcome is not known, look up what is there, or answer 5xx."
		}
	}
	for _, a := range op.Attempts {
		if ok != nil && a.Outcome() == history.Unknown && a.Begin.Seq < ok.Begin.Seq {
			return "the earlier try failed half-way, its key was kept as done, and the repeat was answered without the work.",
				"mark the key done only together with the effect; release it when the work fails."
		}
	}
	if other := another(op, ok); other != "" {
		return fmt.Sprintf("it was answered with what belongs to %s: the service took the two for one.", other),
			"tell operations apart by all of the key, and by nothing that several of them share."
	}
	return "", ""
}

// another is the operation of a run in process that the answer names in the place
// of its own.
func another(op *history.Operation, ok *history.Attempt) string {
	if ok == nil || ok.End == nil || mentions(ok.End.Body, op.ID) {
		return ""
	}
	for _, s := range scalars(ok.End.Body) {
		n, its := strings.CutPrefix(s.value, op.Name+"-")
		if _, err := strconv.ParseUint(n, 10, 32); its && err == nil && !asks(ok, s.value) {
			return s.value
		}
	}
	return ""
}

func raw(e *history.Event) string { return e.Attrs[history.AttrRaw] }
