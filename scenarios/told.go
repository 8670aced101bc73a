package scenarios

import (
	"fmt"
	"slices"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
)

// told makes of what was kept one history, writes it, and judges it.
func (e *explorer) told() (checkers.Report, history.History, error) {
	header := e.rec.History().Header
	events := fromOne(slices.Concat(e.calibrating, e.kept))
	last := events[len(events)-1] // the mark of the end
	extra := e.unexplored()
	if e.ended != "" {
		extra = append(extra, history.Event{Kind: history.Mark, Name: history.MarkError, Actor: tool, Cause: "the search was ended: " + e.ended})
	}
	rec, err := history.NewRecorder(e.opt.Out, header, e.sys.Redact)
	if err != nil {
		return checkers.Report{}, history.History{}, err
	}
	for _, ev := range append(append(events[:len(events)-1:len(events)-1], extra...), last) {
		if ev.At == 0 {
			ev.At = last.At
		}
		rec.Add(ev, nil)
	}
	if err := rec.Close(); err != nil {
		return checkers.Report{}, history.History{}, fmt.Errorf("write the history: %w", err)
	}
	h := rec.History()
	return expression.Judge(h, e.sys.Contract), h, nil
}
