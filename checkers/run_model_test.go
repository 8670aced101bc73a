package checkers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// cells is a store of values. A sound one carries out each write once.
type cells struct {
	sound  bool
	mu     sync.Mutex
	values map[string]string
	done   map[string]bool
}

func (c *cells) write(id, cell string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sound || !c.done[id] {
		c.values[cell], c.done[id] = id, true
	}
	return "written", nil
}

func (c *cells) read(cell string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[cell], nil
}

// writeAndRead lets three clients write to and read from two cells under faults,
// and retry what was lost.
func writeAndRead(t checkers.TB, run *inject.Run, c *cells, seed uint64) {
	var clients sync.WaitGroup
	for n := range 3 {
		clients.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			for i := range 12 {
				cell := "cell-" + fmt.Sprint(rng.IntN(2))
				id := fmt.Sprintf("%s/write-%d-%d", cell, n, i)
				f := func(context.Context) (string, error) { return c.write(id, cell) }
				if rng.IntN(2) == 0 {
					id = fmt.Sprintf("%s/read-%d-%d", cell, n, i)
					f = func(context.Context) (string, error) { return c.read(cell) }
				}
				for range 3 {
					if _, err := inject.Call(run, id, f); err == nil {
						break
					}
				}
			}
		})
	}
	clients.Wait()
	checkers.Model(t, run.History(), checkers.Register, readCells)
}

func readCells(a history.Attempt) (string, checkers.Access, bool) {
	cell, _, _ := strings.Cut(a.Begin.Op, "/")
	if strings.Contains(a.Begin.Op, "/write-") {
		return cell, checkers.Access{Write: true, Value: a.Begin.Op}, true
	}
	if a.Outcome() != history.OK {
		return "", checkers.Access{}, false
	}
	return cell, checkers.Access{Value: strings.Trim(a.End.Body, `"`)}, true
}

// TestModelRuns judges runs of a sound store, none of which is accused, and of
// one that writes again, which most runs show.
func TestModelRuns(t *testing.T) {
	const runs = 100
	for _, sound := range []bool{true, false} {
		accused, first := 0, ""
		for seed := range uint64(runs) {
			to := &told{TB: t}
			schedule := inject.Seeded(seed, 0.5, inject.LoseAnswer, inject.Repeat, inject.Overlap, inject.Late, inject.LoseRequest)
			run := inject.Options{Name: "write", Schedule: schedule}.Start(t)
			writeAndRead(to, run, &cells{sound: sound, values: map[string]string{}, done: map[string]bool{}}, seed)
			if len(to.text) > 0 {
				accused++
				first = to.text[0]
			}
		}
		t.Logf("sound %v: %d of %d\n%s", sound, accused, runs, first)
		if sound && accused > 0 || !sound && accused < runs/10 {
			t.Errorf("sound %v: %d of %d accused", sound, accused, runs)
		}
	}
}

// TestModelIsARule judges commands and effects together.
func TestModelIsARule(t *testing.T) {
	for _, sound := range []bool{true, false} {
		run := inject.Start(t)
		c := &cells{sound: sound, values: map[string]string{}, done: map[string]bool{}}
		call := func(id string, f func() (string, error)) {
			_, _ = inject.Call(run, id, func(context.Context) (string, error) { return f() })
		}
		write := func(id string) {
			call(id, func() (string, error) {
				if !c.done[id] {
					run.Effect(id)
				}
				return c.write(id, "x")
			})
		}
		read := func(id string) { call(id, func() (string, error) { run.Effect(id); return c.read("x") }) }
		write("x/write-1")
		write("x/write-2")
		read("x/read-1")
		write("x/write-1")
		read("x/read-2")
		to := &told{TB: t}
		checkers.Verify(to, run.History(), checkers.ExactlyOnce, checkers.Register.Rule(readCells))
		if sound != (len(to.text) == 0) {
			t.Errorf("sound %v: %v", sound, to.text)
		}
		if !sound && !strings.HasPrefix(to.text[0], `register: x: "x/write-1" came back after "x/write-2" had come (1 of 3 rules failed; `) {
			t.Error(to.text[0])
		}
	}
}
