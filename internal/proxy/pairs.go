package proxy

import (
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

	mu    sync.Mutex
	rec   *history.Recorder
	cases map[string]bool // that the file has
	err   error
}

// noted is one event with the body that it is about.
type noted struct {
	event history.Event
	body  []byte
}

// add writes the events of one request. judged: the case has rules, else it says why not.
func (r *records) add(c string, rules, why string, events []noted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = r.put(c, rules, why, events)
	}
}

func (r *records) put(c, rules, why string, events []noted) error {
	if r.rec == nil || r.files.full() {
		if err := r.turn(); err != nil {
			return err
		}
	}
	if !r.cases[c] {
		r.cases[c] = true
		r.rec.Add(caseMark(c, rules, why), nil)
	}
	for _, n := range events {
		n.event.Case = c
		r.rec.Add(n.event, n.body)
	}
	err := r.rec.Flush()
	r.rec.Forget(func(history.Event) bool { return false })
	return err
}

func caseMark(c, rules, why string) history.Event {
	if why != "" {
		return history.Event{Kind: history.Mark, Name: history.MarkSkipped, Case: c, Cause: why}
	}
	return history.Event{Kind: history.Mark, Name: history.MarkCase, Case: c, Attrs: map[string]string{"scenario": "proxy", "rules": rules}}
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
