package property_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/property"
)

const (
	life  = 24 * time.Hour
	claim = 30 * time.Second
)

// memory keeps keys for a day, counted from their first use.
type memory struct {
	first   map[string]time.Time
	sliding bool // a day from the last use
}

// fresh tells whether a key is new, and keeps it.
func (m *memory) fresh(key string) bool {
	at, known := m.first[key]
	if known && time.Since(at) < life {
		if m.sliding {
			m.first[key] = time.Now()
		}
		return false
	}
	m.first[key] = time.Now()
	return true
}

// keyLives: a key is kept for a day, and no longer.
func keyLives(t *testing.T, sliding bool) {
	gaps := rapid.SliceOfN(property.Gaps(life), 1, 5)
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			m := &memory{map[string]time.Time{}, sliding}
			m.fresh("order-1")
			used := time.Now()
			for _, gap := range gaps.Draw(t, "gaps") {
				time.Sleep(gap)
				age := time.Since(used)
				if fresh := m.fresh("order-1"); fresh != (age >= life) {
					t.Fatalf("%v after its first use the key is taken for new: %v", age, fresh)
				}
				if age >= life {
					used = time.Now()
				}
			}
		})
	})
}

func TestKeyLives(t *testing.T) { keyLives(t, false) }

// claims lets one worker at a time have an operation, for half a minute.
type claims struct {
	mu    sync.Mutex
	until map[string]time.Time
	done  map[string]bool
	stuck bool // a claim is never taken over
}

var errClaimed = errors.New("someone is at it")

func (c *claims) work(id string, effect func(string)) error {
	c.mu.Lock()
	until, held := c.until[id]
	switch {
	case c.done[id]:
		c.mu.Unlock()
		return nil
	case held && (c.stuck || time.Now().Before(until)):
		c.mu.Unlock()
		return errClaimed
	}
	c.until[id] = time.Now().Add(claim)
	c.mu.Unlock()
	effect(id) // the worker may die here
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[id] = true
	return nil
}

// claimEnds: what a dead worker had claimed is done within the claim and a tenth.
func claimEnds(t *testing.T, stuck bool) {
	o := inject.Options{Faults: []inject.Fault{inject.KillBefore, inject.LoseAnswer, inject.Repeat}}
	gaps := property.Gaps(claim).Filter(func(d time.Duration) bool { return d > time.Second })
	property.UnderFaults(property.InBubble(t), o, func(t *rapid.T, run *inject.Run) {
		c := &claims{until: map[string]time.Time{}, done: map[string]bool{}, stuck: stuck}
		gap := gaps.Draw(t, "gap")
		for id := range run.IDs(rapid.IntRange(1, 3).Draw(t, "orders")) {
			sent := time.Now()
			for {
				_, err := inject.Call(run, id, func(context.Context) (bool, error) { return true, c.work(id, run.Effect) })
				if err == nil {
					break
				}
				if time.Since(sent) > 3*(claim+gap) { // each of two attempts may die
					t.Fatalf("%s is still not done", id)
				}
				time.Sleep(gap)
			}
		}
	}, checkers.ExactlyOnce)
}

func TestClaimEnds(t *testing.T) { claimEnds(t, false) }

// patience is how long a caller tries.
const patience = 2 * time.Minute

// retry sends an order until it is answered, with a backoff that doubles from 1 s
// to 30 s, jitter, and a deadline over all; or, if it is stubborn, for 20 tries.
func retry(ctx context.Context, client *http.Client, id string, stubborn bool) error {
	if !stubborn {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	wait := time.Second
	for range 20 {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://shop/orders/"+id, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(q)
		if err == nil && resp.StatusCode == http.StatusOK {
			return resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait + rand.N(wait)):
		}
		wait = min(2*wait, 30*time.Second)
	}
	return errors.New("gave up")
}

// retriesEnd: a caller that tries again ends within its deadline, whatever happens.
func retriesEnd(t *testing.T, stubborn bool) {
	o := inject.Options{Faults: []inject.Fault{inject.LoseAnswer, inject.LoseRequest, inject.ReplaceAnswer, {Name: "delay", Arg: "1m"}}}
	property.UnderFaults(property.InBubble(t), o, func(t *rapid.T, run *inject.Run) {
		s := newShop(run.Effect)
		opens := time.Now().Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute, time.Hour}).Draw(t, "down"))
		client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if time.Now().Before(opens) {
				http.Error(w, "down", http.StatusServiceUnavailable)
				return
			}
			s.ServeHTTP(w, r)
		}))
		for id := range run.IDs(1) {
			sent := time.Now()
			err := retry(t.Context(), client, id, stubborn)
			if time.Since(sent) > patience {
				t.Fatalf("the caller still tried after %v", patience)
			}
			if err != nil && time.Since(opens) > patience/2 {
				t.Fatalf("the shop was open long enough: %v", err)
			}
		}
	}, checkers.AtMostOnce)
}

func TestRetriesEnd(t *testing.T) { retriesEnd(t, false) }

// broken properties in bubbles need a real test around them: they run in a
// process of their own.
const brokenVariable = "IDEMCHECK_TEST_PROPERTY_BROKEN"

func TestBrokenInBubble(t *testing.T) {
	if os.Getenv(brokenVariable) == "" {
		t.Skip("runs in the process that TestBubblesFail starts")
	}
	t.Run("key", func(t *testing.T) { keyLives(t, true) })
	t.Run("claim", func(t *testing.T) { claimEnds(t, true) })
	t.Run("no effect", func(t *testing.T) {
		property.UnderFaults(property.InBubble(t), everything, orderTrial(func(func(string)) *shop {
			return newShop(func(string) {})
		}), checkers.ExactlyOnce)
	})
	t.Run("deadline", func(t *testing.T) { retriesEnd(t, true) })
}

func TestBubblesFail(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestBrokenInBubble$", "-test.count=1")
	cmd.Env = append(os.Environ(), brokenVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatal("it passed")
	}
	for _, want := range []string{
		"draw gaps: []time.Duration{43200000000000, 43200000000000}",
		"24h0m0s after its first use the key is taken for new: false",
		"order-1 is still not done",
		"draw faults: kill-before at operation 1\n",
		"draw down: 3600000000000\n",
		"the caller still tried after 2m0s",
		"only generated 0 valid tests from 1000 total",
		"nothing was judged in 30 of 30 tests: Effect was never called.",
	} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), "flaky test"); n > 0 {
		t.Error(fmt.Sprint(n, " failures did not come again"))
	}
}
