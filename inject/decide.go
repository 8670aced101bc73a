package inject

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// decide asks the schedule what is to be done to the next attempt of a caller.
func (r *Run) decide(site string, op *operation) []Fault {
	r.mu.Lock()
	op.requests[site]++
	n := op.requests[site]
	r.mu.Unlock()
	fs := fitting(site, r.schedule(Site{Name: site, Number: op.number, Attempt: n}))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range fs {
		if f != Reorder { // which the queue does
			r.arm(site, f)
		}
	}
	return fs
}

// asked is a fault at a kind of site.
type asked struct {
	site  string
	fault Fault
}

// kindOf is the kind of a site: "provider" of "provider/card".
func kindOf(site string) string {
	kind, _, _ := strings.Cut(site, "/")
	return kind
}

// arm notes that a fault was asked for. It is called with mu held.
func (r *Run) arm(site string, f Fault) {
	if r.decided == nil {
		r.decided = map[asked]bool{}
	}
	r.decided[asked{kindOf(site), f}] = true
	attrs := map[string]string{history.AttrFault: f.Name}
	if f.Arg != "" {
		attrs[history.AttrArg] = f.Arg
	}
	r.add(history.Event{Kind: history.Mark, Name: history.MarkArmed, Actor: tool, Attrs: attrs}, nil)
}

// armRest asks for faults that had no turn: there were too few operations.
func (r *Run) armRest(fs []Fault, sites func(Fault) []string) {
	for _, f := range fs {
		if !slices.ContainsFunc(sites(f), func(site string) bool { return r.decided[asked{site, f}] }) {
			r.arm("", f)
		}
	}
}
