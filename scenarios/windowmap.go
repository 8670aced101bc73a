package scenarios

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
)

// Map says of each window of an operation what became of it.
type Map struct {
	Operation string
	Worker    string   // the process that is killed, or those of which the one that takes the step is; "": none is
	Links     []string // "db (postgres)", "card (http, not used)": nothing of the operation passed through it
	Moments   []Moment
	Windows   []Window // of the moments in order, each in the order of the columns
	Idle      []string // moments that are left out: they come while nothing is sent, too
}

// Moment is one step that the operation always makes, or sometimes.
type Moment struct {
	Name      string // "db INSERT charges", "after-effect #2"
	Sometimes bool   // it did not come in each of the clean runs
	Point     bool   // a point of code: it has no answer

	late bool // it came after the answer
}

// Window is one moment with one fault.
type Window struct {
	Moment int    // index into Moments
	Column string // the name of one of Columns
	Case   string // its case in the history; "": it was not run
	Equal  int    // index+1 of the window that it equals and that was run in its place; 0: none
	None   bool   // there is no such window: a point of code has no answer that could be lost

	Verdict checkers.Verdict
	Word    string // "pass", "TWICE", "LOST", "STUCK", "WRONG", "?"
	Note    string // "waited", "2 of 5", "died": the worker ended by itself
	Reason  string // of what failed or could not be judged, in a sentence

	tried, fired, waited, fell int // operations; fell: the worker ended by itself
	alone                      int // held, and no repeat could be sent meanwhile
}

// uses says whether a moment is one of that link.
func (m Map) uses(link string) bool {
	return slices.ContainsFunc(m.Moments, func(at Moment) bool { return strings.HasPrefix(at.Name, link+" ") })
}

// kills says whether the window ends the worker.
func (w Window) kills() bool { return w.Column == columnKillBefore || w.Column == columnKillAfter }

// Counts are the windows that were run, those of them that were judged, that
// failed, and of which nothing is known. Those that equal a neighbour are not
// counted twice.
func (m Map) Counts() (run, tried, failed, open int) {
	for _, w := range m.Windows {
		switch w.Verdict {
		case checkers.Pass:
			tried++
		case checkers.Fail:
			tried, failed = tried+1, failed+1
		case checkers.Inconclusive:
			open++
		}
	}
	return tried + open, tried, failed, open
}
