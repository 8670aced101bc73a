package report

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
)

// What differs in ids and keys only is said once.
func TestNotesOnce(t *testing.T) {
	const key = "b27e667c-c0cd-4746-ab77-b8116dd7b9b"
	var r Run
	r.History.Header.Run = "r1"
	for i, name := range []string{"plain/a", "sweep/a/x=1", "sweep/a/x=2", "sweep/b", "other/a"} {
		c := pass(name)
		c.Scenario, c.Operation = name[:len(name)-2], name[len(name)-1:]
		if i == 1 || i == 2 {
			c.Scenario, c.Operation = "sweep", "a"
		}
		if i > 0 {
			c.Notes = []string{fmt.Sprintf("r1-%d under %s%x was seen.", i, key, i), fmt.Sprintf("r1-%d under %s%x was seen.", i+7, key, i)}
		}
		if i == 4 {
			c.Notes = []string{"r2-4 was seen."}
		}
		r.Report.Cases = append(r.Report.Cases, c)
	}
	want := []note{
		{[]string{"sweep/a"}, []string{"r1-1 under " + key + "1 was seen. (And 3 more like it.)"}},
		{[]string{"sweep/b"}, []string{"r1-3 under " + key + "3 was seen. (And 1 more like it.)"}},
		{[]string{"other/a"}, []string{"r2-4 was seen."}},
	}
	if got := r.noted(); !reflect.DeepEqual(got, want) {
		t.Errorf("notes %+v\nwant %+v", got, want)
	}
}

// Of failed cases that broke the same rules with the same likely cause, the
// first is told in full.
func TestFailingByKind(t *testing.T) {
	var r Run
	for _, c := range [][3]string{{"a/x", "at-most-once", "no claim"}, {"b/x", "at-most-once", "no claim"}, {"b/y", "same-answer", ""}, {"b/z", "same-answer", ""}, {"c/z", "same-answer", ""}} {
		r.Report.Cases = append(r.Report.Cases, with1(pass(c[0]), checkers.Violation{Rule: c[1], Verdict: checkers.Fail, Cause: c[2]}))
	}
	for most, want := range map[int][]string{9: {"a/x", "b/y", "c/z", "|", "b/x", "b/z"}, 1: {"a/x", "|", "b/x", "b/y", "b/z", "c/z"}} {
		var got []string
		full, others := r.failing(most)
		for _, c := range full {
			got = append(got, c.Name)
		}
		got = append(got, "|")
		for _, c := range others {
			got = append(got, c.Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("at most %d: %q, want %q", most, got, want)
		}
	}
}
