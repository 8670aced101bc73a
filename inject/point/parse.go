package point

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const variable = "IDEMCHECK_POINTS"

// entry is one NAME=ACTION of the variable.
type entry struct {
	name   string        // "*": every name
	action string        // "kill", "stop", "pause", "unix"
	nth    int           // 0: each time
	pause  time.Duration // of pause
	path   string        // of unix
}

// parse reads the whole variable. One bad entry makes all of it bad: a fault
// that is not armed must not look like one that did nothing.
func parse(text string) (entries []entry, err error) {
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		e, err := parseEntry(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", variable, part, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func parseEntry(part string) (e entry, err error) {
	name, action, found := strings.Cut(part, "=")
	if !found {
		return e, fmt.Errorf("no =, want NAME=ACTION")
	}
	if name != "*" && !legal(name) {
		return e, fmt.Errorf("name %q, want * or 1 to 64 of A-Z a-z 0-9 . _ / -", name)
	}
	e.name = name
	if at := strings.LastIndexByte(action, '@'); at >= 0 && strings.Trim(action[at+1:], "0123456789") == "" {
		if e.nth, err = strconv.Atoi(action[at+1:]); err != nil || e.nth < 1 {
			return e, fmt.Errorf("%s, want @ and a number from 1", action[at:])
		}
		action = action[:at]
	}
	return e.withAction(action)
}

func (e entry) withAction(text string) (_ entry, err error) {
	action, argument, found := strings.Cut(text, ":")
	e.action = action
	switch {
	case !found && (action == "kill" || action == "stop"):
	case action == "pause":
		if e.pause, err = time.ParseDuration(argument); err != nil || e.pause <= 0 {
			return e, fmt.Errorf("pause %q, want a duration such as 200ms", argument)
		}
	case action == "unix" && argument != "":
		e.path = argument
	default:
		return e, fmt.Errorf("action %q, want kill, stop, pause:DURATION or unix:PATH", text)
	}
	return e, nil
}

// legal reports whether a point may be named so.
func legal(name string) bool {
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._/-", c) >= 0) {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= 64
}
