package scenarios

import "github.com/idemcheck/idemcheck/checkers"

// Map says of each window of an operation what became of it.
type Map struct {
	Operation string
	Worker    string   // the process that is killed
	Links     []string // "db (postgres)"
	Moments   []Moment
	Windows   []Window // of the moments in order, each in the order of the columns
}

// Moment is one step that the operation always makes, or sometimes.
type Moment struct {
	Name      string // "db INSERT charges", "after-effect #2"
	Sometimes bool   // it did not come in each of the clean runs
	Point     bool   // a point of code: it has no answer
}

// Columns of the map.
const (
	ColumnCut        = "cut"         // not delivered, the worker lives
	ColumnKillBefore = "kill before" // not delivered, the worker dies
	ColumnLoseReply  = "lose reply"  // done, the worker lives and does not hear
	ColumnKillAfter  = "kill after"  // done, the worker dies before it hears
	ColumnHeld       = "held"        // held while a repeat runs
)

// Window is one moment with one fault.
type Window struct {
	Moment int    // index into Moments
	Column string // ColumnCut ...
	Case   string // its case in the history; "": it was not run
	Equal  int    // index+1 of the window that it equals and that was run in its place; 0: none
	None   bool   // there is no such window: a point of code has no answer that could be lost

	Verdict checkers.Verdict
	Word    string // "pass", "TWICE", "LOST", "STUCK", "WRONG", "?"
	Note    string // "waited"
	Reason  string // of what failed or could not be judged, in a sentence
}

// Tried, Failed and Open count the windows that there are, those that equal others included.
func (m Map) Tried() (n int) { return n }
