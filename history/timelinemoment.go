package history

// without leaves out the moments that tell nothing new.
func (v *view) without() []*Event {
	var events []*Event
	for i, e := range v.events {
		var next *Event
		if i+1 < len(v.events) {
			next = v.events[i+1]
		}
		if v.passed(e, next) {
			events = append(events, e)
		}
	}
	return events
}

// passed tells which moments of links and points a timeline shows: those that
// were seen before and after a step, but not the first of the two where nothing
// happened between them.
func (v *view) passed(e, next *Event) bool {
	switch {
	case v.witnesses[e.Seq] || e.Kind != Moment:
		return true
	case e.Attrs[attrPhase] != phaseBefore || next == nil:
		return e.Attrs[attrPhase] != ""
	}
	answers := next.Kind == Moment && next.Attrs[attrPhase] == phaseAfter
	return !answers || next.Name != e.Name || next.Actor != e.Actor || next.Attrs[attrConn] != e.Attrs[attrConn]
}

// moment says how far a step had come.
func moment(e *Event) string {
	phase, reply := "asked for", clean(e.Attrs[attrReply], 40)
	switch {
	case e.Attrs[attrPhase] == phaseBefore && e.Actor == "point":
		return clean(e.Name, 60)
	case e.Attrs[attrPhase] == phaseBefore:
	case e.Attrs[attrPhase] == "": // of a provider: how many calls were in flight
		return join(clean(e.Name, 40), attrs(e))
	case e.Attrs[attrRefused] == "true":
		phase = "refused"
	default:
		phase = "done"
	}
	if reply != "" {
		phase += ": " + reply
	}
	return join(clean(e.Name, 60), "("+phase+")")
}

// kind is what a row calls its event: what was done to a worker or a link is
// called by its own name.
func kind(e *Event) string {
	if e.Kind == Mark {
		switch e.Name {
		case MarkKilled, MarkDied, MarkRestart, MarkPaused, MarkResumed, MarkDown, MarkReadOnly, MarkUp:
			return e.Name
		}
	}
	return string(e.Kind)
}
