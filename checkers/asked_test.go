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
	stories(t, []story{
		{name: "told no, and it had", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("no", 1, 2), verdict: Fail, want: "1 was allowed"},
		{name: "told no, and it had not yet", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("no", 0, 2), want: again},
		{name: "told no, and sent again in vain", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("no", 1, 1)},
		{name: "told yes, and sent again all the same", rules: "at-most-once", obs: []history.Observer{card}, tell: asked("yes", 1, 2), want: again},
		{name: "rows, which are read at any time", rules: "at-most-once", tell: asked("no", 1, 2), want: again},
	})
}
