package main

import (
	"net/http"
	"sync"
	"time"
)

// workers are sound services that call a provider.
var workers = []animal{
	{name: "pays", effects: paid, contract: "{replay: verbatim, mismatch: 422, stored: 2xx, in_flight: wait}", serve: func(w *world) http.Handler {
		// The key of the provider is new after a definite refusal, and else the same.
		refusals := &counter{}
		return &shelf{mismatch: 422, keeps: func(status int) bool { return status < 300 }, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			id := str(f["order"])
			intent := r.Header.Get("Authorization") + id + r.Header.Get("Idempotency-Key")
			if intent == r.Header.Get("Authorization")+id {
				intent += base36(w.next())
			}
			switch status := w.charge(id, intent+base36(refusals.of(intent))); {
			case status == 402:
				refusals.add(intent)
				say(rw, 402, m{"error": "declined"})
			case status < 200 || status > 299:
				say(rw, 502, m{"error": "try again"})
			default:
				w.do(r, id)
				say(rw, 201, m{"id": "ch_" + base36(w.next())})
			}
		}}
	}},
	{name: "keeps-refusals", effects: paid, contract: "{replay: verbatim, mismatch: 422, stored: [2xx, 4xx], in_flight: 409, replay_5xx: execute}", serve: func(w *world) http.Handler {
		return &shelf{busy: 409, mismatch: 422, work: payer(w)}
	}},
	{name: "keeps-failures", effects: books, contract: "{replay: verbatim, mismatch: 422, stored: all, replay_5xx: same}", slow: true, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, keeps: func(int) bool { return true }, work: payer(w)}
	}},
	{name: "leases-300ms", effects: paid, contract: "{replay: verbatim, claim: 300ms, in_flight: 409, mismatch: 422}", serve: func(w *world) http.Handler {
		return &leases{w: w, lease: 300 * time.Millisecond, of: map[string]*leased{}}
	}},
	{name: "outbox", effects: paid, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			id, key := str(f["order"]), base36(w.next())
			say(rw, 202, m{"id": "job-" + key})
			go func() {
				for {
					switch status := w.charge(id, key); {
					case status >= 200 && status < 300:
						w.do(r, id)
						return
					case status == 402:
						key = base36(w.next()) // another card is asked for
					}
					time.Sleep(50 * time.Millisecond)
				}
			}()
		}}
	}},
}

const books = `effects:
  card:
    provider: {listen: "127.0.0.1:0", effect: POST /charges, id: body /order}
`

// payer charges under a key made of the caller's.
func payer(w *world) func(http.ResponseWriter, *http.Request, m) {
	return func(rw http.ResponseWriter, r *http.Request, f m) {
		id, key := str(f["order"]), r.Header.Get("Idempotency-Key")
		if key == "" {
			key = base36(w.next())
		}
		switch status := w.charge(id, r.Header.Get("Authorization")+key); {
		case status == 402:
			say(rw, 402, m{"error": "declined"})
		case status < 200 || status > 299:
			say(rw, 502, m{"error": "try again"})
		default:
			w.do(r, id)
			say(rw, 201, m{"id": "ch_" + base36(w.next()), "state": "paid"})
		}
	}
}

type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) add(of string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[of]++
}

func (c *counter) of(of string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[of]
}

// leases lets another attempt take over a key whose holder has not come to an
// end in time; a token keeps the late one from writing.
type leases struct {
	w     *world
	lease time.Duration

	careless bool // it charges under a key of each attempt, and looks at no token

	mu sync.Mutex
	of map[string]*leased
}

type leased struct {
	order, amount string
	until         time.Time
	token         int
	done          m
}

func (l *leases) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	_, f, whole := read(r)
	if !whole {
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		key = base36(l.w.next())
	}
	key = r.Header.Get("Authorization") + " " + key
	token, status, answer := l.take(key, str(f["order"]), str(f))
	if status != 0 {
		say(rw, status, answer)
		return
	}
	outside := key
	if l.careless {
		outside += base36(l.w.next())
	}
	switch status := l.w.charge(str(f["order"]), outside); {
	case status == 402:
		l.end(key, token, nil)
		say(rw, 402, m{"error": "declined"})
	case status < 200 || status > 299:
		l.end(key, token, nil)
		say(rw, 503, m{"error": "try again"})
	default:
		answer = m{"id": "ch_" + base36(l.w.next())}
		if !l.end(key, token, answer) {
			say(rw, 409, m{"error": "another attempt took over"})
			return
		}
		l.w.do(r, str(f["order"]))
		say(rw, 201, answer)
	}
}

func (l *leases) take(key, order, payload string) (token, status int, answer m) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.of[key]
	switch {
	case x == nil:
		x = &leased{order: order, amount: payload}
		l.of[key] = x
	case x.amount != payload:
		return 0, 422, m{"error": "the key was used for something else"}
	case x.done != nil:
		return 0, 201, x.done
	case time.Now().Before(x.until):
		return 0, 409, m{"error": "in progress"}
	}
	x.until, x.token = time.Now().Add(l.lease), x.token+1
	return x.token, 0, nil
}

// end frees the key or keeps its answer, unless it was taken over.
func (l *leases) end(key string, token int, answer m) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.of[key]
	if !l.careless && (x.token != token || x.done != nil) {
		return false
	}
	x.done, x.until = answer, time.Time{}
	return true
}
