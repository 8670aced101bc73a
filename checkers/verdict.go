package checkers

import (
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Verdict of a case or a run; the worst wins.
type Verdict string

// The verdicts. Note is no verdict of a case: a Violation that carries it is
// worth showing and judged by nothing.
const (
	Pass         Verdict = "pass"
	Inconclusive Verdict = "inconclusive"
	Fail         Verdict = "fail"
	Note         Verdict = "note"
)

// Violation is one breach of a rule, or (Verdict Inconclusive) one thing that
// kept a rule from judging, or (Note) a remark.
type Violation struct {
	Rule      string  // "at-most-once"
	Verdict   Verdict // Fail, Inconclusive or Note
	Case      string  // filled by Judge
	Op, Scope string  // the operation
	Reason    string  // one or two sentences in business terms
	Cause     string  // likely cause, if the history shows one
	Cure      string  // usual cure
	Witnesses []int64 // Seq of the events that show it

	Differences []Difference // of two answers that should agree; at most 20
}

// Difference is one place at which two answers do not agree, or (First and Again
// equal) share what belongs to one of them only.
type Difference struct {
	Where        string // "status", "header location", a JSON pointer in the body, or "line 3" of a text
	First, Again string // what stood there, at most 60 bytes of it; "" where it was not there
}

// Rule judges a history. Group judges one group, History all of one case
// together; one of them is set. Rules run at the same time and must not change
// what they are given.
type Rule struct {
	Name, Doc string // "at-most-once", and what it demands in a sentence
	Group     func(Group) []Violation
	History   func([]Group) []Violation

	model   bool                               // it looks at commands only
	effects bool                               // it judges nothing without an observer
	needs   func(os []history.Observer) string // why it judges nothing with these; "" if it does
}

// Calibration is what fault-free attempts of one operation showed.
type Calibration struct {
	Effects  map[string]int    // by observer: effects of one operation as seen
	Blind    map[string]string // by observer: why it cannot be relied on
	Failed   string            // why the operation itself could not be measured
	Handler  time.Duration     // how long an attempt takes
	Latency  time.Duration     // how long after the answer the slowest effect was seen; 0: within the handler's time
	Telling  []string          // JSON pointers in the answer whose values name the operation
	Echo     []string          // JSON pointers in the answer that repeat the id of the request
	Volatile []string          // JSON pointers that change in each answer
	Scope    string            // of these attempts
	Moving   []string          // without Telling: pointers named as an identity that changed when the operation was repeated
}

// Group is one operation, or all operations of a case that carried the same
// key or the same id.
type Group struct {
	Operations  []history.Operation
	Contract    *contract.Contract
	Observers   []history.Observer     // those that count for these operations and can be relied on
	Calibration map[string]Calibration // by operation name

	ended   bool     // the history is whole
	hooked  bool     // it was recorded in process
	entry   *entry   // of the operation, where there is one
	digests []digest // likewise
}

// Case is the judgement of one case.
type Case struct {
	Name       string // "lost-answer/charge"
	Scenario   string // the plan's name; in a Go test the test's
	Operation  string // the configured operation under test
	Verdict    Verdict
	Violations []Violation // fail first, then inconclusive
	NotFired   []string    // faults that were asked for and did not fire
	Fired      int         // faults that fired; for overlaps, rounds that overlapped
	Asked      int         // faults that were asked for; for overlaps, rounds
	Notes      []string    // what was seen and not judged
	Skipped    string      // why it was not run; Verdict is then empty
}

// Report is the judgement of a whole history.
type Report struct {
	Cases       []Case
	Observed    []string               // what this service does, not judged: "changed payload 400"
	Problems    []string               // what keeps the whole run from passing: it was cut short, the tool failed
	Calibration map[string]Calibration // by operation name
	Attempts    int                    // of all operations in the history
	Faults      int                    // events
}

// Verdict is the worst of the cases'. A run with a problem, or of which nothing
// was judged, is inconclusive.
func (r Report) Verdict() Verdict {
	worst, judged := Pass, false
	for _, c := range r.Cases {
		judged = judged || c.Skipped == ""
		worst = worse(worst, c.Verdict)
	}
	if !judged || len(r.Problems) > 0 {
		worst = worse(worst, Inconclusive)
	}
	return worst
}

// Counts is the number of cases by verdict; skipped ones are counted apart.
func (r Report) Counts() (failed, inconclusive, passed, skipped int) {
	for _, c := range r.Cases {
		switch {
		case c.Skipped != "":
			skipped++
		case c.Verdict == Fail:
			failed++
		case c.Verdict == Inconclusive:
			inconclusive++
		default:
			passed++
		}
	}
	return failed, inconclusive, passed, skipped
}

func worse(a, b Verdict) Verdict {
	if a == Fail || b == Fail {
		return Fail
	}
	if a == Inconclusive || b == Inconclusive {
		return Inconclusive
	}
	return Pass
}
