package main

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

const transfer = `operations:
  transfer:
    send: POST /transfers
    body: {from: savings, to: rent, amount: "${int 100 999}"}
`

const countedByKey = `effects:
  booked: {by: key, http: "GET WORLD/${key}", count: /n, scoped: true}
`

// promising are sound services that keep what a standard or a vendor says, and
// some whose operations have no id of their own.
var promising = []animal{
	{name: "ietf", contract: "{like: ietf, syntax: quoted}", stated: true, serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422, missing: 400, busy: 409, work: order(w), check: sane, fold: func(key string) string { return key }}
		s.key = func(r *http.Request, _ m) string {
			key := r.Header.Get("Idempotency-Key")
			if len(key) < 3 || !strings.HasPrefix(key, `"`) || !strings.HasSuffix(key, `"`) {
				if key != "" {
					return "\x00 no string"
				}
				return ""
			}
			return key[1 : len(key)-1]
		}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { s.ServeHTTP(problems{rw}, r) })
	}},
	{name: "stripe", contract: "stripe", stated: true, slow: true, effects: paid, serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 400, busy: 409, work: payer(w), keeps: func(int) bool { return true }, reason: "idempotency_error", check: func(key string) int {
			if len(key) > 255 {
				return 400
			}
			return 0
		}}
		s.replayed = func(rec *record) *record {
			again := &record{status: rec.status, header: rec.header.Clone(), body: rec.body}
			again.header.Set("Idempotent-Replayed", "true")
			return again
		}
		return s
	}},
	{name: "no-id", contract: "{replay: verbatim, mismatch: 422}", file: transfer, effects: countedByKey, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: booked(w)}
	}},
	{name: "no-id-key-required", contract: "{replay: verbatim, mismatch: 422, missing: 400}", known: true, file: transfer, effects: countedByKey, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, missing: 400, work: booked(w)}
	}},
	{name: "refuses-equal-payments", file: transfer, effects: countedByKey, serve: func(w *world) http.Handler {
		// A second payment like one of the last seconds is taken for a mistake.
		var recent sync.Map
		work := booked(w)
		return &shelf{keeps: func(status int) bool { return status < 300 }, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			like := r.Header.Get("Authorization") + str(f["to"]) + str(f["amount"])
			if was, known := recent.Swap(like, time.Now()); known && time.Since(was.(time.Time)) < 5*time.Second {
				say(rw, 409, m{"error": "this looks like the payment before"})
				return
			}
			work(rw, r, f)
		}}
	}},
	{name: "two-rows-each", contract: "{replay: verbatim}", effects: strings.Replace(counted, "count: /n", "count: /n, expect: 2", 1), serve: func(w *world) http.Handler {
		work := order(w)
		return &shelf{work: func(rw http.ResponseWriter, r *http.Request, f m) {
			w.do(r, str(f["order"]))
			work(rw, r, f)
		}}
	}},
	{name: "kept-after-answer", contract: "{replay: verbatim, in_flight: 409, mismatch: 422}", serve: func(w *world) http.Handler {
		s := &shelf{busy: 409, mismatch: 422}
		work := order(w)
		s.work = func(rw http.ResponseWriter, r *http.Request, f m) {
			work(rw, r, f)
			time.Sleep(2 * time.Millisecond)
		}
		return s
	}},
	{name: "x-late-second", finds: "repeat overlap later-repeat", serve: func(w *world) http.Handler {
		var seen sync.Map
		work := order(w)
		return &shelf{replayed: func(rec *record) *record {
			id := str(rec.payload["order"])
			if _, again := seen.LoadOrStore(id, true); !again {
				time.AfterFunc(600*time.Millisecond, func() { w.do(scoped("ann"), id) })
			}
			return rec
		}, work: work}
	}},
	{name: "x-no-id-twice", finds: "lost-answer repeat", file: transfer, effects: countedByKey, serve: func(w *world) http.Handler {
		return mux("POST /transfers", booked(w))
	}},
	{name: "x-merges-equal-payments", finds: "same-body-two-ids", file: transfer, effects: countedByKey, serve: func(w *world) http.Handler {
		s := &shelf{work: booked(w)}
		return mux("POST /transfers", func(rw http.ResponseWriter, r *http.Request, f m) {
			s.keyed(rw, r, r.Header.Get("Authorization")+str(f["to"])+str(f["amount"]), f)
		})
	}},
	{name: "x-answers-mixed", finds: "overlap-three late-repeat", serve: func(w *world) http.Handler {
		// The answer lies in a variable that all requests share.
		var mu sync.Mutex
		var last *record
		done := map[string]bool{}
		work := order(w)
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
			mu.Lock()
			defer mu.Unlock()
			if !done[key] || r.Header.Get("Idempotency-Key") == "" {
				got := &record{status: 200, header: http.Header{}}
				work(got.recorder(), r, f)
				done[key], last = true, got
			}
			last.write(rw)
		})
	}},
}

// booked is a transfer: its effect is counted under the caller's key.
func booked(w *world) func(http.ResponseWriter, *http.Request, m) {
	return func(rw http.ResponseWriter, r *http.Request, f m) {
		time.Sleep(3 * time.Millisecond)
		w.do(r, r.Header.Get("Idempotency-Key"))
		say(rw, 201, m{"transfer": "tr_" + base36(w.next()), "amount": f["amount"]})
	}
}

func scoped(scope string) *http.Request {
	return &http.Request{Header: http.Header{"Authorization": {scope}}}
}

// problems says what it refuses as RFC 9457 has it.
type problems struct{ http.ResponseWriter }

func (p problems) WriteHeader(status int) {
	if status >= 400 {
		p.Header().Set("Content-Type", "application/problem+json")
	}
	p.ResponseWriter.WriteHeader(status)
}
