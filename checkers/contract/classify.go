package contract

import (
	"fmt"
	"strconv"
)

// Class is how an attempt ended. history.Kind(class) is the event kind.
type Class string

// The three classes of answers.
const (
	OK      Class = "ok"
	Refused Class = "refused" // this attempt certainly had no new effect
	Unknown Class = "unknown" // perhaps it had one
)

// Statuses of attempts that ended without an HTTP status.
var words = map[string]Class{
	"reset":       Unknown,
	"timeout":     Unknown,
	"cut-off":     Unknown,
	"garbage":     Unknown,
	"unreachable": Refused,
}

// Classify says how an attempt with this status ended: an HTTP status such as
// "201", or reset, timeout, cut-off, garbage, unreachable. A redirect other
// than 303 is an error, since a request that goes elsewhere tests nothing.
// No axis of today changes the class: a 409 that points at the resource
// (replay: conflict) still had no new effect.
func (c Contract) Classify(status string) (Class, error) {
	if class, ok := words[status]; ok {
		return class, nil
	}
	n, err := strconv.Atoi(status)
	if err != nil || n < 100 || n > 999 {
		return Unknown, fmt.Errorf("status %q: neither an HTTP status nor reset, timeout, cut-off, garbage or unreachable", status)
	}
	switch {
	case n/100 == 2, n == 303:
		return OK, nil
	case n/100 == 3:
		return Unknown, fmt.Errorf("answers %d: put the final URL in", n)
	case n == 408, n == 425, n == 499:
		return Unknown, nil
	case n/100 == 4:
		return Refused, nil
	}
	return Unknown, nil
}
