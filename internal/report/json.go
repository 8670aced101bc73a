package report

import (
	"encoding/json"
	"io"
	"math"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// document is the object that JSON writes; see the package comment.
type document struct {
	Run         string              `json:"run"`
	Target      string              `json:"target"`
	Contract    string              `json:"contract"`
	Seed        uint64              `json:"seed"`
	Verdict     checkers.Verdict    `json:"verdict"`
	Exit        int                 `json:"exit"`
	Seconds     float64             `json:"seconds"`
	AnswersOnly bool                `json:"answers_only"`
	Counts      counts              `json:"counts"`
	Cases       []caseObject        `json:"cases"`
	Observed    []string            `json:"observed"`
	Problems    []string            `json:"problems"`
	Whole       bool                `json:"whole"`
	File        string              `json:"file"`
	Lines       map[string]int      `json:"lines"`
	Accept      []Accept            `json:"accept"`
	Stale       []string            `json:"stale"`
	Apart       []string            `json:"apart"`
	Maps        []mapObject         `json:"maps"`
	Explored    *scenarios.Explored `json:"explored"`
}

type caseObject struct {
	Name       string            `json:"name"`
	Scenario   string            `json:"scenario"`
	Operation  string            `json:"operation"`
	Verdict    checkers.Verdict  `json:"verdict"`
	Fired      int               `json:"fired"`
	Asked      int               `json:"asked"`
	Violations []violationObject `json:"violations"`
	Notes      []string          `json:"notes"`
	Skipped    string            `json:"skipped"`
	Accepted   string            `json:"accepted"`
}

type violationObject struct {
	Rule      string           `json:"rule"`
	Verdict   checkers.Verdict `json:"verdict"`
	Op        string           `json:"op"`
	Scope     string           `json:"scope"`
	Reason    string           `json:"reason"`
	Cause     string           `json:"cause"`
	Cure      string           `json:"cure"`
	Witnesses []int64          `json:"witnesses"`

	Differences []differenceObject `json:"differences"`
}

type differenceObject struct {
	Where string `json:"where"`
	First string `json:"first"`
	Again string `json:"again"`
}

// JSON writes a run for machines: one object in the form that the package
// comment describes.
func JSON(w io.Writer, r Run) error {
	h := r.History.Header
	name, _ := r.contract()
	d := document{
		Run: h.Run, Target: h.Target, Contract: name, Seed: h.Seed,
		Verdict: r.Verdict(), Exit: Exit(r), Seconds: math.Round(r.Took.Seconds()*1000) / 1000,
		AnswersOnly: r.answersOnly(), Counts: r.counts(),
		Cases: make([]caseObject, 0, len(r.Report.Cases)), Observed: list(r.Report.Observed), Problems: list(r.Report.Problems),
		Whole: r.Whole, File: r.File, Lines: r.Lines, Accept: list(r.Accept), Stale: list(r.stale()), Apart: list(r.Apart),
		Maps: mapObjects(r), Explored: r.Explored,
	}
	if d.Lines == nil {
		d.Lines = map[string]int{}
	}
	for _, c := range r.Report.Cases {
		o := newCase(c)
		if r.state(c) == tolerated {
			o.Accepted = why(r.accepted(c))
		}
		d.Cases = append(d.Cases, o)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

func newCase(c checkers.Case) caseObject {
	o := caseObject{
		Name: c.Name, Scenario: c.Scenario, Operation: c.Operation, Verdict: c.Verdict, Fired: c.Fired, Asked: c.Asked,
		Violations: make([]violationObject, 0, len(c.Violations)), Notes: list(c.Notes), Skipped: c.Skipped,
	}
	for _, v := range c.Violations {
		o.Violations = append(o.Violations, violationObject{v.Rule, v.Verdict, v.Op, v.Scope, v.Reason, v.Cause, v.Cure, list(v.Witnesses), differences(v)})
	}
	return o
}

func differences(v checkers.Violation) []differenceObject {
	all := make([]differenceObject, 0, len(v.Differences))
	for _, d := range v.Differences {
		all = append(all, differenceObject(d))
	}
	return all
}

// list is never null in JSON.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
