package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/internal/template"
)

// Worker is one process of the service.
type Worker struct {
	Name   string `json:"name"`
	Alive  bool   `json:"alive"`  // after the operations; it was ready before them
	Exited string `json:"exited"` // how it ended, if it did
}

// Link is one way from the service to something that it depends on.
type Link struct {
	Name     string   `json:"name"`
	Protocol string   `json:"protocol"`
	To       string   `json:"to"`
	Passed   bool     `json:"passed"`  // bytes did while the operations ran
	Moments  []string `json:"moments"` // steps of the operations, in the order of their first coming
}

// wiring says what became of workers, and what passed through links.
func (x *examination) wiring() {
	for _, w := range x.sys.Workers {
		r := Worker{Name: w.Name(), Alive: w.Alive(), Exited: w.Exited()}
		if !r.Alive {
			x.problem("worker %s ended while the operations ran (%s)%s", r.Name, cmp.Or(r.Exited, "it was stopped"), last(w.Printed()))
		}
		x.Workers = append(x.Workers, r)
	}
	for i, l := range x.sys.Links {
		said := x.file.Links[i]
		r := Link{Name: l.Name(), Protocol: said.Protocol, To: said.To, Passed: l.Last().After(x.h.Header.Start), Moments: x.moments("link/"+l.Name(), l.Name()+" ")}
		x.link(r, said, l.Err())
		x.Links = append(x.Links, r)
	}
	x.Points = x.moments("point", "")
}

// link says what is wrong with a link.
func (x *examination) link(r Link, said config.Link, err error) {
	switch {
	case err != nil:
		x.problem("%v: its steps can not be relied on", err)
	case !r.Passed:
		x.problem("nothing passed through link %s while the operations ran: %s", r.Name, x.past(said))
	case len(r.Moments) == 0 && r.Protocol != "tcp":
		x.problem("bytes passed through link %s and no step of %s was seen: does the service speak %s there, and without TLS?", r.Name, r.Protocol, r.Protocol)
	}
}

// past is the likely reason why nothing passes through a link.
func (x *examination) past(l config.Link) string {
	uses := func(t template.Text) bool { return slices.Contains(t.Names(), "link."+l.Name) }
	var told []string
	for _, w := range x.file.Workers {
		for _, v := range w.Env {
			if uses(v.Value) {
				told = append(told, fmt.Sprintf("read %s (worker %s)", v.Name, w.Name))
			}
		}
		if slices.ContainsFunc(w.Args, uses) {
			told = append(told, fmt.Sprintf("heed its arguments (worker %s)", w.Name))
		}
	}
	if len(told) == 0 {
		told = []string{"connect to " + l.Listen}
	}
	return fmt.Sprintf("does the service %s, or does it go past the link to %s? Or do these operations not need it", strings.Join(told, ", "), l.To)
}

// moments are what an actor showed of the operations, each once, without lead and number.
func (x *examination) moments(actor, lead string) []string {
	names := []string{}
	for _, e := range x.h.Events {
		name, _, _ := strings.Cut(strings.TrimPrefix(e.Name, lead), " #")
		if e.Kind == history.Moment && e.Case == history.CaseCalibration && e.Actor == actor && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// last are the last lines that a worker printed.
func last(lines []string) string {
	if len(lines) == 0 {
		return "; it printed nothing"
	}
	return "; it printed last:\n  " + strings.Join(lines, "\n  ")
}
