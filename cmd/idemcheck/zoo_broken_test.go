package main

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// broken are services with one defect each, as they were found in real ones.
var broken = []animal{
	{name: "x-no-keys", finds: "repeat lost-answer", serve: func(w *world) http.Handler {
		return mux("POST /orders", order(w))
	}},
	{name: "x-stored-after-work", finds: "overlap", serve: func(w *world) http.Handler {
		return keyedAfter(order(w))
	}},
	{name: "x-last-key-only", finds: "late-repeat later-repeat", serve: func(w *world) http.Handler {
		return &forgetful{most: 1, shelf: shelf{work: order(w)}}
	}},
	{name: "x-fifty-keys", finds: "later-repeat key-volume", serve: func(w *world) http.Handler {
		return &forgetful{most: 50, shelf: shelf{work: order(w)}}
	}},
	{name: "x-only-while-it-runs", finds: "repeat lost-answer", serve: func(w *world) http.Handler {
		return &shelf{keeps: func(int) bool { return false }, work: order(w)}
	}},
	{name: "x-old-event-wins", effects: states, file: event, finds: "old-event-last every-order", serve: func(w *world) http.Handler {
		return &shelf{key: func(_ *http.Request, f m) string { return str(f["event"]) }, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			w.set(r, str(f["entity"]), str(f["state"]))
			say(rw, 200, m{"received": true})
		}}
	}},
	{name: "x-two-entries-apart", finds: "two-entries", effects: unique, file: ordinary + `  order_event:
    send: POST /events
    entry_of: order
    key: none
    body: {type: order, order: "${id}", amount: "${body.amount}"}
`, serve: func(w *world) http.Handler {
		return &shelf{key: func(r *http.Request, f m) string {
			if r.URL.Path == "/events" {
				return "event " + str(f["order"])
			}
			return r.Header.Get("Idempotency-Key")
		}, work: order(w)}
	}},
	{name: "x-fresh-provider-key", effects: paid, finds: "provider-answer-lost", serve: func(w *world) http.Handler {
		return &shelf{work: func(rw http.ResponseWriter, r *http.Request, f m) {
			if status := w.charge(str(f["order"]), base36(w.next())); status == 402 {
				say(rw, 402, m{"error": "declined"})
			} else if status != 201 {
				say(rw, 502, m{"error": "try again"})
			} else {
				w.do(r, str(f["order"]))
				say(rw, 201, m{"id": "ch_" + base36(w.next())})
			}
		}}
	}},
	{name: "x-retries-inside", effects: paid, finds: "provider-fails-after-effect provider-answer-lost", serve: func(w *world) http.Handler {
		return &shelf{work: func(rw http.ResponseWriter, r *http.Request, f m) {
			for range 3 {
				switch w.charge(str(f["order"]), base36(w.next())) {
				case 201:
					w.do(r, str(f["order"]))
					say(rw, 201, m{"id": "ch_" + base36(w.next())})
					return
				case 402:
					say(rw, 402, m{"error": "declined"})
					return
				}
			}
			say(rw, 502, m{"error": "try again"})
		}}
	}},
	{name: "x-refusal-for-ever", effects: paid, contract: "{stored: 2xx}", finds: "definite-refusal", silent: "-", serve: func(w *world) http.Handler {
		return &shelf{keeps: func(status int) bool { return status < 300 }, work: payer(w)}
	}},
	{name: "x-failure-kept", effects: paid, contract: "{stored: 2xx}", finds: "first-attempt-fails", stated: true, serve: func(w *world) http.Handler {
		return &shelf{keeps: func(int) bool { return true }, work: payer(w)}
	}},
	{name: "x-marked-before-work", effects: paid, finds: "first-attempt-fails", serve: func(w *world) http.Handler {
		var seen sync.Map
		work := payer(w)
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			key := r.Header.Get("Idempotency-Key")
			if _, known := seen.LoadOrStore(r.Header.Get("Authorization")+key, true); known && key != "" {
				say(rw, 200, m{"status": "already processed"})
				return
			}
			work(rw, r, f)
		})
	}},
	{name: "x-told-too-soon", effects: paid, finds: "first-of-two-fails", serve: func(w *world) http.Handler {
		var mu sync.Mutex
		running := map[string]bool{}
		s := &shelf{work: payer(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
			mu.Lock()
			busy := running[key] && r.Header.Get("Idempotency-Key") != ""
			running[key] = true
			mu.Unlock()
			if busy {
				say(rw, 202, m{"status": "being processed"})
				return
			}
			s.ServeHTTP(rw, r)
			mu.Lock()
			delete(running, key)
			mu.Unlock()
		})
	}},
	{name: "x-no-tenant", finds: "other-scope", serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			key := r.Header.Get("Idempotency-Key")
			if key == "" {
				key = "none " + base36(w.next())
			}
			s.keyed(rw, r, key, f)
		})
	}},
	{name: "x-case-folded", finds: "look-alike-keys/order/how=case", serve: func(w *world) http.Handler {
		return &shelf{fold: strings.ToLower, work: order(w)}
	}},
	{name: "x-cut-at-64", finds: "look-alike-keys/order/how=prefix-64", serve: func(w *world) http.Handler {
		return &shelf{fold: func(key string) string { return key[:min(len(key), 64)] }, work: order(w)}
	}},
	{name: "x-key-is-a-number", finds: "look-alike-keys", serve: func(w *world) http.Handler {
		return &shelf{fold: func(key string) string {
			if n, err := strconv.ParseFloat(key, 64); err == nil {
				return strconv.FormatFloat(n, 'g', -1, 64)
			}
			return key
		}, work: order(w)}
	}},
	{name: "x-trims", finds: "look-alike-keys/order/how=blank", file: keyInBody, serve: func(w *world) http.Handler {
		return &shelf{work: order(w), key: func(_ *http.Request, f m) string {
			request, _ := f["request"].(m)
			return strings.TrimSpace(str(request["key"]))
		}}
	}},
	{name: "x-compares-nothing", contract: "{mismatch: 422}", finds: "changed-payload changed-field", silent: "-", serve: func(w *world) http.Handler {
		return &shelf{work: order(w)}
	}},
	{name: "x-compares-amount-only", contract: "{mismatch: 422}", finds: "changed-field/order/field=/note", silent: "-", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w), key: func(r *http.Request, f m) string {
			if f != nil {
				f["note"] = ""
			}
			return r.Header.Get("Idempotency-Key")
		}}
	}},
	{name: "x-payload-in-key", contract: "{mismatch: 422}", finds: "changed-payload", silent: "-", serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		s.key = func(r *http.Request, f m) string {
			if r.Header.Get("Idempotency-Key") == "" {
				return ""
			}
			return r.Header.Get("Idempotency-Key") + str(f["amount"])
		}
		return s
	}},
	{name: "x-bytes-in-key", finds: "reencoded-payload", serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			raw, f, whole := read(r)
			if !whole {
				return
			}
			sum := sha256.Sum256(raw)
			s.keyed(rw, r, r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key")+string(sum[:]), f)
		})
	}},
	{name: "x-short-keys-only", finds: "repeat", serve: func(w *world) http.Handler {
		return &shelf{work: order(w), key: func(r *http.Request, _ m) string {
			if key := r.Header.Get("Idempotency-Key"); len(key) <= 32 {
				return key
			}
			return ""
		}}
	}},
	{name: "x-large-not-kept", finds: "large-payload", serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 64<<10 {
				_, f, _ := read(r)
				s.work(rw, r, f)
				return
			}
			s.ServeHTTP(rw, r)
		})
	}},
	{name: "x-zero-is-nothing", finds: "boundary-payload", serve: func(w *world) http.Handler {
		return &shelf{work: order(w), key: func(r *http.Request, f m) string {
			if str(f["amount"]) == "0" {
				return ""
			}
			return r.Header.Get("Idempotency-Key")
		}}
	}},
	{name: "x-gives-up-with-caller", finds: "client-cut", serve: func(w *world) http.Handler {
		var seen sync.Map
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			key := r.Header.Get("Idempotency-Key")
			if _, known := seen.LoadOrStore(r.Header.Get("Authorization")+key, true); known && key != "" {
				say(rw, 200, m{"status": "done"})
				return
			}
			select {
			case <-r.Context().Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
			w.do(r, str(f["order"]))
			say(rw, 200, m{"status": "done"})
		})
	}},
	{name: "x-memory-of-one-replica", replicas: 2, finds: "other-replica", serve: func(w *world) http.Handler {
		var mu sync.Mutex
		each := map[string]*shelf{}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			s := each[r.Host]
			if s == nil {
				s = &shelf{work: order(w)}
				each[r.Host] = s
			}
			mu.Unlock()
			s.ServeHTTP(rw, r)
		})
	}},
	{name: "x-claim-without-token", effects: paid, contract: "{claim: 300ms}", finds: "slow-handler", silent: "provider-answer-lost", serve: func(w *world) http.Handler {
		return &leases{w: w, lease: 300 * time.Millisecond, of: map[string]*leased{}, careless: true}
	}},
	{name: "x-never-freed", effects: paid, contract: "{claim: 500ms}", finds: "first-attempt-fails", stated: true, serve: func(w *world) http.Handler {
		var held sync.Map
		s := &shelf{work: payer(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
			if _, busy := held.LoadOrStore(key, true); busy && r.Header.Get("Idempotency-Key") != "" {
				say(rw, 409, m{"error": "in progress"})
				return
			}
			got := &record{status: 200, header: http.Header{}}
			s.ServeHTTP(got.recorder(), r)
			if got.status < 300 {
				held.Delete(key)
			}
			got.write(rw)
		})
	}},
	{name: "x-forgets-too-soon", contract: "{life: 2s, after_life: new}", stated: true, finds: "key-life/order/at=0.9", serve: func(w *world) http.Handler {
		return &shelf{life: time.Second, work: order(w)}
	}},
	{name: "x-runs-expired-keys", contract: "{life: 1s, after_life: 410}", finds: "key-life/order/at=1.1", stated: true, serve: func(w *world) http.Handler {
		return &shelf{life: time.Second, work: order(w)}
	}},
	{name: "x-repeat-cancels", finds: "repeat", serve: func(w *world) http.Handler {
		var mu sync.Mutex
		jobs := map[string]*time.Timer{}
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			mu.Lock()
			defer mu.Unlock()
			key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
			if job := jobs[key]; job != nil && r.Header.Get("Idempotency-Key") != "" {
				job.Stop()
			} else {
				jobs[key] = time.AfterFunc(100*time.Millisecond, func() { w.do(r, str(f["order"])) })
			}
			say(rw, 202, m{"status": "queued"})
		})
	}},
	{name: "x-no-key-is-a-key", finds: "missing-key", serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			s.keyed(rw, r, r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key"), f)
		})
	}},
	{name: "x-endpoints-share", finds: "other-endpoint other-method", file: twoEnds, effects: countedEach, serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			r.URL.Path, r.Method = "/", "POST"
			s.ServeHTTP(rw, r)
		})
	}},
	{name: "x-another-id", contract: "{replay: current}", finds: "repeat", silent: "-", serve: func(w *world) http.Handler {
		return &shelf{work: order(w), replayed: func(rec *record) *record { return rec.again("id", "or_"+base36(w.next())) }}
	}},
	{name: "x-conflict-ever-after", contract: "{replay: verbatim}", finds: "repeat", silent: "-", serve: func(w *world) http.Handler {
		return &shelf{work: order(w), replayed: func(rec *record) *record {
			return &record{status: 409, header: rec.header, body: []byte(`{"error":"duplicate"}`)}
		}}
	}},
	{name: "x-crashes-on-keys", contract: "{missing: 400}", finds: "key-format", silent: "-", serve: func(w *world) http.Handler {
		return &shelf{missing: 400, work: order(w), check: func(key string) int {
			if len(key) > 255 || strings.ContainsAny(key, `"\`) {
				return 500
			}
			return 0
		}}
	}},
	{name: "x-button-twice", effects: unique, finds: "double-click", serve: func(w *world) http.Handler {
		return &shelf{work: order(w)}
	}},
}

// keyedAfter keeps the answer when the work is done.
func keyedAfter(work func(http.ResponseWriter, *http.Request, m)) http.Handler {
	var answers sync.Map
	return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
		key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
		if kept, ok := answers.Load(key); ok && r.Header.Get("Idempotency-Key") != "" {
			kept.(*record).write(rw)
			return
		}
		got := &record{status: 200, header: http.Header{}}
		work(got.recorder(), r, f)
		answers.Store(key, got)
		got.write(rw)
	})
}

// forgetful is a shelf with room for so many keys.
type forgetful struct {
	shelf
	most int

	keys []string
}

func (s *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.shelf.ServeHTTP(w, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.records {
		if !slices.Contains(s.keys, key) {
			s.keys = append(s.keys, key)
		}
	}
	for len(s.keys) > s.most {
		delete(s.records, s.keys[0])
		s.keys = s.keys[1:]
	}
}
