package inject_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

func TestUndoCountsDown(t *testing.T) {
	run := inject.Start(t)
	for id := range run.IDs(1) {
		run.Effect(id)
		run.Effect(id)
		run.Undo(id)
	}
	var counts []int
	for _, e := range run.History().Events {
		if e.Kind == history.Effect {
			counts = append(counts, e.Count)
		}
	}
	if fmt.Sprint(counts) != "[1 2 1]" {
		t.Errorf("counts %v", counts)
	}
}

func TestUndoOfNothing(t *testing.T) {
	for _, id := range []string{"order-1", "nobody"} {
		run := inject.Start(t)
		for range run.IDs(1) {
			run.Undo(id)
		}
		found := false
		for _, e := range run.History().Events {
			found = found || e.Kind == history.Mark && e.Name == history.MarkError && strings.Contains(e.Cause, id)
		}
		if !found {
			t.Errorf("Undo of %s was not complained about", id)
		}
	}
	(*inject.Run)(nil).Undo("order-1")
}

func ExampleRun_Undo() {
	defer t.end()
	run := inject.Start(t) // the t of a test
	for id := range run.IDs(1) {
		_, err := inject.Call(run, id, func(context.Context) (string, error) {
			run.Effect(id) // a seat is booked
			run.Undo(id)   // there is no room: the seat is given back
			return "", errors.New("no room")
		})
		fmt.Println(err)
	}
	for _, e := range run.History().Events {
		if e.Kind == history.Effect {
			fmt.Printf("%s: %d left\n", e.Op, e.Count)
		}
	}
	// Output:
	// no room
	// order-1: 1 left
	// order-1: 0 left
}

func TestDeleteTakesBackAtTheProvider(t *testing.T) {
	run := inject.Start(t)
	provider := run.Transport(answering(http.StatusNoContent))
	for id := range run.IDs(1) {
		for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodDelete} {
			r, _ := http.NewRequest(method, "http://seats/"+id, nil)
			if _, err := provider.RoundTrip(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	var seen []string
	for _, e := range run.History().Events {
		if e.Kind == history.Effect {
			seen = append(seen, fmt.Sprintf("%s %d", e.Name, e.Count))
		}
	}
	if got := strings.Join(seen, ", "); got != "provider/seats 1, provider/seats 0" {
		t.Error(got)
	}
}

// answering is a provider that always says the same.
type answering int

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: int(a), Body: http.NoBody, Request: r}, nil
}
