package history

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxRows is how many events a timeline shows.
const maxRows = 40

// Row is one line of a timeline: text of one event, shortened and free of
// characters that move a cursor or hide.
type Row struct {
	Event   *Event // nil on the row whose Kind says how many events are left out
	MS      string // milliseconds since the operation's first event
	Actor   string // who did it: client, provider/card, idemcheck
	Try     string // of an attempt: its number
	Kind    string // invoke, ok, effect, fault ...
	Detail  string // what a reader must know of it
	Witness bool   // it shows the violation: marked "!"
}

// Rows are the events of one operation in order. Of a long operation the
// witnesses, the beginning and the end are shown, and how many events lie
// between.
func Rows(op Operation, witnesses []int64) []Row { return newView(op, witnesses).rows() }

// Timeline writes the rows of one operation as text, witnesses marked "!".
func Timeline(w io.Writer, op Operation, witnesses []int64) error {
	rows := Rows(op, witnesses)
	mark := func(r Row) string {
		if r.Witness {
			return "! " + r.Kind
		}
		return r.Kind
	}
	unit := spans(rows)
	var actors, kinds, times int
	for _, r := range rows {
		actors = max(actors, utf8.RuneCountInString(r.Actor))
		if r.Event != nil {
			kinds = max(kinds, utf8.RuneCountInString(mark(r)))
		}
		times = max(times, len(r.MS))
	}
	out := bufio.NewWriter(w)
	line := func(ms, actor, try, event string) {
		s := pad(-max(4, times), ms) + "  " + pad(max(5, actors), actor) + "  " + pad(3, try) + "  " + event
		out.WriteString(strings.TrimRight(s, " ") + "\n")
	}
	line(unit, "actor", "try", "event")
	for _, r := range rows {
		try := r.Try
		if len(try) == 1 {
			try = " " + try
		}
		line(r.MS, r.Actor, try, pad(kinds, mark(r))+"  "+r.Detail)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("history: timeline: %w", err)
	}
	return nil
}

// spans tells what the times of rows are in: ms, or, where they come to hours,
// which nobody reads as ms, words of time, which it puts there.
func spans(rows []Row) (unit string) {
	const long = 10 * time.Minute
	var first, last *Event
	for i := range rows {
		if e := rows[i].Event; e != nil {
			first, last = cmp.Or(first, e), e
		}
	}
	if first == nil || time.Duration(last.At-first.At) < long {
		return "ms"
	}
	for i := range rows {
		if e := rows[i].Event; e != nil {
			rows[i].MS = time.Duration(e.At - first.At).Round(time.Millisecond).String()
		}
	}
	return "time"
}

// pad fills s with blanks to n characters, on its left if n is negative.
func pad(n int, s string) string {
	blanks := strings.Repeat(" ", max(0, max(n, -n)-utf8.RuneCountInString(s)))
	if n < 0 {
		return blanks + s
	}
	return s + blanks
}

// view is one operation on its way to text.
type view struct {
	op        Operation
	events    []*Event
	witnesses map[int64]bool
	ended     map[*Event]bool // invokes that have an end
	keys      map[string]string
	told      map[string]bool // hidden answers that a fault shows
}

func newView(op Operation, witnesses []int64) *view {
	v := &view{op: op, witnesses: map[int64]bool{}, ended: map[*Event]bool{}, told: map[string]bool{}}
	for _, seq := range witnesses {
		v.witnesses[seq] = true
	}
	for _, a := range op.Attempts {
		v.events = append(v.events, a.Begin)
		if a.End != nil && a.End != a.Begin {
			v.events = append(v.events, a.End)
			v.ended[a.Begin] = true
		}
	}
	v.events = append(v.events, op.Effects...)
	for _, f := range op.Faults {
		v.events = append(v.events, f)
		v.told[f.Hidden] = f.Hidden != ""
	}
	for _, m := range op.Marks {
		if v.shown(m) {
			v.events = append(v.events, m)
		}
	}
	v.events = append(v.events, op.Moments...)
	slices.SortStableFunc(v.events, func(a, b *Event) int { return cmp.Compare(a.Seq, b.Seq) })
	v.events = v.without()
	v.keys = shortKeys(v.events)
	return v
}

// shown tells which marks help to understand one operation; the others are the
// runner's own.
func (v *view) shown(m *Event) bool {
	switch m.Name {
	case MarkKilled, MarkDied, MarkRestart, MarkPaused, MarkResumed, MarkDown, MarkReadOnly, MarkUp, MarkAged, MarkError:
		return true
	case MarkNote, MarkAsked:
		return m.Op != "" || v.witnesses[m.Seq]
	}
	return v.witnesses[m.Seq]
}

func (v *view) rows() []Row {
	if len(v.events) == 0 {
		return nil
	}
	first, last := v.events[0].At, v.events[0].At
	for _, e := range v.events {
		first, last = min(first, e.At), max(last, e.At)
	}
	fine := last-first < int64(10*time.Millisecond)
	var rows []Row
	for i, keep := 0, v.kept(); i < len(v.events); i++ {
		if gap := hole(keep, i); gap > 1 {
			rows = append(rows, Row{Kind: "… " + strconv.Itoa(gap) + " more"})
			i += gap - 1
			continue
		}
		rows = append(rows, v.row(v.events[i], first, fine))
	}
	return rows
}

func (v *view) row(e *Event, first int64, fine bool) Row {
	r := Row{Event: e, Actor: clean(e.Actor, 24), Kind: kind(e), Detail: v.detail(e), Witness: v.witnesses[e.Seq]}
	ms := float64(e.At-first) / 1e6
	if fine {
		r.MS = strconv.FormatFloat(ms, 'f', 1, 64)
	} else {
		r.MS = strconv.Itoa(int(ms))
	}
	if e.Attempt > 0 && (e.Kind == Invoke || e.Kind.ends()) {
		r.Try = strconv.Itoa(e.Attempt)
	}
	return r
}

// kept chooses the events that are shown: witnesses, then their neighbours, then
// by turns from the beginning and the end, first those that are no moments.
func (v *view) kept() []bool {
	n := len(v.events)
	keep := make([]bool, n)
	left := maxRows
	take := func(i int) {
		if i >= 0 && i < n && !keep[i] && left > 0 {
			keep[i] = true
			left--
		}
	}
	var marked []int
	for i, e := range v.events {
		if v.witnesses[e.Seq] {
			marked = append(marked, i)
			take(i)
		}
	}
	for _, i := range marked {
		take(i - 1)
		take(i + 1)
	}
	for _, moments := range []bool{false, true} { // those last: there are many
		for i := 0; i < n && left > 0; i++ {
			for _, at := range []int{i, n - 1 - i} {
				if (v.events[at].Kind == Moment) == moments {
					take(at)
				}
			}
		}
	}
	return keep
}

// hole is how many events from i on are left out.
func hole(keep []bool, i int) int {
	n := 0
	for i+n < len(keep) && !keep[i+n] {
		n++
	}
	return n
}
