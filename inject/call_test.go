package inject

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestCallGivesWhatTheFunctionGives(t *testing.T) {
	type receipt struct {
		Number int `json:"number"`
	}
	run := Start(t)
	a, err := Call(run, "order-1", func(ctx context.Context) (receipt, error) { return receipt{7}, ctx.Err() })
	if a.Number != 7 || err != nil {
		t.Error(a, err)
	}
	mine := errors.New("no")
	if a, err = Call(run, "order-2", func(context.Context) (receipt, error) { return receipt{8}, mine }); a.Number != 0 || !errors.Is(err, mine) {
		t.Error(a, err)
	}
	_, err = Call(run, "order-3", func(context.Context) (receipt, error) { panic("out of paper") })
	if !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(err.Error(), "out of paper") {
		t.Error(err)
	}
	if _, err = Call(run, "order-4", func(context.Context) (func(), error) { return nil, nil }); err != nil { // no JSON
		t.Error(err)
	}
	h := run.History()
	wantLines(t, story(h), `
	order-1 invoke 1
	order-1 ok 1 ok
	order-2 invoke 1
	order-2 unknown 1 error
	order-3 invoke 1
	order-3 unknown 1 reset
	order-4 invoke 1
	order-4 ok 1 ok`)
	if body := h.Events[2].Body; body != `{"number":7}` {
		t.Errorf("kept %q", body)
	}
}

func TestCallFaults(t *testing.T) {
	for fault, want := range map[Fault]string{
		LoseRequest: "order-1 invoke 1 lose-request\n\torder-1 fault lose-request\n\torder-1 unknown 1 reset",
		LoseAnswer:  "order-1 invoke 1 lose-answer\n\torder-1 effect effect 1\n\torder-1 fault lose-answer\n\torder-1 unknown 1 reset",
		KillAfter:   "order-1 invoke 1 kill-after\n\torder-1 effect effect 1\n\torder-1 fault kill-after\n\torder-1 unknown 1 reset",
	} {
		run := struckBy(t, fault)
		for id := range run.IDs(1) {
			a, err := Call(run, id, func(context.Context) (int, error) { run.Effect(id); return 7, nil })
			if a != 0 || !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(err.Error(), fault.Name) {
				t.Error(a, err)
			}
		}
		wantLines(t, story(run.History()), want)
	}
}

// Of two that overlap the caller gets the one that went well.
func TestOverlappingCalls(t *testing.T) {
	run := struckBy(t, Overlap)
	first := make(chan bool, 1)
	first <- true
	for id := range run.IDs(1) {
		a, err := Call(run, id, func(context.Context) (int, error) {
			select {
			case <-first:
				return 0, errors.New("busy")
			default:
				return 7, nil
			}
		})
		if a != 7 || err != nil {
			t.Error(a, err)
		}
	}
	if n := len(story(run.History())); n != 5 {
		t.Errorf("%d events", n)
	}
}

func TestFaultsThatACallCannotHave(t *testing.T) {
	got := saying(t, func(t *fakeT) {
		run := struckBy(t, ChangePayload)
		for id := range run.IDs(1) {
			if _, err := Call(run, id, func(context.Context) (int, error) { return 7, nil }); err == nil {
				t.Errorf("no error")
			}
		}
		if said := marks(run.History(), history.MarkArmed); len(said) != 1 {
			t.Errorf("%q", said)
		}
	})
	if want := "inject: fault change-payload strikes requests only: order order-1 is none"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// When a caller's own id is struck does not depend on who comes first.
func TestIDsOfCallers(t *testing.T) {
	number := func(before ...string) int {
		run := Start(t)
		for _, id := range before {
			run.called(id)
		}
		return run.called("mine").number
	}
	if a, b := number(), number("others", "order-1"); a != b {
		t.Error(a, b)
	}
}
