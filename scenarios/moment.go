package scenarios

import (
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject/wire"
)

// actorOf is where a step was seen.
func actorOf(s wire.Step) string {
	if s.Link == "" {
		return "point"
	}
	return "link/" + s.Link
}

// momentAttrs are what the history says of a step.
func momentAttrs(s wire.Step) map[string]string {
	attrs := map[string]string{history.AttrPhase: history.PhaseBefore}
	if s.Phase == wire.After {
		attrs[history.AttrPhase] = history.PhaseAfter
	}
	if s.Conn > 0 {
		attrs[history.AttrConn] = strconv.Itoa(s.Conn)
	}
	for k, v := range map[string]string{history.AttrText: s.Text, history.AttrReply: s.Reply} {
		if v != "" {
			attrs[k] = v
		}
	}
	if s.Refused {
		attrs[history.AttrRefused] = "true"
	}
	if s.Durable {
		attrs[history.AttrDurable] = "true"
	}
	return attrs
}

// momentName takes a moment apart: "db COMMIT #2" is the second db COMMIT.
func momentName(text string) (name string, nth int) {
	if i := strings.LastIndex(text, " #"); i > 0 {
		if n, err := strconv.Atoi(text[i+2:]); err == nil && n > 0 {
			return text[:i], n
		}
	}
	return text, 1
}
