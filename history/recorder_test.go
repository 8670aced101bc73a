package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRecorderFillsEvents(t *testing.T) {
	h := record(t, Redactor{}, func(r *Recorder) {
		r.Add(Event{Kind: Invoke, Op: "1"}, []byte(`{"amount":1,"order":"o"}`))
		r.Add(Event{Kind: Invoke, Op: "1"}, []byte(`{"order":"o", "amount":1.0}`))
		r.Add(Event{Kind: Invoke, Op: "1"}, []byte(`{"order":"o", "amount":2}`))
		r.Add(Event{Kind: OK, Op: "1", Attrs: map[string]string{"x": "y"}}, []byte("done"))
		r.Add(Event{Kind: Unknown, Op: "1", Attrs: map[string]string{}}, nil)
	})
	e := h.Events
	if e[0].Payload != e[1].Payload || e[0].Payload == e[2].Payload || e[0].Payload == "" {
		t.Errorf("payloads %q %q %q: the first two are the same value, the third is not", e[0].Payload, e[1].Payload, e[2].Payload)
	}
	if e[0].Attrs[AttrRaw] == e[1].Attrs[AttrRaw] || e[0].Answer != "" {
		t.Errorf("raw %q %q, answer %q", e[0].Attrs[AttrRaw], e[1].Attrs[AttrRaw], e[0].Answer)
	}
	if e[3].Answer == "" || e[3].Payload != "" || e[3].Answer != e[3].Attrs[AttrRaw] || e[3].Attrs["x"] != "y" || e[3].Body != "done" {
		t.Errorf("end %+v", e[3])
	}
	if e[4].Answer != "" || e[4].Attrs != nil || e[4].Seq != 5 {
		t.Errorf("end without an answer %+v", e[4])
	}
}

func TestRecorderLimitsBodies(t *testing.T) {
	h := record(t, Redactor{Limit: 5}, func(r *Recorder) {
		r.Add(Event{Kind: OK}, []byte("abcdé"))
		r.Add(Event{Kind: OK}, []byte("abcde"))
		r.Add(Event{Kind: OK}, []byte("ab\xff"))
		r.Add(Event{Kind: State, Body: "1|2|3|4"}, nil)
	})
	want := []struct{ body, cut string }{{"abcd", "true"}, {"abcde", ""}, {"base64:YWL/", ""}, {"1|2|3", "true"}}
	for i, w := range want {
		if e := h.Events[i]; e.Body != w.body || e.Attrs[AttrCut] != w.cut {
			t.Errorf("event %d: body %q cut %q, want %q %q", i, e.Body, e.Attrs[AttrCut], w.body, w.cut)
		}
	}
}

func TestRecorderFromManyGoroutines(t *testing.T) {
	const workers, each = 64, 300
	var file bytes.Buffer
	rec, err := NewRecorder(&file, Header{Run: "r", Observers: []Observer{}}, Redactor{Values: []string{"hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	seqs := make([][]int64, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				e := Event{Kind: Invoke, Op: fmt.Sprint(w), Attempt: i + 1, Attrs: map[string]string{AttrRequest: "POST /"}}
				seqs[w] = append(seqs[w], rec.Add(e, fmt.Appendf(nil, `{"n":%d,"p":"hunter2"}`, i)))
				switch {
				case i == each/2:
					if err := rec.Flush(); err != nil {
						t.Error(err)
					}
				case i%50 == 0:
					if h := rec.History(); h.Events[seqs[w][i]-1].Payload == "" {
						t.Error("an event is not filled")
					}
				}
			}
		})
	}
	wg.Wait()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	memory := rec.History()
	once := map[int64]bool{}
	for w := range seqs {
		for i, seq := range seqs[w] {
			e := memory.Events[seq-1]
			if once[seq] || e.Seq != seq || e.Op != fmt.Sprint(w) || e.Attempt != i+1 {
				t.Fatalf("seq %d of worker %d is %+v", seq, w, e)
			}
			once[seq] = true
		}
	}
	if len(memory.Events) != workers*each {
		t.Errorf("%d events", len(memory.Events))
	}
	for i := 1; i < len(memory.Events); i++ {
		if memory.Events[i].At < memory.Events[i-1].At {
			t.Fatalf("the time goes back at seq %d", i+1)
		}
	}
	read, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(memory, read); diff != "" {
		t.Errorf("the file is not what memory holds:\n%s", diff)
	}
}

func TestRecorderWritesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file safeBuffer
		rec, err := NewRecorder(&file, Header{}, Redactor{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			before := file.lines()
			rec.Add(Event{Kind: Mark}, nil)
			time.Sleep(60 * time.Millisecond)
			rec.Add(Event{Kind: Mark}, nil)
			time.Sleep(40 * time.Millisecond)
			synctest.Wait()
			if n := file.lines() - before; n < 1 {
				t.Errorf("after 100 ms %d lines were written", n)
			}
			time.Sleep(time.Hour)
		}
		if rec.Now() != int64(3*(time.Hour+100*time.Millisecond)) {
			t.Errorf("now is %d", rec.Now())
		}
		rec.Add(Event{Kind: Mark}, nil)
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		if n := file.lines(); n != 8 {
			t.Errorf("%d lines, want a header and 7 events", n)
		}
	})
}

func TestRecorderAfterClose(t *testing.T) {
	var file bytes.Buffer
	rec, err := NewRecorder(&file, Header{}, Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Close()
	length := file.Len()
	if seq := rec.Add(Event{Kind: Mark}, nil); seq != 0 {
		t.Errorf("seq %d", seq)
	}
	if err := rec.Close(); err != nil || len(rec.History().Events) != 0 || file.Len() != length {
		t.Errorf("after Close: %v, %d events, %d bytes more", err, len(rec.History().Events), file.Len()-length)
	}
}

func TestRecorderKeepsTimesGiven(t *testing.T) {
	start := time.Now().Add(-time.Minute)
	rec, err := NewRecorder(nil, Header{Start: start}, Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Add(Event{Kind: Mark, At: 7}, nil)
	rec.Add(Event{Kind: Mark}, nil)
	h := rec.History()
	if h.Events[0].At != 7 || h.Events[1].At < int64(time.Minute) || !h.Header.Start.Equal(start) {
		t.Errorf("at %d and %d, start %v", h.Events[0].At, h.Events[1].At, h.Header.Start)
	}
}

func TestRecorderWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	if _, err := NewRecorder(&failing{err: full}, Header{}, Redactor{}); !errors.Is(err, full) {
		t.Errorf("NewRecorder: %v", err)
	}
	w := &failing{good: 1, err: full}
	rec, err := NewRecorder(w, Header{}, Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	rec.Add(Event{Kind: Mark}, nil)
	if err := rec.Flush(); !errors.Is(err, full) {
		t.Errorf("Flush: %v", err)
	}
	rec.Add(Event{Kind: Mark}, nil)
	if err := rec.Close(); !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "history: write: ") {
		t.Errorf("Close: %v", err)
	}
	if n := len(rec.History().Events); n != 2 || w.calls != 2 {
		t.Errorf("%d events in memory, %d writes", n, w.calls)
	}
	rec, _ = NewRecorder(&failing{good: 1}, Header{}, Redactor{})
	rec.Add(Event{Kind: Mark}, nil)
	if err := rec.Close(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("short write: %v", err)
	}
}

// TestRecorderBoundsWaiting adds more than may wait while the writer is stuck.
func TestRecorderBoundsWaiting(t *testing.T) {
	h := record(t, Redactor{Limit: 16}, func(r *Recorder) {
		body := bytes.Repeat([]byte("x"), maxBytes/8)
		for range 20 {
			r.Add(Event{Kind: OK}, body)
			r.mu.Lock()
			waiting := r.bytes
			r.mu.Unlock()
			if waiting >= maxBytes {
				t.Fatalf("%d bytes wait", waiting)
			}
		}
		for range 2 * maxWaiting {
			r.Add(Event{Kind: Mark}, nil)
		}
	})
	if len(h.Events) != 20+2*maxWaiting {
		t.Errorf("%d events", len(h.Events))
	}
}

// failing takes some writes and then fails, or swallows what it gets.
type failing struct {
	good, calls int
	err         error
}

func (f *failing) Write(b []byte) (int, error) {
	f.calls++
	if f.calls <= f.good {
		return len(b), nil
	}
	return 0, f.err
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safeBuffer) lines() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Count(s.b.Bytes(), []byte{'\n'})
}
