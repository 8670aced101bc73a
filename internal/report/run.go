// Package report prints what people and machines read of a run: Text for a
// terminal, HTML for a browser, Markdown for a pull request, JSON, JUnit XML
// and SARIF for a CI server.
//
// JSON writes one object. Fields come in this order, none is ever left out,
// lists are [] and texts "" where there is nothing:
//
//	run           the run's id
//	target        address of the system
//	contract      name of its contract, "none" if none was named
//	seed          of the schedule
//	verdict       pass, fail or inconclusive; the worst case wins
//	exit          0 pass, 1 any fail, 3 any inconclusive or nothing judged
//	seconds       how long the run took
//	answers_only  true if the user asked for answers only to be judged
//	counts        cases, passed, failed, inconclusive, skipped, attempts, faults (asked for), fired, accepted
//	cases         one object a case, in the order of the run:
//	  name, scenario, operation   "lost-answer/charge", "lost-answer", "charge"; a user rule has no operation
//	  verdict                     pass, fail or inconclusive; "" if skipped
//	  fired, asked                faults or overlap rounds that happened, and how many were asked for
//	  violations                  fail first: rule, verdict (fail, inconclusive, note), op, scope, reason, cause, cure, witnesses (seq of events),
//	                              differences of two answers: where, first, again
//	  notes                       what was seen and is judged by no rule
//	  skipped                     why it was not run and what would enable it
//	  accepted                    it failed, and the configuration accepts that: the reason
//	observed      what this service does, not judged
//	problems      what keeps the whole run from passing: it was cut short, the tool failed
//	whole         true if the whole catalogue ran on all operations
//	file, lines   the configuration, and the line of each operation in it
//	accept        failures that the configuration accepts: case, rule, reason, until, line
//	stale         those of them that nothing needs any more, a line each
//	apart         scenarios that make no sense for any operation
//	maps          window maps, see MapFile; their cases are among the cases
//	explored      what a search did, null in other runs: finds, plans, passed, failed, inconclusive (drawn plans, not cases), tries,
//	              attempts, fired and did (counts by name), mended (plans found earlier that pass now), seconds,
//	              unjudged (reasons of the inconclusive, with their number)
//	  finds       plan (YAML), case, operation, also, rule, reason, failed of tries again, met, number, seconds, drawn and steps, saved
//
// Fields may be added at the end of an object, never moved or removed.
package report

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/scenarios"
)

// MapFile is the name of the file, in the directory of a run, that holds its
// window maps, as WriteMaps writes them.
const MapFile = "map.json"

// Run is one run with its judgement, and what the history does not hold.
type Run struct {
	History history.History
	Report  checkers.Report
	Dir     string        // where its files are: ".idemcheck/r7k2m9"; "" if it has none, then no line to run a case again is shown
	Took    time.Duration // the whole run
	Color   bool          // Text may use terminal colours; see Color

	File     string              // the configuration: "idemcheck.yaml"; "" if not known
	Lines    map[string]int      // of the operations in it
	Accept   []Accept            // failures that it lets pass
	Whole    bool                // the whole catalogue ran on all operations
	Maps     []scenarios.Map     // of windows; their cases are in the Report
	Explored *scenarios.Explored // what a search did; nil: it was none
	Apart    []string            // scenarios that make no case for any operation, with the reasons
}

// counts are the sums of a run.
type counts struct {
	Cases        int `json:"cases"`
	Passed       int `json:"passed"`
	Failed       int `json:"failed"`
	Inconclusive int `json:"inconclusive"`
	Skipped      int `json:"skipped"`
	Attempts     int `json:"attempts"`
	Faults       int `json:"faults"`
	Fired        int `json:"fired"`
	Accepted     int `json:"accepted"`
	Short        int `json:"-"` // cases in which too few fired
}

func (r Run) counts() counts {
	n := counts{Cases: len(r.Report.Cases), Attempts: r.Report.Attempts}
	byState := map[state]int{}
	for _, c := range r.Report.Cases {
		byState[r.state(c)]++
		n.Faults += c.Asked
		n.Fired += c.Fired
		if len(c.NotFired) > 0 {
			n.Short++
		}
	}
	n.Passed, n.Failed, n.Inconclusive = byState[passing], byState[failing], byState[undecided]
	n.Skipped, n.Accepted = byState[leftOut], byState[tolerated]
	return n
}

// judged is how many cases have a verdict.
func (n counts) judged() int { return n.Passed + n.Failed + n.Inconclusive + n.Accepted }

// contract is the name of the contract in the header, and whether it is a
// preset's with other promises.
func (r Run) contract() (name string, changed bool) {
	var c contract.Contract
	if json.Unmarshal([]byte(r.History.Header.Contract), &c) != nil || c.Name == "" {
		return "none", false
	}
	preset, known := contract.Lookup(c.Name)
	preset.Doc = c.Doc
	return c.Name, known && !reflect.DeepEqual(preset, c)
}

// answersOnly says that the user asked for answers only to be judged.
func (r Run) answersOnly() bool { return r.History.Header.Effects == "none" }
