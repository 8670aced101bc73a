package checkers_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// saidOf is what Verify says of a handler that was sent eight orders.
func saidOf(t *testing.T, make func(effect func(string)) http.HandlerFunc, faults ...inject.Fault) string {
	got := &told{TB: t}
	run := inject.Start(t, faults...)
	client := run.Client(make(run.Effect))
	for id := range run.IDs(8) {
		if err := pay(client, id); err != nil {
			t.Fatal(err)
		}
	}
	checkers.Verify(got, run.History(), checkers.ExactlyOnce)
	return strings.Join(got.text, "\n")
}

func wantAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

// What is lost without any fault is not explained by one.
func TestPlainestFirst(t *testing.T) {
	text := saidOf(t, func(func(string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusAccepted) }
	}, inject.LoseAnswer)
	wantAll(t, text, "Effect was never called")
	text = saidOf(t, func(effect func(string)) http.HandlerFunc {
		once := sync.OnceFunc(func() { effect("order-1") })
		return func(w http.ResponseWriter, r *http.Request) { once(); w.WriteHeader(http.StatusAccepted) }
	}, inject.LoseAnswer)
	wantAll(t, text, "no-lost-effect", "wait for it before the history is taken")
	if at, because := strings.Index(text, "invoke"), strings.Index(text, "lose-answer"); because >= 0 && because > at {
		t.Errorf("a fault is shown:\n%s", text)
	}
}

// An answer that names another order says what became of the lost one.
func TestAnsweredWithAnother(t *testing.T) {
	text := saidOf(t, func(effect func(string)) http.HandlerFunc {
		var mu sync.Mutex
		first := "" // kept for all, whatever their key
		return func(w http.ResponseWriter, r *http.Request) {
			id, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			if first == "" {
				first = string(id)
				effect(first)
			}
			_, _ = io.WriteString(w, `{"order":"`+first+`"}`)
		}
	}, inject.Repeat)
	wantAll(t, text, "likely cause: it was answered with what belongs to order-1: the service took the two for one.")
}

// A key that is forgotten before the repeat comes is told by how long that took.
func TestForgottenKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := saidOf(t, func(effect func(string)) http.HandlerFunc {
			var mu sync.Mutex
			kept := map[string]time.Time{}
			return func(w http.ResponseWriter, r *http.Request) {
				id, _ := io.ReadAll(r.Body)
				mu.Lock()
				at, known := kept[string(id)]
				kept[string(id)] = time.Now()
				mu.Unlock()
				if !known || time.Since(at) > time.Hour {
					effect(string(id))
				}
			}
		}, inject.Fault{Name: "late", Arg: "23h"})
		wantAll(t, text, "likely cause: the repeat came 23 h after the first try, and was not recognised any more, if it ever was.",
			"usual cure: keep the key for longer than a repeat may take to come.")
	})
}

// What one rule knows of the reason explains what another one found.
func TestExplainedByAnother(t *testing.T) {
	got := &told{TB: t}
	run := inject.Start(t, inject.Repeat)
	once := sync.OnceFunc(func() { run.Effect("order-1") })
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		once()
		_, _ = io.WriteString(w, `{"id":"ch_1"}`)
	}))
	for id := range run.IDs(6) {
		r, err := http.NewRequest(http.MethodPost, "http://shop/"+id, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Idempotency-Key", "customer-9")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	checkers.Verify(got, run.History(), checkers.ExactlyOnce, checkers.Separation)
	wantAll(t, strings.Join(got.text, "\n"), "no-lost-effect: order-", "likely cause: both carried the same key.", "usual cure: use a new key for each operation.", "(same pattern)")
}
