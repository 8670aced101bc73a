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
		if m.Name == history.MarkAsked && m.Attrs["told"] == "no" && slices.ContainsFunc(op.Effects, func(e *history.Event) bool {
			return e.Name == o.Name && e.Count > 0 && e.Seq < m.Seq
		}) {
			return m
		}
	}
	return nil
}
