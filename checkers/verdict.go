package checkers

import (
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Verdict of a case or a run; the worst wins.
type Verdict string

const (
	Pass         Verdict = "pass"
	Inconclusive Verdict = "inconclusive"
	Fail         Verdict = "fail"
)

// Violation is one breach of a rule, or (Verdict Inconclusive) one thing that
// kept a rule from judging.
type Violation struct {
	Rule      string  // "at-most-once"
	Verdict   Verdict // Fail or Inconclusive
	Case      string  // filled by Judge
	Op, Scope string  // the operation
	Reason    string  // one or two sentences in business terms
	Cause     string  // likely cause, if the history shows one
	Cure      string  // usual cure
	Witnesses []int64 // Seq of the events that show it
}

// Rule judges a history. Group judges one group, History all of one case
// together; one of them is set.
type Rule struct {
	Name, Doc string
	Group     func(Group) []Violation
	History   func([]Group) []Violation
}

// Calibration is what fault-free attempts of one operation showed.
type Calibration struct {
	Effects  map[string]int // by observer: effects of one operation as seen
	Handler  time.Duration  // how long an attempt takes
	Latency  time.Duration  // how long after the answer the slowest effect was seen; 0: within the handler's time
	Telling  []string       // JSON pointers in the answer whose values name the operation
	Volatile []string       // JSON pointers that change in each answer
}

// Group is one operation, or all operations of a case that carried the same key.
type Group struct {
	Operations  []history.Operation
	Contract    contract.Contract
	Observers   []history.Observer     // those that count for these operations
	Calibration map[string]Calibration // by operation name
}

// Case is the judgement of one case.
type Case struct {
	Name       string
	Verdict    Verdict
	Violations []Violation // fail first, then inconclusive
	NotFired   []string    // faults that were asked for and did not fire
	Notes      []string    // what was seen and not judged
	Skipped    string      // why it was not run; Verdict is then empty
}

// Report is the judgement of a whole history.
type Report struct {
	Cases    []Case
	Observed []string // what this service does, not judged: "changed payload 400"
}
