package history

import "strconv"

// Passage is what a Moment of a link or of a point of code says of the step that
// was seen there: how far it had come, and what became of it.
type Passage struct {
	After   bool   // it was done, and the system had not heard; else it was asked for, and not delivered yet
	Conn    int    // the number of its connection on its link, from 1; of a point 0
	Text    string // what was asked of the dependency, for people
	Reply   string // After: what it answered
	Refused bool   // After: it did not do it
	Durable bool   // After: what was written stays, whatever becomes of the connection
}

// Keys and values of the attributes of a Passage.
const (
	attrPhase   = "phase"
	attrConn    = "conn"
	attrText    = "text"
	attrReply   = "reply"
	attrRefused = "refused"
	attrDurable = "durable"

	phaseBefore = "before"
	phaseAfter  = "after"
)

// Attrs are the attributes of its Moment.
func (p Passage) Attrs() map[string]string {
	attrs := map[string]string{attrPhase: phaseBefore}
	if p.After {
		attrs[attrPhase] = phaseAfter
	}
	if p.Conn > 0 {
		attrs[attrConn] = strconv.Itoa(p.Conn)
	}
	for k, v := range map[string]string{attrText: p.Text, attrReply: p.Reply} {
		if v != "" {
			attrs[k] = v
		}
	}
	for k, v := range map[string]bool{attrRefused: p.Refused, attrDurable: p.Durable} {
		if v {
			attrs[k] = "true"
		}
	}
	return attrs
}

// Passage reads the attributes again; ok is false of an event that is no Moment
// of a link or point.
func (e *Event) Passage() (p Passage, ok bool) {
	if e.Kind != Moment || e.Attrs[attrPhase] == "" {
		return Passage{}, false
	}
	conn, _ := strconv.Atoi(e.Attrs[attrConn])
	return Passage{
		After: e.Attrs[attrPhase] == phaseAfter, Conn: conn, Text: e.Attrs[attrText], Reply: e.Attrs[attrReply],
		Refused: e.Attrs[attrRefused] == "true", Durable: e.Attrs[attrDurable] == "true",
	}, true
}
