package inject

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// bank is a provider that counts what it did.
type bank struct {
	mu    sync.Mutex
	calls int
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if strings.Contains(string(body), "declined") {
		w.WriteHeader(http.StatusPaymentRequired)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// till charges by a provider, and tries again if it must.
func till(card *http.Client, key func(id string, try int) string, tries int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := strings.Split(string(body), `"`)[3]
		for try := range tries {
			q, _ := http.NewRequest("POST", "http://card/v1/charges", strings.NewReader(`{"for":"`+id+`"}`))
			if k := key(id, try); k != "" {
				q.Header.Set("Idempotency-Key", k)
			}
			if resp, err := card.Do(q); err == nil {
				drop(resp)
				if resp.StatusCode == http.StatusCreated {
					w.WriteHeader(http.StatusCreated)
					return
				}
			}
		}
		w.WriteHeader(http.StatusBadGateway)
	})
}

func sameKey(id string, _ int) string  { return "key-of-" + id }
func newKey(id string, try int) string { return fmt.Sprint("key-", id, try) }
func noKey(string, int) string         { return "" }
func providerRun(t TB, f ...Fault) *Run {
	return Options{Schedule: Tape(map[Site][]Fault{{"provider/card", 1, 1}: f})}.Start(t)
}

func TestFaultsOfProviderCalls(t *testing.T) {
	for _, test := range []struct {
		fault Fault
		key   func(string, int) string
		calls int // that reached the provider
		want  string
	}{
		{Fault{}, noKey, 1, `
	order-1 effect provider/card 1`},
		{LoseAnswer, noKey, 2, `
	order-1 effect provider/card 1
	order-1 fault lose-answer
	order-1 effect provider/card 2`},
		{LoseAnswer, newKey, 2, `
	order-1 effect provider/card 1
	order-1 fault lose-answer
	order-1 effect provider/card 2`},
		{LoseAnswer, sameKey, 2, `
	order-1 effect provider/card 1
	order-1 fault lose-answer`},
		{Fail, noKey, 1, `
	order-1 fault fail
	order-1 effect provider/card 1`},
		{Fault{"fail", "2"}, noKey, 1, `
	order-1 fault fail
	order-1 fault fail
	order-1 effect provider/card 1`},
		{Fault{"fail", "after"}, noKey, 2, `
	order-1 effect provider/card 1
	order-1 fault fail
	order-1 effect provider/card 2`},
		{Refuse, noKey, 1, `
	order-1 fault refuse
	order-1 effect provider/card 1`},
		{Fault{"slow", "1h"}, noKey, 1, `
	order-1 fault slow
	order-1 effect provider/card 1`},
	} {
		t.Run(test.fault.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run, b := providerRun(t, test.fault), &bank{}
				if test.fault == (Fault{}) {
					run = providerRun(t)
				}
				card := Serve(t, b)
				card.Transport = run.Transport(card.Transport)
				begin := time.Now()
				for id := range run.IDs(1) {
					resp, err := send(run.Client(till(card, test.key, 4)), id)
					if err != nil || resp.StatusCode != http.StatusCreated {
						t.Fatal(resp, err)
					}
				}
				h := run.History()
				lines := story(h)
				wantLines(t, lines[1:len(lines)-1], test.want)
				if b.calls != test.calls || test.fault.Name == "slow" && time.Since(begin) != time.Hour {
					t.Errorf("the provider was called %d times, want %d; took %v", b.calls, test.calls, time.Since(begin))
				}
				if o := h.Header.Observers; len(o) != 1 || o[0].Name != "provider/card" {
					t.Errorf("observers %v", o)
				}
			})
		})
	}
}

// Two that overlap meet at the call to the provider.
func TestProviderCallsMeet(t *testing.T) {
	for range samples() {
		run := struckBy(t, Overlap)
		card := &http.Client{Transport: run.Transport(&inMemory{run: Start(t), handler: &bank{}})}
		var mu sync.Mutex
		paid := map[string]bool{}
		client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			was := paid["order-1"]
			mu.Unlock()
			if !was {
				till(card, noKey, 1).ServeHTTP(w, r)
				mu.Lock()
				paid["order-1"] = true
				mu.Unlock()
			}
		}))
		for id := range run.IDs(1) {
			if err := order(client, id); err != nil {
				t.Fatal(err)
			}
		}
		if n := effectsOf(run.History()); n["order-1"] != 2 {
			t.Fatal(n)
		}
	}
}

func TestKillAtTheProvider(t *testing.T) {
	for fault, want := range map[Fault]string{
		KillBefore: "order-1 invoke 1 kill-before\n\torder-1 fault kill-before\n\torder-1 unknown 1 reset",
		KillAfter:  "order-1 invoke 1 kill-after\n\torder-1 effect provider/card 1\n\torder-1 fault kill-after\n\torder-1 unknown 1 reset",
	} {
		run := struckBy(t, fault)
		card := Serve(t, &bank{})
		card.Transport = run.Transport(card.Transport)
		for id := range run.IDs(1) {
			if _, err := send(run.Client(till(card, noKey, 1)), id); err == nil {
				t.Error("no error")
			}
		}
		wantLines(t, story(run.History()), want)
	}
}

func TestWhatIsNoEffectAtAProvider(t *testing.T) {
	run := Start(t)
	card := Serve(t, &bank{})
	card.Transport = run.Transport(card.Transport)
	for id := range run.IDs(1) {
		for _, q := range []struct{ method, body string }{
			{"POST", "of nobody"}, {"GET", id}, {"PUT", id}, {"DELETE", id}, {"POST", id + " declined"},
		} {
			r, _ := http.NewRequest(q.method, "http://card/", strings.NewReader(q.body))
			resp, err := card.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			drop(resp)
		}
	}
	h := run.History()
	wantLines(t, story(h), "")
	if said := marks(h, history.MarkError); len(said) > 0 {
		t.Error(said)
	}
}

// A body is closed whoever reads it, also one that could be made again.
func TestBodiesOfProviderCallsAreClosed(t *testing.T) {
	run := Start(t)
	q, _ := http.NewRequest("POST", "http://card/", nil)
	here, there := io.Pipe()
	q.Body, q.GetBody = here, func() (io.ReadCloser, error) { return http.NoBody, nil }
	_ = there.Close()
	resp, err := run.Transport(&inMemory{run, &bank{}}).RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	drop(resp)
	if _, err := here.Read(nil); err != io.ErrClosedPipe {
		t.Errorf("the body is open: %v", err)
	}
}
