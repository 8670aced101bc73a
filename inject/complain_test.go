package inject

import (
	"net/http"
	"testing"
)

// What is wrong with a request is said once, however often the caller tries.
func TestComplaintsAreNotRepeated(t *testing.T) {
	got := saying(t, func(t *fakeT) {
		run := Start(t)
		client := run.Client(http.NotFoundHandler())
		for range 3 {
			if err := order(client, "payment-7"); err == nil {
				t.Errorf("no error")
			}
		}
	})
	if want := "inject: POST /orders holds no id of this run: send an id of Run.IDs with it, or say by Options.ID which operation it is an attempt of"; got != want {
		t.Errorf("said %q", got)
	}
}

// A history that is taken twice is not the history of what came in between.
func TestHistoryIsTakenAtTheEnd(t *testing.T) {
	got := saying(t, func(t *fakeT) {
		run := Start(t)
		client := run.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { run.Effect(r.URL.Path[1:]) }))
		for id := range run.IDs(2) {
			if err := order(client, id); err != nil {
				t.Errorf("%v", err)
			}
			run.History()
			run.History()
		}
	})
	if want := "inject: the run ended when History was first called, and what came after that (attempts: 1) is in no history: call it once, at the end, or start another run"; got != want {
		t.Errorf("said %q", got)
	}
}
