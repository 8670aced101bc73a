package scenarios

import "fmt"

// UnreachableError says that the target at an address did not answer the first
// request: with which status of package inject, and the error behind it (Err).
type UnreachableError struct {
	Address, Status string
	Err             error
}

func (e *UnreachableError) Error() string {
	why := map[string]string{
		"unreachable": "nothing listens there",
		"timeout":     "it did not answer the first request in time",
		"reset":       "it closed the connection without an answer to the first request",
	}[e.Status]
	return fmt.Sprintf("target %s: %s (%v)", e.Address, why, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// configurationError says that the run cannot go on as it is configured.
type configurationError struct{ Msg string }

func (e *configurationError) Error() string { return e.Msg }
