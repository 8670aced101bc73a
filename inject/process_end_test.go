package inject

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

// A process whose test says nothing more ends by itself, on every system.
func TestProcessEndsWithItsPipe(t *testing.T) {
	run := Start(t)
	p := run.process("", func(string) func(context.Context, string) error {
		return func(_ context.Context, id string) error {
			if id == "stays" {
				select {}
			}
			return nil
		}
	})
	if p == nil {
		t.Fatal("another process")
	}
	works(t, p.deliver(t.Context(), "x"))
	stays := make(chan error)
	go func() { stays <- p.deliver(t.Context(), "stays") }()
	works(t, p.life.files[0].Close()) // the end that the test writes to
	if err := <-stays; !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	if how := p.life.worker.Exited(); how != "exit status 0" {
		t.Errorf("it ended by %q", how)
	}
}

// What happens in a process is recorded where the test is.
func TestUndoInProcess(t *testing.T) {
	run := Start(t)
	work := run.Process("", func(string) func(context.Context, string) error {
		return func(_ context.Context, id string) error {
			run.Effect(id)
			run.Effect(id)
			run.Undo(id)
			return nil
		}
	})
	counts := ""
	for id := range run.IDs(1) {
		works(t, work(t.Context(), id))
		works(t, work(t.Context(), id))
	}
	for _, e := range run.History().Events {
		if e.Kind == history.Effect {
			counts += fmt.Sprint(e.Count, " ")
		}
		if e.Name == history.MarkError {
			t.Error(e.Cause)
		}
	}
	if counts != "1 2 1 2 3 2 " {
		t.Error(counts)
	}
}

// A schedule for all sites names the faults of others: they are not missed.
func TestFittingFaults(t *testing.T) {
	all := []Fault{LoseAnswer, LoseReply, KillAfter, Fail, CutClient}
	for site, want := range map[string]int{SiteRequest: 3, SiteDB: 3, SiteProvider + "/card": 3, SiteMessage: 3} {
		if got := fitting(site, all); len(got) != want {
			t.Errorf("%s: %v", site, got)
		}
	}
}

func works(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
