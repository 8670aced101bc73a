package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// awayUntil are the marks after which a worker or link does nothing, each with
// the one that ends it.
var awayUntil = map[string]string{
	history.MarkKilled: history.MarkRestart,
	history.MarkDied:   history.MarkRestart,
	history.MarkPaused: history.MarkResumed,
	history.MarkDown:   history.MarkUp,
}

// ends says whether a mark is the end of such a time.
func ends(mark string) bool {
	for _, end := range awayUntil {
		if mark == end {
			return true
		}
	}
	return false
}

// away is the bar of the time in which a worker or link does nothing.
func away(begin history.Row, later []history.Row, last int64) figure {
	name := begin.Event.Name
	f := figure{what: "bar", class: "away " + name, from: begin.Event.At, to: last, label: name,
		tip: begin.MS + " ms: " + begin.Actor + " " + name}
	for _, r := range later {
		e := r.Event
		if e.Kind != history.Mark || e.Actor != begin.Event.Actor {
			continue
		}
		switch e.Name {
		case awayUntil[name]:
			f.to = e.At
			f.label = fmt.Sprintf("%s · %s after %s", name, e.Name, short(time.Duration(e.At-begin.Event.At)))
			f.tip = begin.MS + " to " + r.MS + " ms: " + begin.Actor + " " + name + ", then " + e.Name
			return f
		case history.MarkKilled, history.MarkDied, history.MarkRestart: // of one that was paused
			f.to = e.At
			return f
		}
	}
	return f
}

// momentFigure is the tick of a moment; its lane says on which link.
func momentFigure(r history.Row) figure {
	step := strings.TrimPrefix(r.Detail, strings.TrimPrefix(r.Actor, "link/")+" ")
	step, _, _ = strings.Cut(step, " (done") // as it should be
	return figure{what: "moment", class: "moment", label: fit(step, 40), tip: r.MS + " ms: " + r.Detail, from: r.Event.At, to: r.Event.At}
}
