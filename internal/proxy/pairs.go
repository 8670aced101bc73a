package proxy

import (
	"cmp"
	"errors"
	"io"
	"sync"

	"github.com/idemcheck/idemcheck/history"
)

// writeHeader writes the first line of a history.
func writeHeader(w io.Writer, h history.Header) error {
	rec, err := history.NewRecorder(w, h, history.Redactor{})
	if err != nil {
		return err
	}
	return rec.Close()
}

// records are the histories of the requests that were struck: bodies redacted,
// all events of one request in one file, which begins with the marks of its
// cases and ends with the mark of its end.
type records struct {
	files  *volumes
	header func() history.Header
	redact history.Redactor

	mu      sync.Mutex
	rec     *history.Recorder
	cases   map[string]bool // that the file has
	waiting int64           // bytes, about, that the recorder may still have in memory
	err     error
}

// noted is one event with the body that it is about.
type noted struct {
	event history.Event
	body  []byte
}

// recordCase is the case under which a request is recorded.
type recordCase struct {
	name    string
	rules   string // that judge it
	skipped string // why it is not judged
	open    string // why it can not be judged
}

// marks begin a case.
func (c recordCase) marks() []history.Event {
	if c.skipped != "" {
		return []history.Event{{Kind: history.Mark, Name: history.MarkSkipped, Case: c.name, Cause: c.skipped}}
	}
	rules := cmp.Or(c.rules, "at-most-once")
	begin := history.Event{Kind: history.Mark, Name: history.MarkCase, Case: c.name, Attrs: map[string]string{"scenario": "proxy", "rules": rules}}
	if c.open == "" {
		return []history.Event{begin}
	}
	return []history.Event{begin, {Kind: history.Mark, Name: history.MarkError, Case: c.name, Cause: c.open}}
}

// add writes the events of one request.
func (r *records) add(c recordCase, events []noted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.put(c, events)
	}
}

func (r *records) put(c recordCase, events []noted) error {
	if r.rec == nil || r.files.full() {
		if err := r.turn(); err != nil {
			return err
		}
	}
	if said := c.name + c.open; !r.cases[said] {
		r.cases[said] = true
		for _, m := range c.marks() {
			r.rec.Add(m, nil)
		}
	}
	for _, n := range events {
		n.event.Case = c.name
		r.rec.Add(n.event, n.body)
		r.waiting += int64(len(n.body)) + 300
	}
	if r.waiting < min(256<<10, r.files.file/8) {
		return nil // the recorder writes soon by itself
	}
	r.waiting = 0
	err := r.rec.Flush()
	r.rec.Forget(func(history.Event) bool { return false })
	return err
}

// turn begins a new file.
func (r *records) turn() error {
	if err := r.end(); err != nil {
		return err
	}
	w, err := r.files.next()
	if err != nil {
		return err
	}
	r.rec, err = history.NewRecorder(w, r.header(), r.redact)
	r.cases = map[string]bool{}
	return err
}

// end ends the current file.
func (r *records) end() error {
	if r.rec == nil {
		return nil
	}
	r.rec.Add(history.Event{Kind: history.Mark, Name: history.MarkEnd}, nil)
	err := r.rec.Close()
	r.rec = nil
	return errors.Join(err, r.files.close())
}

// close ends the last file.
func (r *records) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.err, r.end())
}
