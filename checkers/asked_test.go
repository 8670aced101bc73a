package checkers

import (
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestAskedWhetherItHappened(t *testing.T) {
	asked := func(told string, before, after int) func(*book) {
		return func(b *book) {
			b.try("r-1", "reset")
			if before > 0 {
				b.seen("r-1", before)
			}
			b.mark(history.MarkAsked, "r-1", "told="+told)
			b.try("r-1", "201", "key=other")
			b.seen("r-1", after)
		}
	}
	const again = "under different keys"
	finished := func(told string, n int) func(*book) {
		return func(b *book) {
			f := b.begin("r-1")
			b.add(history.Event{Kind: history.Fault, Name: "lose-answer", Op: "r-1", Attempt: f.Attempt, Actor: "idemcheck"})
			b.end(f, "reset")
			b.mark(history.MarkAsked, "r-1", "told="+told)
			if told == "no" {
				b.try("r-1", "201", "key=other")
			}
			b.seen("r-1", n)
		}
	}
	stories(t, []story{
		{name: "told no after it had been answered", rules: "exactly-once", tell: finished("no", 2), verdict: Fail, want: "1 was allowed"},
		{name: "told no after it had been answered with an error", rules: "exactly-once", tell: finished("no", 1)},
		{name: "told yes, rightly", rules: "exactly-once", tell: finished("yes", 1)},
		{name: "told yes, and it had not", rules: "exactly-once", tell: finished("yes", 0), verdict: Fail, want: "although the service had said that it was there, when it was asked"},
		{name: "told no, and it had", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("no", 1, 2), verdict: Fail, want: "1 was allowed"},
		{name: "told no, and it had not yet", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("no", 0, 2), want: again},
		{name: "told no, and sent again in vain", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("no", 1, 1)},
		{name: "told yes, and sent again all the same", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("yes", 1, 2), want: again},
		{name: "rows, which are read at any time", rules: "at-most-once", tell: asked("no", 1, 2), want: again},
	})
}
