package inject

import "net/http"

// Answer is what the caller saw of one attempt.
type Answer struct {
	Status string      // "201", "reset", "timeout", "unreachable", "cut-off", "garbage"
	Header http.Header // nil unless Status is a number
	Body   []byte      // up to the limit kept
	Cut    bool        // Body is not whole
	Fired  bool        // the fault that was asked for happened
	Hidden string      // what the system had answered, where a fault withheld it: "201 {...}"
	Err    error       // the error behind a status that is no number
}
