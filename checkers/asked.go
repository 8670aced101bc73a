package checkers

import (
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// misled is where a caller asked whether an operation had happened and was told
// that it had not, although a live observer had already seen its effect: whoever
// then sends again under a new key does what a careful caller must.
func misled(o *history.Observer, op *history.Operation) *history.Event {
	if !live(o) {
		return nil
	}
	for _, m := range op.Marks {
		if m.Name == history.MarkAsked && m.Attrs[history.AttrTold] == "no" && slices.ContainsFunc(op.Effects, func(e *history.Event) bool {
			return e.Name == o.Name && e.Count > 0 && e.Seq < m.Seq
		}) {
			return m
		}
	}
	return nil
}

// told is the last answer that a caller got when it asked whether the operation
// had happened; nil if it never did.
func told(op *history.Operation) (last *history.Event) {
	for _, m := range op.Marks {
		if m.Name == history.MarkAsked {
			last = m
		}
	}
	return last
}

// acknowledges reports whether a caller was told that the operation happened.
func acknowledges(m *history.Event) bool { return m != nil && m.Attrs[history.AttrTold] == "yes" }

// denies reports whether a caller was told that the operation had not happened,
// although the attempt was carried out to its end before. Then what is sent
// under a new key is no second operation. An attempt of which nobody knows
// whether it still ran may have come later than the question.
func denies(m *history.Event, op *history.Operation, a *history.Attempt) bool {
	if m == nil || m.Attrs[history.AttrTold] != "no" || a.End == nil || a.End.Seq > m.Seq {
		return false
	}
	if a.Outcome() == history.OK {
		return true
	}
	for _, f := range op.Faults {
		if f.Name == "lose-answer" && f.Attempt == a.Begin.Attempt && f.Seq < m.Seq {
			return true
		}
	}
	return false
}
