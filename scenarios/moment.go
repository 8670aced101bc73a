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
	return history.Passage{
		After: s.Phase == wire.After, Conn: s.Conn, Text: s.Text, Reply: s.Reply, Refused: s.Refused, Durable: s.Durable,
	}.Attrs()
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
