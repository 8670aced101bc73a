package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"
)

// payload is a body of 200 bytes.
var payload = fmt.Appendf(nil, `{"order":"r7k2m9-1204","amount":417,"currency":"EUR","customer":"cus_9x8y7z","note":"%063d","lines":[{"sku":"a-1","n":2},{"sku":"b-7","n":1}]}`, 0)

func benchEvent(n int) Event {
	return Event{
		Kind: Invoke, Case: "lost-answer/charge", Op: "r7k2m9-1204", Name: "charge", Key: "3f1c9a6e-1111-4222-8333-444444444444",
		Attempt: n, Actor: "client", Attrs: map[string]string{AttrRequest: "POST /charges"},
	}
}

// BenchmarkRecord measures what one event costs the caller (ns/op) and what it
// costs in all, with fingerprints, redaction, encoding and writing (full-ns/op).
// The batches are small enough that all but Add happens in Flush.
func BenchmarkRecord(b *testing.B) {
	if len(payload) != 200 {
		b.Fatal(len(payload))
	}
	rec, err := NewRecorder(io.Discard, Header{}, Redactor{Fields: []string{"password"}})
	if err != nil {
		b.Fatal(err)
	}
	const batch = 1000
	var all time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += batch {
		start := time.Now()
		for i := range min(batch, b.N-done) {
			rec.Add(benchEvent(i), payload)
		}
		b.StopTimer()
		if err := rec.Flush(); err != nil {
			b.Fatal(err)
		}
		all += time.Since(start)
		rec.events = rec.events[:0] // the history itself would fill the memory
		b.StartTimer()
	}
	b.StopTimer()
	b.ReportMetric(float64(all.Nanoseconds())/float64(b.N), "full-ns/op")
	rec.Close()
}

func benchFile(b *testing.B, n int) ([]byte, []Event) {
	b.Helper()
	var file bytes.Buffer
	rec, err := NewRecorder(&file, Header{}, Redactor{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		rec.Add(benchEvent(i), payload)
		rec.Add(Event{Kind: OK, Op: "r7k2m9-1204", Attempt: i, Actor: "client", Status: "201"}, []byte(`{"id":"ch_1204","amount":417}`))
	}
	if err := rec.Close(); err != nil {
		b.Fatal(err)
	}
	return file.Bytes(), rec.History().Events
}

// BenchmarkRead reads a file beside encoding/json, line by line.
func BenchmarkRead(b *testing.B) {
	file, _ := benchFile(b, 10_000)
	b.SetBytes(int64(len(file)))
	versus(b, func() {
		if _, err := Read(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}, func() {
		var events []Event
		for line := range bytes.Lines(file) {
			var e Event
			if err := json.Unmarshal(line, &e); err != nil {
				b.Fatal(err)
			}
			events = append(events, e)
		}
	})
}

// BenchmarkEncode writes lines beside encoding/json.
func BenchmarkEncode(b *testing.B) {
	file, events := benchFile(b, 10_000)
	b.SetBytes(int64(len(file)))
	var buf []byte
	versus(b, func() {
		for i := range events {
			buf = appendEvent(buf[:0], &events[i])
		}
	}, func() {
		for i := range events {
			if _, err := json.Marshal(&events[i]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// versus runs both in turn and reports the peer's time over ours.
func versus(b *testing.B, ours, peer func()) {
	b.Helper()
	var own, other time.Duration
	for b.Loop() {
		start := time.Now()
		ours()
		own += time.Since(start)
		b.StopTimer()
		start = time.Now()
		peer()
		other += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(other)/float64(own), "x/encoding-json")
}
