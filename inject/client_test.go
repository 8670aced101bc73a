package inject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// shop is a service that moves money once for each order, or not.
type shop struct {
	mu     sync.Mutex
	paid   map[string]bool
	effect func(string)
	sound  bool
}

func newShop(sound bool, effect func(string)) *shop {
	return &shop{paid: map[string]bool{}, sound: sound, effect: effect}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	id := strings.Split(string(body), `"`)[3]
	s.mu.Lock()
	paid := s.paid[id] && s.sound
	s.paid[id] = true
	s.mu.Unlock()
	if !paid {
		s.effect(id)
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":"ch_%s"}`, id)
}

// order sends until it is told that it is paid, four times at most.
func order(client *http.Client, id string) error {
	var err error
	for range 4 {
		var resp *http.Response
		if resp, err = send(client, id); err == nil {
			drop(resp)
			if resp.StatusCode < 500 {
				return nil
			}
		}
	}
	return err
}

func send(client *http.Client, id string) (*http.Response, error) {
	return client.Post("http://shop/orders", "application/json", strings.NewReader(`{"order":"`+id+`","amount":5}`))
}

func TestClientFaults(t *testing.T) {
	for fault, want := range map[Fault]string{
		{}: `
	order-1 invoke 1
	order-1 effect effect 1
	order-1 ok 1 201`,
		LoseRequest: `
	order-1 invoke 1 lose-request
	order-1 fault lose-request
	order-1 unknown 1 reset
	order-1 invoke 2
	order-1 effect effect 1
	order-1 ok 2 201`,
		LoseAnswer: `
	order-1 invoke 1 lose-answer
	order-1 effect effect 1
	order-1 fault lose-answer
	order-1 unknown 1 reset
	order-1 invoke 2
	order-1 effect effect 2
	order-1 ok 2 201`,
		ReplaceAnswer: `
	order-1 invoke 1 replace-answer
	order-1 effect effect 1
	order-1 fault replace-answer
	order-1 unknown 1 502
	order-1 invoke 2
	order-1 effect effect 2
	order-1 ok 2 201`,
		Repeat: `
	order-1 invoke 1
	order-1 effect effect 1
	order-1 ok 1 201
	order-1 invoke 2 repeat
	order-1 effect effect 2
	order-1 ok 2 201
	order-1 fault repeat`,
		KillBefore: `
	order-1 invoke 1 kill-before
	order-1 fault kill-before
	order-1 unknown 1 reset
	order-1 invoke 2
	order-1 effect effect 1
	order-1 ok 2 201`,
		KillAfter: `
	order-1 invoke 1 kill-after
	order-1 effect effect 1
	order-1 fault kill-after
	order-1 unknown 1 reset
	order-1 invoke 2
	order-1 effect effect 2
	order-1 ok 2 201`,
		ChangePayload: `
	order-1 invoke 1
	order-1 effect effect 1
	order-1 ok 1 201
	order-1 invoke 2 change-payload
	order-1 effect effect 2
	order-1 ok 2 201
	order-1 fault change-payload`,
	} {
		t.Run(fault.Name, func(t *testing.T) {
			run := struckBy(t, fault)
			if fault == (Fault{}) {
				run = Start(t)
			}
			client := run.Client(newShop(false, run.Effect))
			for id := range run.IDs(1) {
				if err := order(client, id); err != nil {
					t.Fatal(err)
				}
			}
			wantLines(t, story(run.History()), want)
		})
	}
}

// A copy that a fault adds is not struck itself.
func TestCopiesAreNotKilled(t *testing.T) {
	run := struckBy(t, KillAfter, Repeat)
	client := run.Client(newShop(false, run.Effect))
	for id := range run.IDs(1) {
		if _, err := send(client, id); !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
	}
	wantLines(t, story(run.History()), `
	order-1 invoke 1 kill-after
	order-1 effect effect 1
	order-1 fault kill-after
	order-1 unknown 1 reset
	order-1 invoke 2 repeat
	order-1 effect effect 2
	order-1 ok 2 201
	order-1 fault repeat`)
}

func TestLateComesAfterAllElse(t *testing.T) {
	run := struckBy(t, Late)
	client := run.Client(newShop(true, run.Effect))
	for id := range run.IDs(2) {
		if err := order(client, id); err != nil {
			t.Fatal(err)
		}
	}
	wantLines(t, story(run.History()), `
	order-1 invoke 1
	order-1 effect effect 1
	order-1 ok 1 201
	order-2 invoke 1
	order-2 effect effect 1
	order-2 ok 1 201
	order-1 invoke 2 late
	order-1 ok 2 201
	order-1 fault late`)
}

func TestLateByADayInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		run := struckBy(t, Fault{"late", "24h"})
		client := run.Client(newShop(true, run.Effect))
		for id := range run.IDs(1) {
			if err := order(client, id); err != nil {
				t.Fatal(err)
			}
		}
		h := run.History()
		if n := len(story(h)); n != 6 || time.Since(begin) != 24*time.Hour {
			t.Errorf("%d events, %v", n, time.Since(begin))
		}
	})
}

func TestKilledHandlersRunTheirDefers(t *testing.T) {
	var steps []string
	run := struckBy(t, KillAfter)
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { steps = append(steps, "rollback") }()
		run.Effect("order-1")
		steps = append(steps, "never")
	}))
	for id := range run.IDs(1) {
		_, err := send(client, id)
		if !errors.Is(err, syscall.ECONNRESET) || !strings.Contains(err.Error(), "(made by the fault kill-after)") {
			t.Error(err)
		}
	}
	if strings.Join(steps, " ") != "rollback" {
		t.Error(steps)
	}
}

// A kill strikes the attempt's own goroutine or nothing, and that is said.
func TestForeignGoroutinesAreNotKilled(t *testing.T) {
	var h history.History
	said := saying(t, func(t *fakeT) {
		run := struckBy(t, KillAfter)
		client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var one sync.WaitGroup
			one.Go(func() { run.Effect("order-1") })
			one.Wait()
		}))
		for id := range run.IDs(1) {
			if err := order(client, id); err != nil {
				t.Errorf("%v", err)
			}
		}
		h = run.History()
	})
	wantLines(t, story(h), `
	order-1 invoke 1 kill-after
	order-1 effect effect 1
	order-1 ok 1 200`)
	if armed := marks(h, history.MarkArmed); len(armed) != 1 || armed[0] != "kill-after" {
		t.Errorf("%q", armed)
	}
	if said != "" {
		t.Errorf("said %q", said)
	}
	want := "order order-1 was to be killed at its effect, but Effect was called on another goroutine than the attempt's own"
	if !slices.ContainsFunc(h.Events, func(e history.Event) bool {
		return e.Name == history.MarkError && strings.HasPrefix(e.Cause, want)
	}) {
		t.Errorf("the history does not say why")
	}
}

func TestBrokenHandlersResetTheirConnection(t *testing.T) {
	for cause, end := range map[string]func(){
		"read tcp: connection reset by peer (the handler panicked: out of paper)":                         func() { panic("out of paper") },
		"read tcp: connection reset by peer (the handler panicked: " + http.ErrAbortHandler.Error() + ")": func() { panic(http.ErrAbortHandler) },
		"read tcp: connection reset by peer (the handler ended its goroutine)":                            runtime.Goexit,
	} {
		run := Start(t)
		client := run.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { end() }))
		for id := range run.IDs(1) {
			if _, err := send(client, id); !errors.Is(err, syscall.ECONNRESET) {
				t.Error(err)
			}
		}
		h := run.History()
		wantLines(t, story(h), "order-1 invoke 1\n\torder-1 unknown 1 reset")
		if e := h.Events[len(h.Events)-3]; e.Cause != cause {
			t.Errorf("cause %q, want %q", e.Cause, cause)
		}
	}
}

// A caller that goes away is not waited for, its handler is.
func TestCallersThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := Start(t)
		client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			time.Sleep(time.Second)
			run.Effect("order-1")
		}))
		client.Timeout = time.Minute
		begin := time.Now()
		for id := range run.IDs(1) {
			if _, err := send(client, id); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("left after %v", d)
		}
		wantLines(t, story(run.History()), `
	order-1 invoke 1
	order-1 unknown 1 timeout
	order-1 effect effect 1`)
	})
}

func TestHandlersThatNeverEndAreSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, let := Start(t), make(chan bool)
		client := run.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-let }))
		client.Timeout = time.Second
		for id := range run.IDs(1) {
			_, _ = send(client, id)
		}
		if said := marks(run.History(), history.MarkError); len(said) != 1 || said[0] != "An attempt still ran 10s after all else: it was not waited for." {
			t.Errorf("%q", said)
		}
		close(let)
	})
}
