package draft

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What an operation makes tells how much it is worth testing: money that moves
// comes first, then what a customer gets. money are words that hint at either,
// aside those of operations about something else.
var (
	moved = regexp.MustCompile(`^(charge|payment|paymentintent|transfer|refund|payout|capture|withdrawal|deposit|purchase|credittransfer|reversal)$`)
	made  = regexp.MustCompile(`^(order|booking|reservation|invoice|subscription|message|mandate|creditnote|topup|transaction)$`)
	money = regexp.MustCompile(`(?i)charge|payment|pay\b|order|transfer|refund|payout|invoice|booking|reservation|capture|withdraw|deposit|purchase|message|ledger|credit|debit|mandate|subscription`)
	reads = regexp.MustCompile(`(?i)^(list|get|search|retrieve|fetch|find|check|look|calculate)\b`)
	aside = regexp.MustCompile(`(?i)auth|login|logout|token|session|search|query|report|webhook|simulat|validate|preview|estimate|batch|upload|export|password|cancel|domain|link|test|config|setting|draft|by_?idempot|callback|method`)
)

// interest orders operations by how much a repeat of them would hurt.
func (e *entry) interest() int {
	n := 0
	if e.Key != "" && e.Key != "none" && e.KeyNote == "" {
		n += 8
	}
	switch e.Method {
	case "POST":
		n += 4
	case "PUT", "PATCH":
		n++
	}
	if e.ID != "" {
		n++
	}
	text := e.Name + " " + e.path
	switch thing := plain(e.thing()); {
	case moved.MatchString(thing):
		n += 6
	case made.MatchString(thing):
		n += 5
	case money.MatchString(text):
		n += 3
	}
	if strings.HasSuffix(e.path, "}") && e.Method == "POST" {
		n -= 6 // it changes what is there
	}
	n -= strings.Count(e.path, "{")
	if aside.MatchString(text) {
		n -= 5
	}
	if reads.MatchString(e.op.Summary) {
		n -= 6
	}
	if e.op.Deprecated {
		n -= 8
	}
	return n
}

// choose puts the best operations under test, those that they need after them,
// and others as comments.
func (d *document) choose() {
	ranked := slices.Clone(d.ops)
	slices.SortStableFunc(ranked, func(a, b *entry) int { return b.rank - a.rank })
	var tested, needed, off []*entry
	for _, e := range ranked {
		worth := e.rank >= 4 && len(tested) < mostTested || len(tested) == 0
		if worth && d.whole(e, nil) {
			tested = append(tested, e)
		} else {
			off = append(off, e)
		}
	}
	if len(tested) == 0 { // a file without an operation could not be read
		alone := max(0, slices.IndexFunc(off, func(e *entry) bool { return len(e.needs) == 0 }))
		tested = append(tested, off[alone])
		off = slices.Delete(off, alone, alone+1)
		tested[0].alone()
	}
	for i := 0; i < len(tested)+len(needed); i++ {
		e := append(slices.Clone(tested), needed...)[i]
		for _, path := range e.needs {
			n := d.find("POST", path)
			if !slices.Contains(tested, n) && !slices.Contains(needed, n) {
				needed = append(needed, n)
			}
		}
	}
	off = slices.DeleteFunc(off, func(e *entry) bool { return slices.Contains(needed, e) })
	for _, e := range tested {
		// One that others need is only under test if it says so.
		if slices.ContainsFunc(tested, func(o *entry) bool { return slices.Contains(o.Before, e.Name) }) {
			e.Test = "true"
		}
		d.file.Operations = append(d.file.Operations, e.Operation)
	}
	for _, e := range needed {
		e.Test = "false"
		d.file.Operations = append(d.file.Operations, e.Operation)
	}
	d.file.used()
	d.offer(off, len(tested)+len(needed))
	d.file.taken()
}

// alone makes an operation one that nothing runs before: what it would take from others is to be written.
func (e *entry) alone() {
	for _, t := range expression.FindAllString(e.Path, -1) {
		if name := t[2 : len(t)-1]; ours.MatchString(t) && !slices.Contains(meaning, name) {
			e.Path = strings.ReplaceAll(e.Path, t, "{"+name+"}")
			e.missing = cmp.Or(e.missing, "put a value for {"+name+"} into the path")
		}
	}
	if len(e.needs) > 0 && e.Body != nil {
		e.Body, e.missing = nil, cmp.Or(e.missing, "write its body")
	}
	e.Notes = append(e.Notes, "To test it: "+e.missing+".")
	e.Before, e.needs = nil, nil
}

// used forgets the secrets of operations that are not in the file.
func (f *File) used() {
	var p page
	for _, o := range f.Operations {
		p.operation(o)
	}
	f.Secrets = slices.DeleteFunc(f.Secrets, func(s Secret) bool { return !strings.Contains(p.String(), "${"+s.Name+"}") })
}

// taken forgets what no operation of the file uses.
func (f *File) taken() {
	var p page
	for _, o := range f.Operations {
		p.operation(o)
	}
	for i := range f.Operations {
		o := &f.Operations[i]
		o.Take = slices.DeleteFunc(slices.Clone(o.Take), func(t Take) bool { return !strings.Contains(p.String(), "${"+t.Name+"}") })
	}
}

// whole tells whether everything that an operation needs, and what that needs, has its values.
func (d *document) whole(e *entry, way []*entry) bool {
	if e.missing != "" || slices.Contains(way, e) {
		return false
	}
	for _, path := range e.needs {
		if n := d.find("POST", path); n == nil || !d.whole(n, append(slices.Clone(way), e)) {
			return false
		}
	}
	return true
}

// offer shows the others as comments, and says how many are left out. Their
// before: may name operations that are comments themselves, which is said.
func (d *document) offer(off []*entry, shown int) {
	for i, e := range off {
		if shown+i >= mostShown {
			d.file.Notes = append(d.file.Notes, fmt.Sprintf("%d more operations of the document are not in the file", len(off)-i))
			return
		}
		switch {
		case e.missing != "":
			e.Off = "To test it: " + e.missing + "."
		case len(e.Before) > 0:
			e.Off = "To test it, take the comment marks away, also from " + strings.Join(e.Before, ", ") + " if needed:"
		default:
			e.Off = "To test it, take the comment marks away:"
		}
		d.file.Operations = append(d.file.Operations, e.Operation)
	}
}
