package checkers

import (
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// gaps says where events are missing, or were changed about: they are numbered
// from 1 without a gap, so a history without some of its lines shows it.
func gaps(events []history.Event) []string {
	for i := range events {
		if want, seq := int64(i+1), events[i].Seq; seq != want {
			return []string{fmt.Sprintf("the history is not whole: event %d stands where %d must: lines were taken out, added or moved", seq, want)}
		}
	}
	return nil
}
