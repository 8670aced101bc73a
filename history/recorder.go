package history

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	interval   = 50 * time.Millisecond // from the first waiting event to its writing; half of what is promised
	batchSize  = 4096                  // waiting events that are worked off without waiting for the interval
	maxWaiting = 16 * batchSize        // waiting events at which Add itself works, so that memory stays bounded
	maxBytes   = 64 << 20              // the same for their bodies
	chunk      = 256 << 10             // bytes handed to the writer at once
)

// Recorder appends events to a history. It is safe for use by many goroutines.
//
// Add only numbers an event and puts it aside; fingerprints, redaction and
// encoding are done in batches on another goroutine, which lives only while
// there is work.
type Recorder struct {
	base   time.Time     // with a monotonic reading
	offset time.Duration // of base from Header.Start
	header Header

	mu      sync.Mutex // held for moments only
	seq     int64
	waiting []entry
	bytes   int  // of the waiting bodies
	started bool // a goroutine for a full batch is on its way
	closed  bool

	work   sync.Mutex // held while a batch is worked off; taken before mu
	w      io.Writer  // nil: memory only
	spare  []entry    // the last batch's memory, for the next
	buf    []byte     // lines not yet written
	filler filler
	events []Event
	err    error // the first of the writer; nothing is written after it
}

type entry struct {
	event Event
	body  []byte
}

// rooms is memory for waiting events that closed recorders gave back: a search
// makes thousands of short histories.
var rooms = sync.Pool{New: func() any { return new(make([]entry, 0, 32)) }}

// NewRecorder writes the header to w and starts a recorder. w may be nil: the
// history is then only kept in memory. Version is filled, Start too if zero.
// The recorder never closes w.
func NewRecorder(w io.Writer, h Header, r Redactor) (*Recorder, error) {
	rec := &Recorder{base: time.Now(), w: w, filler: newFiller(r)}
	if h.Start.IsZero() {
		h.Start = rec.base
	}
	rec.offset = rec.base.Sub(h.Start)
	h.Version = format
	h.Target = rec.filler.censor.text(h.Target, false, 0)
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("history: header: %w", err)
	}
	// Memory holds what the file holds: no monotonic clock, valid UTF-8.
	if err := json.Unmarshal(line, &rec.header); err != nil {
		return nil, fmt.Errorf("history: header: %w", err)
	}
	rec.buf = append(append(rec.buf, line...), '\n')
	rec.write()
	if rec.err != nil {
		return nil, rec.err
	}
	return rec, nil
}

// Now is the time since Header.Start in nanoseconds, monotonic.
func (r *Recorder) Now() int64 { return int64(r.offset + time.Since(r.base)) }

// Add appends an event and returns its number. body is the whole body of a
// request (Invoke) or an answer (ends), nil for other events; from it the
// recorder fills Payload or Answer, Attrs["raw"] and Body; an empty body leaves
// them empty. The recorder owns e.Attrs from now on and reads body later: the
// caller must not touch the one nor change the other. After Close, Add records
// nothing and returns 0.
func (r *Recorder) Add(e Event, body []byte) (seq int64) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return 0
	}
	r.seq++
	seq = r.seq
	e.Seq = seq
	if e.At == 0 {
		e.At = r.Now()
	}
	if r.waiting == nil {
		r.waiting = *rooms.Get().(*[]entry)
	}
	r.waiting = append(r.waiting, entry{e, body})
	r.bytes += len(body) + len(e.Body) + len(e.Hidden)
	if len(r.waiting) == 1 && r.w != nil {
		// Never stopped or reset: a timer of a synctest bubble must not be
		// touched from outside, and one that finds nothing does no harm.
		time.AfterFunc(interval, r.drain)
	}
	full := len(r.waiting) >= maxWaiting || r.bytes >= maxBytes
	start := !r.started && len(r.waiting) >= batchSize
	r.started = r.started || start
	r.mu.Unlock()
	if start {
		go r.drain()
	}
	if full {
		r.drain()
	}
	return seq
}

// Flush hands all lines added so far to the writer. It returns the first error
// of the writer; the history in memory is whole all the same.
func (r *Recorder) Flush() error {
	r.work.Lock()
	defer r.work.Unlock()
	r.batch()
	return r.err
}

// Close flushes and stops the recorder. It returns the first error of the writer.
func (r *Recorder) Close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.work.Lock()
	defer r.work.Unlock()
	r.batch()
	for _, room := range [][]entry{r.waiting, r.spare} { // nothing comes any more
		if cap(room) > 0 {
			rooms.Put(new(room[:0]))
		}
	}
	r.waiting, r.spare = nil, nil
	return r.err
}

// History is all that was recorded so far, with bodies and fingerprints filled.
// It is shared with the recorder: read it, don't change it.
func (r *Recorder) History() History {
	r.work.Lock()
	defer r.work.Unlock()
	r.batch()
	n := len(r.events)
	return History{Header: r.header, Events: r.events[:n:n]}
}

// Forget drops the events that were recorded so far from the history in memory,
// but for those that keep wants. Numbering goes on; what a writer was handed stays.
func (r *Recorder) Forget(keep func(Event) bool) {
	r.work.Lock()
	defer r.work.Unlock()
	r.batch()
	var kept []Event // not in place: a History may share it
	for _, e := range r.events {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	r.events = kept
}

func (r *Recorder) drain() {
	r.work.Lock()
	defer r.work.Unlock()
	r.batch()
}

// batch works off all that waits. It is called with work held.
func (r *Recorder) batch() {
	r.mu.Lock()
	batch := r.waiting
	r.waiting, r.bytes, r.started = r.spare[:0], 0, false
	r.mu.Unlock()
	if r.events == nil {
		r.events = make([]Event, 0, len(batch)) // often it is the only one
	}
	for i := range batch {
		e := &batch[i].event
		r.filler.fill(e, batch[i].body)
		r.events = append(r.events, *e)
		if r.w != nil && r.err == nil {
			r.buf = append(appendEvent(r.buf, e), '\n')
			if len(r.buf) >= chunk {
				r.write()
			}
		}
	}
	r.write()
	clear(batch)
	r.spare = batch
	if cap(batch) > maxWaiting {
		r.spare = nil
	}
}

// write empties buf. After an error nothing more is written: what follows half
// a line could not be read.
func (r *Recorder) write() {
	if r.w != nil && r.err == nil && len(r.buf) > 0 {
		n, err := r.w.Write(r.buf)
		if err == nil && n < len(r.buf) {
			err = io.ErrShortWrite
		}
		if err != nil {
			r.err = fmt.Errorf("history: write: %w", err)
		}
	}
	r.buf = r.buf[:0]
	if cap(r.buf) > 4*chunk {
		r.buf = nil
	}
}
