// Package target delivers operations to the system under test.
package target

import (
	"context"
	"net/http"
	"time"

	"github.com/idemcheck/idemcheck/inject"
)

// Attempt asks for one delivery of an operation.
type Attempt struct {
	Operation string            // its name: charge
	ID, Key   string            // business id; idempotency key
	Number    int               // of the operation in the run
	Attempt   int               // 1, 2, 3 ...
	Scope     string            // name of a configured scope; "" for the only one
	Variant   string            // "": as it is; "changed": the first own field; else a JSON pointer or field name
	Values    map[string]string // taken from answers of operations that ran before
	Numbers   map[string]bool   // those of Values that were JSON numbers
	Value     string            // "": as it is; else what the first field of its own that can hold it is set to: zero, one, largest, empty-text, empty-list, long-text
	Version   int               // which of the operation's versions, from 1; 0: as it is
	Entry     string            // the configured operation through which it is delivered; "": its own
	Replica   int               // which address of the target, from 1; 0: the first
	Find      bool              // ask for the operation (find:) instead of sending it
}

// Message is an attempt in the form in which it goes over the wire.
type Message struct {
	Line    string // "POST /charges"
	Key     string // the bare key that it carries; "" if none
	Keyless string // why it carries none: "none", "dropped", or "derived" (the payload is its identity)
	Variant string // what was changed: "/amount"
	Fault   inject.Fault
	Header  http.Header
	URL     string // with the query
	Method  string // "POST"
	Body    []byte // the bytes as they go over the wire
	Version int    // which version of its entity it carries; 0: no certain one
	Entry   string // the configured operation through which it goes, if not its own
	Replica int    // which address of the target it goes to, from 1; 0 if there is only one
}

// Target is a system that operations can be delivered to.
type Target interface {
	// Render makes the message of an attempt. The payload faults (change-payload,
	// reencode, change-key, drop-key, malform-key) are applied here.
	Render(a Attempt, f inject.Fault) (Message, error)
	// Send delivers one message and waits for its answer.
	Send(ctx context.Context, m Message) inject.Answer
	// Together delivers copies so that they overlap: the first copy's last byte
	// goes at 0, the others' at offset. done is called as each answer comes.
	// The spread is the time between the first and the last of these last bytes
	// less the offset; overlapped means that each was sent before the first byte of any answer came.
	Together(ctx context.Context, ms []Message, offset time.Duration, done func(i int, a inject.Answer)) (spread time.Duration, overlapped bool)
}
