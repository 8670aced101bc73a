package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// Sizes of a drawing, in its own units; 12 units are a line of text.
const (
	gutter   = 158 // for the names of lanes
	room     = 800 // for time
	margin   = 20
	rowTry   = 34 // height of a row of attempts
	rowMark  = 26 // height of a row of effects or faults
	rowTick  = 18 // height of a row of moments
	lanePad  = 8
	axisHigh = 30
	runeWide = 6.4 // a character of a label, about
)

// drawing is the timeline of one operation as figures on a plane. Time goes to
// the right; each actor has a lane.
type drawing struct {
	ID, Title, Desc string
	W, H, Axis      int
	Lanes           []drawnLane
	Shapes          []shape
	Ticks           []tick
	Breaks          []int // where time was compressed
	Moments, Away   bool  // there are ticks of moments, and bars of what was killed, paused or taken down
}

type drawnLane struct {
	Y, H int
	Name string
	Odd  bool
}

// shape is one figure with its label. What it is: bar, effect, fault, moment, mark.
type shape struct {
	What, Class   string
	X, W, Y       int
	Label, Anchor string
	LX, LY        int
	Tip           string
	Top           int // faults: where their line begins
}

type tick struct {
	X     int
	Label string
}

// draw makes the drawing of the rows of a timeline.
func draw(id, title string, rows []history.Row) drawing {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r history.Row) bool { return r.Event == nil })
	d := drawing{ID: id, Title: title, Desc: describe(rows)}
	scale := newScale(rows)
	d.W = gutter + scale.width() + 2*margin
	y := 4
	for i, l := range lanesOf(rows) {
		y = d.lane(l, y, i%2 == 1, scale)
		d.Moments = d.Moments || l.order == laneLink
		d.Away = d.Away || l.order == laneWorker
	}
	d.Axis = y + 6
	d.H = d.Axis + axisHigh
	d.Ticks, d.Breaks = scale.ticks()
	return d
}

// describe tells in words what a drawing shows; the table below it tells it all.
func describe(rows []history.Row) string {
	n := map[history.Kind]int{}
	for _, r := range rows {
		n[r.Event.Kind]++
	}
	text := fmt.Sprintf("Time goes to the right. %s, %s seen, %s",
		plural(n[history.Invoke], "attempt"), plural(n[history.Effect], "effect"), plural(n[history.Fault], "fault"))
	if n[history.Moment] > 0 {
		text += ", " + plural(n[history.Moment], "moment")
	}
	for _, r := range rows {
		if awayUntil[r.Event.Name] != "" && r.Event.Kind == history.Mark {
			text += ", " + r.Actor + " " + r.Event.Name
		}
	}
	return text + ". The table below lists every event."
}

// The lanes from above to below: faults, callers, workers, links, those that show effects.
const (
	laneFault = iota
	laneClient
	laneWorker
	laneLink
	laneEffect
)

// laneOf is one actor and what it did.
type laneOf struct {
	name   string
	order  int
	figure []figure
}

// figure is a shape on its way to a place: from and to are rows of the timeline.
type figure struct {
	what, class, label, tip string
	from, to                int64
}

// lanesOf sorts the events by actor.
func lanesOf(rows []history.Row) []*laneOf {
	var lanes []*laneOf
	of := func(name string, order int) *laneOf {
		i := slices.IndexFunc(lanes, func(l *laneOf) bool { return l.name == name })
		if i < 0 {
			lanes = append(lanes, &laneOf{name: name, order: order})
			i = len(lanes) - 1
		}
		return lanes[i]
	}
	last := int64(0)
	for _, r := range rows {
		last = max(last, r.Event.At)
	}
	for i, r := range rows {
		switch r.Event.Kind {
		case history.Invoke:
			l := of(r.Actor, laneClient)
			l.figure = append(l.figure, try(r, rows[i+1:], last))
		case history.OK, history.Refused, history.Unknown: // drawn with its beginning
		case history.Effect:
			l := of(r.Actor, laneEffect)
			l.figure = append(l.figure, effect(r))
		case history.Fault:
			l := of("fault", laneFault)
			l.figure = append(l.figure, figure{"fault", "fault", r.Detail, "fault: " + r.Detail, r.Event.At, r.Event.At})
		case history.Moment:
			l := of(r.Actor, laneLink)
			l.figure = append(l.figure, momentFigure(r))
		default:
			if name := r.Event.Name; r.Event.Kind == history.Mark && awayUntil[name] != "" {
				l := of(r.Actor, laneWorker)
				l.figure = append(l.figure, away(r, rows[i+1:], last))
				continue
			} else if r.Event.Kind == history.Mark && ends(name) {
				continue // drawn with its beginning
			}
			l := of(r.Actor, laneFault)
			l.figure = append(l.figure, figure{"mark", "mark", r.Detail, string(r.Kind) + ": " + r.Detail, r.Event.At, r.Event.At})
		}
	}
	slices.SortStableFunc(lanes, func(a, b *laneOf) int { return a.order - b.order })
	return lanes
}

// try is the bar of an attempt, from its beginning to its end if that is among the rows.
func try(begin history.Row, later []history.Row, last int64) figure {
	f := figure{what: "bar", class: "unknown", from: begin.Event.At, to: last, label: "try " + begin.Try + " · no end was seen"}
	for _, r := range later {
		e := r.Event
		if e.Attempt == begin.Event.Attempt && e.Scope == begin.Event.Scope && (e.Kind == history.OK || e.Kind == history.Refused || e.Kind == history.Unknown) {
			f.to, f.class, f.label = e.At, r.Kind, "try "+begin.Try+" · "+r.Kind+" · "+answerLabel(r.Detail)
			if r.Witness || begin.Witness {
				f.class += " witness"
			}
			f.tip = begin.MS + " to " + r.MS + " ms: " + begin.Detail + " → " + r.Kind + " " + r.Detail
			return f
		}
	}
	f.tip = begin.MS + " ms: " + begin.Detail
	return f
}

// effect is the diamond of an effect; one that a violation points at is marked.
func effect(r history.Row) figure {
	f := figure{what: "effect", class: "effect", label: shortLabel(r.Detail), from: r.Event.At, to: r.Event.At, tip: r.MS + " ms: effect " + r.Detail}
	if r.Witness {
		f.class, f.label = "effect witness", "! "+f.label
	}
	return f
}

// answerLabel is the status of an answer, and the name of what was made if the
// answer shows it in one word; a body is left to the table.
func answerLabel(detail string) string {
	detail = shortLabel(detail)
	status, rest, _ := strings.Cut(detail, " ")
	if strings.ContainsAny(rest, " {[<") && strings.ContainsAny(status, "12345") {
		return status
	}
	return detail
}

// shortLabel leaves what a label can not hold to the table.
func shortLabel(s string) string {
	s, _, _ = strings.Cut(s, " (the service")
	return fit(s, 40)
}
