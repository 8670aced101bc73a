package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// mapVersion is the version of the form in which maps are written.
const mapVersion = 1

// mapDocument is what MapFile holds; docs/map.md describes it.
type mapDocument struct {
	Version int         `json:"version"`
	Run     string      `json:"run"`
	Maps    []mapObject `json:"maps"`
}

type mapObject struct {
	Operation string           `json:"operation"`
	Worker    string           `json:"worker"`
	Links     []string         `json:"links"`
	Verdict   checkers.Verdict `json:"verdict"`
	mapSums
	Moments []momentObject `json:"moments"`
	Cells   []cellObject   `json:"cells"`
	Idle    []string       `json:"idle"`
}

type momentObject struct {
	Number    int    `json:"number"`
	Name      string `json:"name"`
	Sometimes bool   `json:"sometimes"`
	Point     bool   `json:"point"`
}

// cellObject is one window. State is run, equal, none or not run; the last has a
// case where the run ended before it.
type cellObject struct {
	Window  string           `json:"window"` // "2 lose reply"
	Moment  int              `json:"moment"` // its number, from 1
	Column  string           `json:"column"`
	State   string           `json:"state"`
	Equal   string           `json:"equal"` // the window that was run in its place, whose verdict and word follow
	Case    string           `json:"case"`
	Verdict checkers.Verdict `json:"verdict"`
	Word    string           `json:"word"`
	Note    string           `json:"note"`
	Reason  string           `json:"reason"`
}

// WriteMaps writes the maps of a run, in the form of MapFile.
func WriteMaps(w io.Writer, r Run) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(mapDocument{mapVersion, r.History.Header.Run, mapObjects(r)})
}

func mapObjects(r Run) []mapObject {
	all := []mapObject{}
	for _, c := range r.charts() {
		n := c.sums()
		o := mapObject{Operation: c.Operation, Worker: c.Worker, Links: list(c.Links), Verdict: n.verdict(), mapSums: n,
			Moments: []momentObject{}, Cells: []cellObject{}, Idle: list(c.Idle)}
		for i, m := range c.Moments {
			o.Moments = append(o.Moments, momentObject{i + 1, m.Name, m.Sometimes, m.Point})
		}
		for _, w := range c.Windows {
			o.Cells = append(o.Cells, c.object(w))
		}
		all = append(all, o)
	}
	return all
}

func (c chart) object(w scenarios.Window) cellObject {
	o := cellObject{Window: windowName(w), Moment: w.Moment + 1, Column: w.Column, State: "not run", Case: w.Case}
	switch {
	case w.None:
		o.State = "none"
	case w.Case != "" && c.state(w) == leftOut:
		o.Reason = c.cell(w).sentence
	case w.Case != "":
		o.State, o.Verdict, o.Word, o.Note, o.Reason = "run", c.verdict(w), w.Word, w.Note, c.cell(w).sentence
	case w.Equal > 0 && w.Equal <= len(c.Windows):
		other := c.Windows[w.Equal-1]
		o.Equal = windowName(other)
		if _, ok := c.equal(w); ok {
			o.State, o.Verdict, o.Word = "equal", c.verdict(other), other.Word
		}
	}
	return o
}

// verdict of a window that was run.
func (c chart) verdict(w scenarios.Window) checkers.Verdict {
	switch c.state(w) {
	case passing:
		return checkers.Pass
	case failing, tolerated:
		return checkers.Fail
	}
	return checkers.Inconclusive
}

// ReadMaps reads what WriteMaps wrote of a run. It takes nothing that it does not know.
func ReadMaps(r io.Reader, run string) ([]scenarios.Map, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var doc mapDocument
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%s: %w", MapFile, err)
	}
	switch _, err := d.Token(); {
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: more than one document", MapFile)
	case doc.Version != mapVersion:
		return nil, fmt.Errorf("%s: version %d; this idemcheck reads version %d", MapFile, doc.Version, mapVersion)
	case doc.Run != run:
		return nil, fmt.Errorf("%s: it is of run %q, the history beside it of run %q", MapFile, doc.Run, run)
	}
	var all []scenarios.Map
	for i, o := range doc.Maps {
		m, err := o.read()
		if err != nil {
			return nil, fmt.Errorf("%s: map %d (%s): %w", MapFile, i+1, o.Operation, err)
		}
		all = append(all, m)
	}
	return all, nil
}

func (o mapObject) read() (scenarios.Map, error) {
	m := scenarios.Map{Operation: o.Operation, Worker: o.Worker, Links: o.Links, Idle: o.Idle}
	names := map[string]int{}
	for i, one := range o.Moments {
		if one.Number != i+1 {
			return m, fmt.Errorf("moment %q has the number %d, its place is %d", one.Name, one.Number, i+1)
		}
		m.Moments = append(m.Moments, scenarios.Moment{Name: one.Name, Sometimes: one.Sometimes, Point: one.Point})
	}
	for i, c := range o.Cells {
		if _, twice := names[c.Window]; twice {
			return m, fmt.Errorf("cell %q is there twice", c.Window)
		}
		names[c.Window] = i + 1
	}
	for _, c := range o.Cells {
		w, err := c.read(len(o.Moments), names)
		if err != nil {
			return m, fmt.Errorf("cell %q: %w", c.Window, err)
		}
		m.Windows = append(m.Windows, w)
	}
	return m, nil
}

// read makes a window of a cell; names are the places of all, from 1.
func (c cellObject) read(moments int, names map[string]int) (scenarios.Window, error) {
	w := scenarios.Window{Moment: c.Moment - 1, Column: c.Column, Case: c.Case, Equal: names[c.Equal], None: c.State == "none",
		Verdict: c.Verdict, Word: c.Word, Note: c.Note, Reason: c.Reason}
	verdicts := []checkers.Verdict{checkers.Pass, checkers.Fail, checkers.Inconclusive}
	switch {
	case c.Moment < 1 || c.Moment > moments:
		return w, fmt.Errorf("there is no moment %d of %d", c.Moment, moments)
	case !slices.Contains(mapColumns, c.Column):
		return w, fmt.Errorf("unknown column %q", c.Column)
	case c.Window != windowName(w):
		return w, fmt.Errorf("it is %q by its moment and column", windowName(w))
	case !slices.Contains([]string{"run", "equal", "none", "not run"}, c.State):
		return w, fmt.Errorf("unknown state %q", c.State)
	case (c.State == "run") != (c.Case != "") && c.State != "not run":
		return w, fmt.Errorf("state %q with the case %q", c.State, c.Case)
	case (c.State == "run" || c.State == "equal") && !slices.Contains(verdicts, c.Verdict):
		return w, fmt.Errorf("unknown verdict %q", c.Verdict)
	case c.Equal != "" && w.Equal == 0:
		return w, fmt.Errorf("equal to %q, which is not there", c.Equal)
	}
	return w, nil
}
