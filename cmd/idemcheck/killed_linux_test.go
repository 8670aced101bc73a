package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledTool kills the tool in the middle of a map, as kill -9 does, and
// starts it again: then nothing of the first is left, and what was no part of
// it goes on. The moments are random; the seed is printed.
func TestKilledTool(t *testing.T) {
	times := 3
	if os.Getenv("IDEMCHECK_LONG") != "" {
		times = 20
	}
	w := newWorkshop(t)
	innocent := w.innocent(t)
	var took [len(whole)]time.Duration
	for i, args := range whole {
		begin := time.Now()
		if out, err := w.tool(t.Context(), args...).CombinedOutput(); err != nil {
			t.Fatalf("undisturbed: %v\n%s", err, out)
		}
		took[i] = time.Since(begin)
		w.gone(t, "after an undisturbed run")
	}
	seed := rand.Uint64()
	t.Logf("seed %d, undisturbed they take %v", seed, took)
	draw := rand.New(rand.NewPCG(seed, 0))
	for i := range times {
		which := i % len(whole)
		w.killAfter(t, time.Duration(draw.Int64N(int64(took[which]))), whole[which])
		said, err := w.tool(t.Context(), "run", "plain").CombinedOutput()
		if err != nil {
			t.Errorf("kill %d: the next start: %v\n%s", i+1, err, said)
		}
		t.Logf("kill %d, of %s: %s", i+1, whole[which][0], bytes.TrimSpace(firstLine(said)))
		w.gone(t, fmt.Sprintf("after kill %d and the next start", i+1))
		if state := stateOf(innocent); !strings.ContainsAny(state, "SR") {
			t.Fatalf("kill %d: a process that is no part of a run is in state %q", i+1, state)
		}
	}
}

// TestEndedTool ends the tool by a signal while its worker stands still.
func TestEndedTool(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			t.Logf("%v is ignored here, as under nohup, and so the tool ignores it", sig)
			continue
		}
		w := newWorkshop(t)
		c := w.tool(t.Context(), "run", "still.yaml")
		var said bytes.Buffer
		c.Stdout, c.Stderr = &said, &said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); w.stopped() == 0; runtime.Gosched() {
			if time.Now().After(deadline) {
				t.Fatalf("no worker stood still\n%s", said.String())
			}
		}
		c.Process.Signal(sig)
		c.Wait()
		if code := c.ProcessState.ExitCode(); code != exitInconclusive {
			t.Errorf("%v: exit code %d\n%s", sig, code, said.String())
		}
		w.gone(t, "after "+sig.String())
	}
}

// whole are the arguments of the runs that are killed.
var whole = [...][]string{{"map", "--idle", "50ms", "--only", "kill before", "--only", "card POST /v1/charges"}, {"run", "pause.yaml", "plain", "repeat"}}

const pausePlan = `name: pause
story: The worker stands still for a while.
steps:
  - {send: a}
  - {pause: worker}
  - {start: a}
  - {resume: worker}
  - {join: all}
  - {kill: worker}
  - {restart: worker}
  - {retry: a}
  - {settle: all}
rules: [exactly-once]
`

const stillPlan = `name: still
story: The worker stands still until the attempt ends as a time-out.
steps:
  - {send: a}
  - {pause: worker}
  - {retry: a}
  - {settle: all}
`
