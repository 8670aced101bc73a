package inject

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
)

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

// The words for an attempt that ended without a status.
const (
	unreachable = "unreachable" // no connection: certainly nothing was delivered
	reset       = "reset"       // the connection ended before the first byte of an answer
	timeout     = "timeout"     // time was up: silence, or an answer without an end
	cutOff      = "cut-off"     // the connection ended within the answer
	garbage     = "garbage"     // what came back is no HTTP/1.1 answer
)

// errTooLong ends the reading of an answer without an end.
var errTooLong = errors.New("the answer is longer than the limit")

// errReset is what a caller sees whose connection was broken by a fault; the
// same value that a real reset has, so that callers treat it the same.
func errReset(f Fault) error {
	return fmt.Errorf("%w (made by the fault %s)", errConnection, f)
}

var errConnection error = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

// trouble is the word for an error of an exchange; begun means that part of an
// answer had come.
func trouble(err error, begun bool) string {
	var network *net.OpError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return timeout
	case errors.As(err, &record):
		return garbage
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.ErrClosedPipe), errors.Is(err, syscall.ECONNRESET), errors.As(err, &network):
		if begun {
			return cutOff
		}
		return reset
	}
	return garbage
}

// Whole reports whether a whole answer came: Status is a number.
func (a Answer) Whole() bool {
	_, err := strconv.Atoi(a.Status)
	return err == nil
}

// short is an answer on one line, for people.
func (a Answer) short() string {
	const most = 200
	body := strings.Join(strings.Fields(strings.ToValidUTF8(string(a.Body), "?")), " ")
	if len(body) > most {
		body = strings.ToValidUTF8(body[:most], "") + "..."
	}
	return strings.TrimSpace(a.Status + " " + body)
}

// Lost is what a caller sees whose connection was broken by a fault.
func Lost(f Fault) Answer { return Answer{Status: reset, Fired: true, Err: errReset(f)} }

// Failed is an attempt that ended with an error of its connection; begun means
// that part of an answer had come.
func Failed(err error, begun bool) Answer { return Answer{Status: trouble(err, begun), Err: err} }

// broke adds what the writer of the request was told. A system tells of a reset
// once: to the writer, and then the reader hears of a mere end. An answer that
// came before it counts all the same.
func (a Answer) broke(err error) Answer {
	if err != nil && a.Status == reset && trouble(err, false) == reset {
		a.Err = fmt.Errorf("reset while the request was written: %w", err)
	}
	return a
}

// Withheld is what the caller sees instead of a whole answer under lose-answer
// or replace-answer. Of an answer that is not whole there is nothing to
// withhold: the fault did not fire.
func (a Answer) Withheld(f Fault) Answer {
	if !a.Whole() {
		return a // there was nothing to withhold: the fault did not fire
	}
	if f.Name == ReplaceAnswer.Name {
		status := f.Arg
		if status == "" {
			status = strconv.Itoa(http.StatusBadGateway)
		}
		return Answer{Status: status, Header: http.Header{}, Fired: true, Hidden: a.short()}
	}
	return Answer{Status: reset, Fired: true, Hidden: a.short(), Err: errReset(f)}
}
