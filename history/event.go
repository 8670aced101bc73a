package history

import (
	"slices"
	"time"
)

// Kind says what an event is about.
type Kind string

// The kinds of events. An attempt begins with Invoke and ends with OK, Refused
// or Unknown; an attempt without an end is unknown.
const (
	Invoke  Kind = "invoke"  // an attempt is about to send its first byte
	OK      Kind = "ok"      // it was accepted
	Refused Kind = "refused" // it certainly had no new effect
	Unknown Kind = "unknown" // it perhaps had one: reset, time-out, 5xx
	Effect  Kind = "effect"  // an observer saw a change of the world
	Fault   Kind = "fault"   // a fault fired
	Moment  Kind = "moment"  // a protocol step was seen on a link
	State   Kind = "state"   // a snapshot, for instance the rows of a SQL rule
	Mark    Kind = "mark"    // a note of the runner; Name is one of the Mark names
)

// ends reports whether an event of this kind ends an attempt.
func (k Kind) ends() bool { return k == OK || k == Refused || k == Unknown }

// known reports whether this version of the format has the kind.
func (k Kind) known() bool {
	switch k {
	case Invoke, OK, Refused, Unknown, Effect, Fault, Moment, State, Mark:
		return true
	}
	return false
}

// Names of events of kind Mark.
const (
	MarkCase     = "case"      // a case begins; Attrs: scenario, operation, rules (comma separated), swept values
	MarkArmed    = "armed"     // a fault was asked for; Attrs: fault, arg, need (how many must fire, default 1)
	MarkSkipped  = "skipped"   // a case was not run; Cause says what would enable it
	MarkSettled  = "settled"   // effects of Op were read to the end; Attrs: stable ("false": still changing at the bound), waited (how long they were waited for)
	MarkAged     = "aged"      // the deduplication record of Op (all, if empty) was aged; Attrs: by (a duration)
	MarkAsked    = "asked"     // a caller asked whether Op had happened; Attrs: told; Cause: the question and its answer
	MarkKilled   = "killed"    // Actor, a worker, was ended without a warning
	MarkDied     = "died"      // it ended by itself; Cause: how, and what it printed
	MarkRestart  = "restarted" // it was started again, and is ready
	MarkPaused   = "paused"    // it stands still
	MarkResumed  = "resumed"   // it goes on
	MarkDown     = "down"      // what is behind Actor, a link, is away
	MarkUp       = "up"        // it is back
	MarkReadOnly = "read-only" // it takes no writes, until MarkUp
	MarkError    = "error"     // the tool could not do its part (an observer failed, a step could not be carried out): Cause says why; the case cannot pass
	MarkNote     = "note"      // something worth showing, judged by nothing
	MarkEnd      = "end"       // the run is complete: without it a history was cut short
)

// CaseCalibration is the case of the attempts that only measure the system.
const CaseCalibration = "calibration"

// Event is one line of a history. All text, so that histories can be compared,
// searched and judged by programs in any language. Empty fields are not written.
type Event struct {
	Seq     int64             `json:"seq"`               // 1, 2, 3 ... in the order of recording; given by the Recorder
	At      int64             `json:"at"`                // nanoseconds since Header.Start, monotonic; given by the Recorder if zero
	Kind    Kind              `json:"kind"`              // what it is about
	Case    string            `json:"case,omitempty"`    // "lost-answer/charge"; may be empty on effects, which are joined by Op or Key
	Op      string            `json:"op,omitempty"`      // the business id of the operation
	Name    string            `json:"name,omitempty"`    // attempts: the operation's name; effects and states: the observer or rule; faults, moments and marks: theirs
	Scope   string            `json:"scope,omitempty"`   // tenant or account
	Key     string            `json:"key,omitempty"`     // attempts: the bare idempotency key sent; effects: the key the observer reports (provider: the provider's key)
	Attempt int               `json:"attempt,omitempty"` // 1, 2, 3 ... within the operation
	Actor   string            `json:"actor,omitempty"`   // client, client-2, provider/card, worker/api, idemcheck
	Status  string            `json:"status,omitempty"`  // ends: "201", "reset", "timeout", "unreachable", "cut-off", "garbage"
	Payload string            `json:"payload,omitempty"` // invoke: fingerprint of the canonical request body
	Answer  string            `json:"answer,omitempty"`  // ends: fingerprint of the canonical answer body
	Body    string            `json:"body,omitempty"`    // invoke: request body; ends: answer body; redacted, up to a limit; "base64:..." if it is not UTF-8
	Hidden  string            `json:"hidden,omitempty"`  // an answer that the tool withheld from the caller: for people, judged by no rule
	Count   int               `json:"count,omitempty"`   // effects: the total so far of this observer for Op or Key
	Cause   string            `json:"cause,omitempty"`   // why: the error behind an unknown end, the reason of a skip
	Attrs   map[string]string `json:"attrs,omitempty"`   // see the Attr names
}

// Keys of Event.Attrs; Passage has those of moments of links and points.
const (
	AttrRaw      = "raw"      // fingerprint of the bytes of the body as sent or received
	AttrRequest  = "request"  // invoke: method and path, "POST /charges"
	AttrKeyless  = "keyless"  // invoke without a key: "none" (the operation has none: its id is the key), "derived" (its payload is the key) or "dropped" (a fault took it away)
	AttrVariant  = "variant"  // invoke: what was changed in the payload, "/amount"
	AttrFault    = "fault"    // invoke and armed: the fault of this attempt
	AttrArg      = "arg"      // its argument
	AttrTogether = "together" // invoke: attempts with the same value were sent to overlap
	AttrHeader   = "header."  // ends: prefix of the answer's headers, in lower case: "header.location"
	AttrCut      = "cut"      // "true": Body is not whole
	AttrVersion  = "version"  // invoke: which version of its entity the attempt carries, 1, 2, 3 ...; effects: which one the observer shows
	AttrValue    = "value"    // invoke: the form of a value that the whole operation has in its payload: "zero", "largest", ...
	AttrEntry    = "entry"    // invoke: the configured operation through which it was delivered, if not its own
	AttrBefore   = "before"   // invoke: "true" if the operation only ran because another one needs it first
	AttrReplica  = "replica"  // invoke: which address of the target, 1, 2 ..., if it has several
	AttrSum      = "sum."     // effects: prefix of the values that a rule adds up, by JSON pointer: "sum./amount"
	AttrStale    = "stale"    // moment of a provider: the status of an earlier failure of Op that it repeated, since it was called under the same key
	AttrAtOnce   = "at_once"  // moment of a provider: how many calls of Op were in flight together
	AttrAgain    = "again"    // fault: "true" if it was armed once and has fired before
	AttrAlike    = "alike"    // invoke: the id whose own id or key this one's was made to look like; on both of a pair
	AttrTold     = "told"     // mark asked: "yes" if the answer says that the operation happened, "no" if it says that it did not
	AttrMoment   = "moment"   // armed, and fault of a link or worker: the moment at which it strikes
	AttrForeign  = "foreign"  // effects: "true" if the observer reported neither a known id nor key
)

// Observer is what rules must know of one: it is written into the header.
type Observer struct {
	Name   string   `json:"name"`             // as in the configuration: card-charge
	Kind   string   `json:"kind"`             // sql, http, provider, ...
	By     string   `json:"by"`               // "id" or "key": what it reports
	Of     []string `json:"of,omitempty"`     // the operations it counts for; empty: the only one
	Expect int      `json:"expect,omitempty"` // effects of one operation; 0 means 1
	Say    string   `json:"say,omitempty"`    // "Order ${id} was charged"
	Unique string   `json:"unique,omitempty"` // "id": one operation has one effect even under several keys

	Scoped bool `json:"scoped,omitempty"` // it is asked for each scope by itself, and shows what that one may see

	OneAtATime bool `json:"one_at_a_time,omitempty"` // provider: two calls of one operation must not be in flight at once
}

// Counts reports whether the observer counts effects of operations of a name.
func (o *Observer) Counts(operation string) bool {
	return len(o.Of) == 0 || slices.Contains(o.Of, operation)
}

// Kinds of UserRule.
const (
	RuleEmpty     = "empty"     // a query that must return no rows
	RuleExpr      = "expr"      // an expression over the run
	RuleEach      = "each"      // an expression over each operation
	RuleConserved = "conserved" // a total that the run must not change
	RuleBounded   = "bounded"   // a total that grows, and goes back when all keys are past their life
	RuleSame      = "same"      // rows of a repeated operation are those of one that was sent once
	RuleAgree     = "agree"     // a total grows by what a provider's effects add up to
	RuleCounted   = "counted"   // a metric grows by the number of suppressed repeats
)

// UserRule is a rule of the user, judged in a case of its own, rule/NAME, by the
// State events of that case (Attrs: when, one of before, after, alive, aged).
type UserRule struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`              // one of the Rule names
	Text    string   `json:"text,omitempty"`    // expr, each: the expression
	Of      []string `json:"of,omitempty"`      // each, same, counted: the operations it judges; empty: all
	Outside string   `json:"outside,omitempty"` // agree: the observer
	Sum     string   `json:"sum,omitempty"`     // agree: JSON pointer to what is added up; "": effects are counted
	Within  bool     `json:"within,omitempty"`  // bounded: how long a record may stay after its life was stated
}

// Header is the first line of a history.
type Header struct {
	Version   int        `json:"version"`             // 1
	Run       string     `json:"run"`                 // the run id, which every operation's id begins with; in a Go test it may be empty
	Seed      uint64     `json:"seed"`                // of the schedule and of drawn values
	Target    string     `json:"target"`              // the system: its URL; in a Go test the test's name
	Contract  string     `json:"contract"`            // the whole contract as JSON text
	Tool      string     `json:"tool"`                // "idemcheck/0.1.0"
	Start     time.Time  `json:"start"`               // of the run, by the wall clock
	Effects   string     `json:"effects,omitempty"`   // "none": the user wants answers only to be judged
	Exclusive bool       `json:"exclusive,omitempty"` // nobody else uses the system, so that totals may be judged
	Observers []Observer `json:"observers,omitempty"`
	Workers   []string   `json:"workers,omitempty"` // names of the processes that the tool started
	Links     []string   `json:"links,omitempty"`   // what the system reaches through it: "db (postgres)"
	Rules     []UserRule `json:"rules,omitempty"`   // those of the user; older histories name none and have RuleEmpty only
}

// format is the version of histories that this package reads and writes.
const format = 1

// History is everything that happened in one run, in order.
type History struct {
	Header Header
	Events []Event
}

// Attempt is one delivery of an operation. End is nil if it never ended. Begin is
// never nil: where the invoke is missing it is the end itself.
type Attempt struct {
	Begin, End *Event
}

// Outcome is OK, Refused or Unknown; Unknown also where the end is missing.
func (a Attempt) Outcome() Kind {
	if a.End == nil {
		return Unknown
	}
	return a.End.Kind
}

// Operation is one business intention with all that is known of it. Operations
// are told apart by id and scope.
type Operation struct {
	ID, Name, Scope, Case string // its business id, the configured name, the tenant, and the case that it belongs to

	Attempts []Attempt // by Begin.Seq
	Effects  []*Event  // by Seq; those that report its id, or a key that it carried
	Faults   []*Event  // those with its id
	Moments  []*Event  // likewise
	Marks    []*Event  // those with its id, or with its case and no id
}
