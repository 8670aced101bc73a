package scenarios

import (
	"context"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/wire"
	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// Operation is what the runner must know of a configured operation.
type Operation struct {
	Name     string            // as configured: "charge"
	Test     bool              // it is under test; others run only before one that is
	Before   []string          // operations that run unfaulted first
	Take     map[string]string // values to take from its answer: name to JSON pointer
	Keyless  bool              // it carries no key: its id is the key
	OwnBody  bool              // its body depends on ${id} or ${key}
	Variable bool              // its body has a field that a changed variant can change
	JSON     bool              // its body is JSON
	Values   []string          // forms of target.Attempt.Value that its body can take
	Fields   []string          // JSON pointers of the fields of its own that a variant can change
	Versions int               // how many versions of its entity it can send (versions:)
	EntryOf  string            // it is another entry point for this operation (entry_of:)
	Find     bool              // the file says how to ask for it (find:)
	Anew     bool              // something of it is made anew for each attempt (per_attempt:)
	Bodyless bool              // it sends no body
	Method   string            // "POST"
	Path     string            // as in the file: "/charges/${id}"
	Fixed    bool              // its key is part of a text, from which it can not be taken out
	Carrier  string            // where its key travels: "header Idempotency-Key"; "" if it has none
}

// Observer is one way to count effects. Read is nil for a provider.
type Observer struct {
	history.Observer
	Read   observe.Observer
	Attach func(record func(e history.Event, body []byte) (seq int64)) // of one that sees live and records its effects by itself; else nil
}

// Ager makes deduplication records older than they are.
type Ager interface {
	// Age makes the records of these ids and keys older by a duration.
	Age(ctx context.Context, q observe.Query, by time.Duration) error
}

// Limits end a run cleanly. The zero value of each field means its default.
type Limits struct {
	Attempt  time.Duration // of one attempt; 10 s
	Attempts int           // in all; 5,000
	Rate     float64       // attempts a second; 0: none (the configuration sets 50 off loopback)
	Run      time.Duration // of the run; 10 min
	Settle   time.Duration // how long effects may take to show; 10 s
}

// System is all that a run needs.
type System struct {
	Target     target.Target
	Address    string // for people: "http://127.0.0.1:8080"
	Operations []Operation
	Scopes     []string // names; empty: one scope without a name
	Observers  []Observer
	Providers  map[string]*inject.Provider // stand-ins by observer name
	Contract   contract.Contract
	Checks     []Check
	Limits     Limits           // of a run
	Redact     history.Redactor // what must never reach the history
	NoEffects  bool             // effects: none
	Exclusive  bool             // nobody else uses it, so that totals may be judged
	Replicas   int              // addresses of the target; 0 and 1: one
	Age        Ager             // nil: records can only be aged by waiting
	AgeBy      time.Duration    // what one Age makes of it, whatever is asked for; 0: it does what is asked

	Links   []*wire.Link     // what the system reaches its dependencies through
	Points  *wire.Points     // where its points of code meet the tool; nil: it has none
	Workers []*worker.Worker // its processes; they run
}
