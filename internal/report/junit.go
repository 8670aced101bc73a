package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

type suitesElement struct {
	XMLName xml.Name       `xml:"testsuites"`
	Suites  []suiteElement `xml:"testsuite"`
}

type suiteElement struct {
	Name      string            `xml:"name,attr"`
	Tests     int               `xml:"tests,attr"`
	Failures  int               `xml:"failures,attr"`
	Errors    int               `xml:"errors,attr"`
	Skipped   int               `xml:"skipped,attr"`
	Time      string            `xml:"time,attr"`
	Timestamp string            `xml:"timestamp,attr"`
	Cases     []testcaseElement `xml:"testcase"`
}

type testcaseElement struct {
	Class   string          `xml:"classname,attr"`
	Name    string          `xml:"name,attr"`
	Time    string          `xml:"time,attr"`
	Failure *outcomeElement `xml:"failure"`
	Error   *outcomeElement `xml:"error"`
	Skipped *outcomeElement `xml:"skipped"`
}

type outcomeElement struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// JUnit writes a run as JUnit XML: one test case a case, of class OPERATION
// and name SCENARIO. A failed case has a failure, an inconclusive one an
// error, a skipped one is skipped. Where the run has problems or nothing was
// judged, one more case, "whole run", has an error that says so: a CI server
// must not show such a run as passed.
func JUnit(w io.Writer, r Run) error {
	r.Color = false
	n := r.counts()
	suite := suiteElement{
		Name: "idemcheck", Tests: n.Cases, Failures: n.Failed, Errors: n.Inconclusive, Skipped: n.Skipped + n.Accepted,
		Time: seconds(r.Took), Timestamp: r.History.Header.Start.UTC().Format("2006-01-02T15:04:05"),
	}
	p := newPage(r)
	took := times(r.History)
	for _, c := range r.Report.Cases {
		suite.Cases = append(suite.Cases, p.testcase(c, took[c.Name]))
	}
	if why := p.whole(); why != "" {
		suite.Tests, suite.Errors = suite.Tests+1, suite.Errors+1
		suite.Cases = append(suite.Cases, testcaseElement{
			Class: "idemcheck", Name: "whole run", Time: seconds(0), Error: &outcomeElement{Message: why},
		})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suitesElement{Suites: []suiteElement{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// whole is what keeps the run from passing although no case may show it.
func (r Run) whole() string {
	problems := slices.Clone(r.Report.Problems)
	if r.counts().judged() == 0 {
		problems = append(problems, "nothing was judged")
	}
	return clean(strings.Join(problems, "; "))
}

// testcase makes the element of one case.
func (p *page) testcase(c checkers.Case, took time.Duration) testcaseElement {
	scenario, operation := place(c)
	if operation == "" {
		operation = "idemcheck"
	}
	if moment := p.moment(c); moment != "" {
		scenario += " (" + moment + ")"
	}
	t := testcaseElement{Class: clean(operation), Name: clean(scenario), Time: seconds(took)}
	p.Reset()
	switch {
	case p.state(c) == leftOut:
		t.Skipped = &outcomeElement{Message: clean(c.Skipped)}
	case p.state(c) == tolerated:
		t.Skipped = &outcomeElement{Message: clean("accepted: " + why(p.accepted(c)))}
	case p.state(c) == failing:
		p.failure(c)
		t.Failure = outcome(failed(c), p.String())
	case p.state(c) == undecided:
		p.say("", "", p.unjudged(c))
		t.Error = outcome(with(c, checkers.Inconclusive), p.String())
		if t.Error.Message == "" {
			t.Error.Message = clean(p.unjudged(c))
		}
	}
	return t
}

// outcome takes message and type from the first violation.
func outcome(vs []checkers.Violation, text string) *outcomeElement {
	if len(vs) == 0 {
		return &outcomeElement{Text: text}
	}
	return &outcomeElement{clean(vs[0].Reason), clean(vs[0].Rule), text}
}

// times tells how long each case took, from its first event to its last.
func times(h history.History) map[string]time.Duration {
	begin, took := map[string]int64{}, map[string]time.Duration{}
	for _, e := range h.Events {
		if e.Case == "" {
			continue
		}
		if _, ok := begin[e.Case]; !ok {
			begin[e.Case] = e.At
		}
		took[e.Case] = max(took[e.Case], time.Duration(e.At-begin[e.Case]))
	}
	return took
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
