// Package doctor says whether a configuration works: whether the target is
// there, whether plain operations work, whether each observer sees their
// effects, and which scenarios can run. It judges no fault; what it looks at is
// the history of a calibration: each operation sent twice, the second once more.
package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
)

// Report is what was found. JSON writes it as it is: lists are never null.
type Report struct {
	Run        string      `json:"run"`
	Target     string      `json:"target"`
	Contract   string      `json:"contract"`
	Healthy    bool        `json:"healthy"` // there is no problem
	Workers    []Worker    `json:"workers"`
	Links      []Link      `json:"links"`
	Points     []string    `json:"points"` // of code that were met, in the order of their names
	Operations []Operation `json:"operations"`
	Scenarios  []Scenario  `json:"scenarios"`
	Problems   []string    `json:"problems"` // these keep runs from passing, or make them say the wrong thing
	Advice     []string    `json:"advice"`   // a run works without, and says more with
}

// Operation is one operation under test.
type Operation struct {
	Name      string     `json:"name"`
	Request   string     `json:"request"` // "POST /charges"
	Key       string     `json:"key"`     // where its key travels, "none" if nowhere
	Works     bool       `json:"works"`
	Status    string     `json:"status"` // of the first answer: "201", "timeout"
	Answer    string     `json:"answer"` // its beginning
	Millis    int64      `json:"milliseconds"`
	Repeat    string     `json:"repeat"` // status of the repeat, "" if none was sent
	Observers []Observer `json:"observers"`
}

// Observer is what one observer saw of an operation.
type Observer struct {
	Name    string `json:"name"`
	By      string `json:"by"`      // id or key
	Subject string `json:"subject"` // the id or key that it was asked for
	Effects int    `json:"effects"` // of the first delivery
	Want    int    `json:"want"`
	After   int    `json:"after_repeat"` // effects once the operation had been sent again
	Millis  int64  `json:"milliseconds"` // from the answer until the effect was seen
	Problem string `json:"problem"`      // "" if it can be relied on
}

// Scenario is one scenario of the catalogue.
type Scenario struct {
	Name    string   `json:"name"`
	Runs    []string `json:"runs"`    // operations that it can be run on
	Skipped string   `json:"skipped"` // why it can not, and the line that would enable it
}

// Examine says what a calibration showed. sys is what ran, h what was recorded.
func Examine(file *config.File, sys scenarios.System, h history.History) Report {
	x := &examination{
		Report: Report{
			Run: h.Header.Run, Target: sys.Address, Contract: sys.Contract.Name, Workers: []Worker{}, Links: []Link{}, Points: []string{},
			Operations: []Operation{}, Scenarios: []Scenario{}, Problems: []string{}, Advice: []string{},
		},
		file: file, sys: sys, h: h, learned: checkers.Calibrate(h),
	}
	for _, o := range sys.Operations {
		if o.Test {
			x.operation(o)
		}
	}
	x.wiring()
	x.providers()
	x.observers()
	x.settings()
	x.scenarios()
	x.Healthy = len(x.Problems) == 0
	return x.Report
}

// examination is a report as it grows.
type examination struct {
	Report
	file    *config.File
	sys     scenarios.System
	h       history.History
	learned map[string]checkers.Calibration
}

func (x *examination) problem(format string, args ...any) {
	x.Problems = append(x.Problems, fmt.Sprintf(format, args...))
}

func (x *examination) advise(format string, args ...any) {
	x.Advice = append(x.Advice, fmt.Sprintf(format, args...))
}

// calibrated are the operations of one name that the calibration sent.
func (x *examination) calibrated(name string) (ops []history.Operation) {
	for op := range x.h.Operations() {
		if op.Case == history.CaseCalibration && op.Name == name && len(op.Attempts) > 0 {
			ops = append(ops, op)
		}
	}
	return ops
}

func (x *examination) operation(o scenarios.Operation) {
	r := Operation{Name: o.Name, Request: o.Method + " " + o.Path, Key: o.Carrier, Observers: []Observer{}}
	if o.Carrier == "" {
		r.Key = "none"
	}
	ops := x.calibrated(o.Name)
	if len(ops) == 0 {
		x.Operations = append(x.Operations, r)
		x.problem("%s was not sent: %s", o.Name, x.why(o.Name))
		return
	}
	first := ops[0].Attempts[0]
	if first.End != nil {
		r.Status, r.Answer = first.End.Status, begins(first.End.Body, 200)
		r.Millis = ms(first.End.At - first.Begin.At)
	}
	if r.Works = first.Outcome() == history.OK; !r.Works {
		x.problem("%s did not work: %s answered %s %s", o.Name, r.Request, r.Status, r.Answer)
	} else {
		x.seen(&r, o, ops)
		x.repeated(&r, o, ops[len(ops)-1])
	}
	x.Operations = append(x.Operations, r)
}

// why is the note that the runner left of an operation that it could not send.
func (x *examination) why(name string) string {
	for _, e := range x.h.Events {
		if e.Kind == history.Mark && e.Name == history.MarkNote && e.Case == history.CaseCalibration {
			return begins(e.Cause, 300)
		}
	}
	return "the calibration ended before it"
}

func ms(ns int64) int64 { return ns / int64(time.Millisecond) }

// begins is the beginning of a text, on one line.
func begins(s string, n int) string {
	r := []rune(strings.TrimSpace(s))
	for i, c := range r {
		if c < ' ' || c == 0x7f {
			r[i] = ' '
		}
	}
	if len(r) > n {
		return strings.TrimSpace(string(r[:n])) + "…"
	}
	return strings.TrimSpace(string(r))
}
