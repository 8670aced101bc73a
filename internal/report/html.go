package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/internal/look"
)

// HTMLFile is the name of the page in the directory of a run.
const HTMLFile = "report.html"

var (
	//go:embed page/page.tmpl
	pageText string
	//go:embed page/figure.tmpl
	figureText string
	//go:embed page/map.tmpl
	mapText string
	//go:embed page/script.js
	script string
)

var pageTemplate = template.Must(template.New("page").Parse(figureText + mapText + pageText))

// view is what the page shows.
type view struct {
	Style  template.CSS
	Script template.JS
	Policy string // nothing is loaded from anywhere, and only this script runs

	Title, Class, Word, Heading, Sentence string
	Tiles                                 []tile
	Facts                                 []fact
	Maps                                  []mapView
	Matrix                                matrix
	Failures                              []failureView
	More                                  []string // failed cases that are not shown in full
	Accepted, Unjudged, Skipped, Notes    []groupView
	Observed, Warnings, Problems          []string
	Apart                                 []fact
	Calibrated                            []fact
	AnswersOnly                           bool
}

type tile struct {
	Class, Mark, Word string
	N                 string
	Link              string
}

type fact struct{ Name, Value string }

// HTML writes a run as one page that needs nothing else: no network, no script
// to be read. Text of the run can do nothing in it.
func HTML(w io.Writer, r Run) error {
	p := newPage(r)
	p.Color = false
	code := look.Copy + script
	sum := sha256.Sum256([]byte(code))
	v := view{
		Style: template.CSS(style), Script: template.JS(code),
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	}
	p.verdictView(&v)
	v.Maps = p.mapViews()
	v.Matrix = p.matrix()
	v.Failures, v.More = p.failureViews()
	v.Accepted = p.groupViews(r.Report.Cases, func(c checkers.Case) string {
		if p.state(c) != tolerated {
			return ""
		}
		return why(p.accepted(c)) + "\n" + firstReason(c)
	})
	v.Unjudged = p.groupViews(p.untold(r.Report.Cases), p.unjudged)
	v.Skipped = p.skippedViews()
	v.Notes = p.noteViews()
	v.Observed, v.Warnings, v.Problems = cleaned(r.Report.Observed), cleaned(p.stale()), cleaned(r.Report.Problems)
	v.Apart = facts(r.Apart)
	v.Calibrated = facts(p.calibratedLines())
	v.AnswersOnly = r.answersOnly()
	return pageTemplate.Execute(w, v)
}

// cleaned spells out what could hide or move text.
func cleaned(list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, clean(s))
	}
	return out
}

// signs stand beside the words of states, for the eye.
var signs = map[state]string{passing: "✓", failing: "✕", undecided: "?", leftOut: "–", tolerated: "≈"}

// class is the name of a state in the style sheet.
func (s state) class() string {
	if s == "" {
		return "none"
	}
	return strings.ToLower(string(s))
}
