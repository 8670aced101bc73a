package inject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestQueueFaults(t *testing.T) {
	for fault, want := range map[Fault]string{
		LoseRequest: `
	m1 invoke 1 lose-request
	m1 fault lose-request
	m1 unknown 1 reset
	m1 invoke 2
	m1 effect effect 1
	m1 ok 2 ok
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok`,
		LoseAnswer: `
	m1 invoke 1 lose-answer
	m1 effect effect 1
	m1 fault lose-answer
	m1 unknown 1 reset
	m1 invoke 2
	m1 effect effect 2
	m1 ok 2 ok
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok`,
		Repeat: `
	m1 invoke 1
	m1 effect effect 1
	m1 ok 1 ok
	m1 invoke 2 repeat
	m1 effect effect 2
	m1 ok 2 ok
	m1 fault repeat
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok`,
		Late: `
	m1 invoke 1
	m1 effect effect 1
	m1 ok 1 ok
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok
	m1 invoke 2 late
	m1 effect effect 2
	m1 ok 2 ok
	m1 fault late`,
		Reorder: `
	m1 fault reorder
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok
	m1 invoke 1
	m1 effect effect 1
	m1 ok 1 ok`,
		KillBefore: `
	m1 invoke 1 kill-before
	m1 fault kill-before
	m1 unknown 1 reset
	m1 invoke 2
	m1 effect effect 1
	m1 ok 2 ok
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok`,
		KillAfter: `
	m1 invoke 1 kill-after
	m1 effect effect 1
	m1 fault kill-after
	m1 unknown 1 reset
	m1 invoke 2
	m1 effect effect 2
	m1 ok 2 ok
	m2 invoke 1
	m2 effect effect 1
	m2 ok 1 ok`,
	} {
		t.Run(fault.Name, func(t *testing.T) {
			run := struckBy(t, fault)
			run.Queue("m1", "m2").Consume(func(_ context.Context, id string) error {
				run.Effect(id)
				return nil
			})
			h := run.History()
			wantLines(t, story(h), want)
			if armed := marks(h, history.MarkArmed); !slices.Equal(armed, []string{fault.Name}) {
				t.Errorf("armed %q", armed)
			}
		})
	}
}

func TestQueueOverlap(t *testing.T) {
	run := struckBy(t, Overlap)
	var mu sync.Mutex
	at, most := 0, 0
	run.Queue("m1").Consume(func(_ context.Context, id string) error {
		mu.Lock()
		at++
		most = max(most, at)
		mu.Unlock()
		run.Effect(id)
		mu.Lock()
		at--
		mu.Unlock()
		return nil
	})
	if h := run.History(); effectsOf(h)["m1"] != 2 || most != 2 {
		t.Errorf("%d consumers at once\n%s", most, strings.Join(story(h), "\n"))
	}
}

// The last message waits for no other: a turn leaves it alone, and what was drawn
// for it did not fire.
func TestReorderOfTheLast(t *testing.T) {
	consume := func(run *Run) history.History {
		run.Queue("m1").Consume(func(_ context.Context, id string) error { return nil })
		return run.History()
	}
	want := "m1 invoke 1\n\tm1 ok 1 ok"
	for _, run := range []*Run{struckBy(t, Reorder), Start(t, Reorder)} {
		h := consume(run)
		wantLines(t, story(h), want)
		if armed := marks(h, history.MarkArmed); len(armed) != 1 {
			t.Errorf("armed %q", armed)
		}
	}
}

// Whatever the seed, a turn over messages asks for nothing that cannot fire.
func TestReorderFires(t *testing.T) {
	for seed := range 20 {
		t.Setenv(seedVariable, fmt.Sprint(seed))
		run := Start(t, Reorder, Repeat)
		run.Queue("m1", "m2", "m3", "m4", "m5", "m6").Consume(func(_ context.Context, id string) error { return nil })
		h, fired := run.History(), 0
		for _, e := range h.Events {
			if e.Kind == history.Fault {
				fired++
			}
		}
		if armed := marks(h, history.MarkArmed); len(armed) != fired || fired < 3 {
			t.Errorf("seed %d: asked %q, fired %d", seed, armed, fired)
		}
	}
}

func TestMessagesThatAreNeverAcknowledged(t *testing.T) {
	n := 0
	got := saying(t, func(t *fakeT) {
		run := Start(t)
		run.Queue("m1", "m2").Consume(func(_ context.Context, id string) error {
			if id == "m1" {
				n++
				return errors.New("out of paper")
			}
			return nil
		})
		if end := story(run.History()); end[len(end)-1] != "m2 ok 1 ok" || end[1] != "m1 unknown 1 error" {
			t.Errorf("%q", end)
		}
	})
	if want := "inject: order m1 was delivered 20 times and never acknowledged, the last time: out of paper"; n != 20 || got != want {
		t.Errorf("%d times; said %q", n, got)
	}
}

func TestQueueWithSeveralConsumers(t *testing.T) {
	run := Start(t, Repeat, LoseAnswer, Late, Overlap)
	ids := slices.Collect(run.IDs(40))
	q := run.Queue(ids...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			q.Consume(func(_ context.Context, id string) error { run.Effect(id); return nil })
		})
	}
	all.Wait()
	if n := effectsOf(run.History()); len(n) != 40 {
		t.Errorf("%d messages were handled", len(n))
	}
}
