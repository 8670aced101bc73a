package checkers

import (
	"slices"
	"testing"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// A preset speaks of keys: an operation without one that may be replaced (PUT)
// or is gone (DELETE) breaks nothing. What is stated holds for it as well.
func TestPresetsSayNothingOfOperationsWithoutKeys(t *testing.T) {
	ietf, _ := contract.Lookup("ietf")
	own := ietf
	if err := own.Set("mismatch", "422"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		c    contract.Contract
		key  []string
		want Verdict
	}{
		{"no key", ietf, []string{"key=", "keyless=none"}, Pass},
		{"no key, stated", own, []string{"key=", "keyless=none"}, Fail},
		{"a key", ietf, nil, Fail},
	} {
		b := newBook(rows1)
		b.calibrate("charge")
		b.open("x/charge", "changed-payload-refused", "no-lost-effect")
		b.try("r-1", "201", append(tt.key, one)...)
		b.try("r-1", "200", append(tt.key, two, "variant=/amount", "payload=p", "raw=p")...)
		b.add(history.Event{Kind: history.Effect, Name: "charge-row", Op: "r-1", Count: 1})
		if r := Judge(b.done(), tt.c); r.Verdict() != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.name, r.Verdict(), tt.want, findings(r))
		}
	}
}

// What is not judged of them is told.
func TestObservedWithoutKeys(t *testing.T) {
	ietf, _ := contract.Lookup("ietf")
	for key, want := range map[string]bool{"none": true, "": false} {
		b := newBook(rows1)
		b.open("x/charge", "changed-payload-refused")
		b.try("r-1", "201", "keyless="+key, one)
		b.try("r-1", "200", "keyless="+key, two, "variant=/amount", "payload=p", "raw=p")
		if got := slices.Contains(Judge(b.done(), ietf).Observed, "changed payload 200"); got != want {
			t.Errorf("keyless %q: told %v, want %v", key, got, want)
		}
	}
}

// Where the payload is the identity, a changed one is another operation's, and
// the same one twice is still a bug.
func TestDerivedKeys(t *testing.T) {
	for _, tt := range []struct {
		name  string
		again []string
		count int
		want  Verdict
	}{
		{"same payload, once", []string{one}, 1, Pass},
		{"same payload, twice", []string{one}, 2, Fail},
		{"other payload, twice", []string{two, "variant=/amount", "payload=p", "raw=p"}, 2, Pass},
		{"other payload, three times", []string{two, "variant=/amount", "payload=p", "raw=p"}, 3, Fail},
	} {
		derived := []string{"key=", "keyless=derived"}
		b := newBook(rows1)
		b.calibrate("charge")
		b.open("x/charge", "at-most-once")
		b.try("r-1", "201", append(derived, one, "payload=o", "raw=o")...)
		b.try("r-1", "201", append(derived, append([]string{"payload=o", "raw=o"}, tt.again...)...)...)
		b.add(history.Event{Kind: history.Effect, Name: "charge-row", Op: "r-1", Count: tt.count})
		if r := Judge(b.done(), contract.Contract{}); r.Verdict() != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.name, r.Verdict(), tt.want, findings(r))
		}
	}
}
