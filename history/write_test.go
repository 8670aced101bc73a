package history

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TestWrite writes what a Recorder writes, and what Read reads.
func TestWrite(t *testing.T) {
	var recorded bytes.Buffer
	rec, err := NewRecorder(&recorded, Header{Run: "r7k2m9", Target: "TestPay"}, Redactor{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		rec.Add(Event{Kind: Invoke, Op: "order-1", Attempt: i + 1, Attrs: map[string]string{AttrRequest: "POST /charges"}}, []byte(strings.Repeat("x", i%200)))
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := Write(&written, rec.History()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(recorded.Bytes(), written.Bytes()) {
		t.Error("Write and a Recorder differ")
	}
	h, err := Read(&written)
	if err != nil || !reflect.DeepEqual(h, rec.History()) {
		t.Errorf("read back: %v", err)
	}
}

type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for _, events := range [][]Event{nil, {{Seq: 1, Kind: Invoke}}} {
		if err := Write(full{}, History{Events: events}); !errors.Is(err, errFull) {
			t.Errorf("%d events: %v", len(events), err)
		}
	}
}
