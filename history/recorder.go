package history

import "io"

// Redactor names what must never reach a history. A secret value is written
// <hmac:1a2b3c4d>, so that equal values stay equal.
type Redactor struct {
	Fields  []string // names of JSON fields, any case
	Headers []string // names of headers
	Values  []string // literal secrets, for instance from the environment
	Limit   int      // bytes of a body kept; 0 means 1 MiB
}

// Recorder appends events to a history. It is safe for use by many goroutines.
type Recorder struct{}

// NewRecorder writes the header to w and starts a recorder. w may be nil: the history is then only kept in memory.
func NewRecorder(w io.Writer, h Header, r Redactor) (*Recorder, error) { panic("todo") }

// Now is the time since Header.Start in nanoseconds, monotonic.
func (r *Recorder) Now() int64 { panic("todo") }

// Add appends an event and returns its number. body is the whole body of a
// request (Invoke) or an answer (ends), nil for other events; from it the
// recorder fills Payload or Answer, Attrs["raw"] and Body. The caller keeps
// neither e.Attrs nor body.
func (r *Recorder) Add(e Event, body []byte) (seq int64) { panic("todo") }

// Flush hands all lines added so far to the writer.
func (r *Recorder) Flush() error { panic("todo") }

// Close flushes and stops the recorder. It returns the first error of the writer.
func (r *Recorder) Close() error { panic("todo") }

// History is all that was recorded so far, with bodies and fingerprints filled.
func (r *Recorder) History() History { panic("todo") }
