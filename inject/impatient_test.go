package inject

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// A caller that gives up before a delay is over was struck by it: it saw silence.
func TestDelayPastTheCallersPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := Start(t, Fault{"delay", "3s"})
		client := run.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { run.Effect(r.URL.Path[1:]) }))
		for id := range run.IDs(2) {
			for range 2 {
				if err := patient(client, time.Second, id); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
			}
		}
		h := run.History()
		if n := occurrences(h, history.Fault, "delay"); n != 1 {
			t.Errorf("delay fired %d times", n)
		}
		if n := occurrences(h, history.Unknown, "order"); n != 1 {
			t.Errorf("%d attempts ended unknown", n)
		}
		if n := occurrences(h, history.Invoke, "order"); n != 4 {
			t.Errorf("%d attempts were recorded", n)
		}
	})
}

func patient(client *http.Client, d time.Duration, id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://shop/"+id, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// A run of which nobody counts effects does not wait for any.
func TestNoEffectsToWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := Options{Expect: -1}.Start(t)
		client := run.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		for id := range run.IDs(3) {
			if err := patient(client, time.Second, id); err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Now()
		h := run.History()
		if d := time.Since(begin); d != 0 {
			t.Errorf("History waited %v", d)
		}
		if n := h.Header.Observers[0].Expect; n != 0 {
			t.Errorf("the header expects %d", n)
		}
	})
}

func occurrences(h history.History, kind history.Kind, name string) (n int) {
	for _, e := range h.Events {
		if e.Kind == kind && e.Name == name {
			n++
		}
	}
	return n
}
