package history

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record runs add on a recorder in memory and returns its history.
func record(t *testing.T, r Redactor, add func(*Recorder)) History {
	t.Helper()
	rec, err := NewRecorder(nil, Header{Run: "r7k2m9"}, r)
	if err != nil {
		t.Fatal(err)
	}
	add(rec)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return rec.History()
}
