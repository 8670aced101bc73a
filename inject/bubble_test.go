package inject

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/idemcheck/idemcheck/history"
)

// Everything in a bubble: it ends, leaves no goroutine, and every fault strikes.
func TestAllFaultsInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := Options{
			Faults:   []Fault{LoseRequest, LoseAnswer, Delay, Repeat, Overlap, Late, {"late", "1h"}, Reorder, KillBefore, KillAfter, Refuse},
			Provider: []Fault{LoseAnswer, Fail, {"slow", "10s"}},
		}.Start(t)
		card := Serve(t, &bank{})
		card.Transport = run.Transport(card.Transport)
		client := run.Client(till(card, sameKey, 3))
		for id := range run.IDs(22) {
			if err := order(client, id); err != nil {
				t.Fatal(err)
			}
		}
		for id := range run.IDs(22) {
			for {
				if _, err := Call(run, id, func(context.Context) (int, error) { run.Effect(id); return 1, nil }); err == nil {
					break
				}
			}
		}
		run.Queue(slices.Collect(run.IDs(24))...).Consume(func(_ context.Context, id string) error { run.Effect(id); return nil })
		asked, fired := map[string]int{}, map[string]int{}
		for _, e := range run.History().Events {
			switch {
			case e.Kind == history.Fault:
				fired[e.Name]++
			case e.Kind == history.Mark && e.Name == history.MarkArmed:
				asked[e.Attrs[history.AttrFault]]++
			}
		}
		if len(asked) != 12 {
			t.Errorf("asked %v", asked)
		}
		for f, n := range asked {
			if fired[f] != n {
				t.Errorf("%s was asked for %d times and fired %d times", f, n, fired[f])
			}
		}
	})
}
