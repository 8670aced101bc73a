package main

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/scenarios"
)

// pair is a broken service and its sound twin: they promise the same, and
// differ in one decision.
type pair struct {
	contract, file, effects string // as of an animal
	broken, sound           func(w *world) http.Handler
}

func (p pair) visit(serve func(*world) http.Handler, plan scenarios.Plan) (checkers.Report, error) {
	contract := cmp.Or(p.contract, "{replay: verbatim, mismatch: 422}")
	return animal{name: plan.Name, serve: serve, file: p.file, effects: p.effects, only: []scenarios.Plan{plan}}.visit(contract)
}

// kept is a sound shelf of orders.
func kept(w *world) http.Handler { return &shelf{mismatch: 422, work: order(w)} }

var twins = map[string]pair{
	// What comes when the buffer is full is acknowledged and dropped.
	"full buffer": {sound: kept, broken: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			n := w.next()
			if n <= 4102 { // two fit
				w.do(r, str(f["order"]))
			}
			say(rw, 201, m{"id": base36(n), "order": f["order"]})
		}}
	}},
	"20 keys kept":  {sound: kept, broken: func(w *world) http.Handler { return &forgetful{shelf: shelf{mismatch: 422, work: order(w)}, most: 20} }},
	"150 keys kept": {sound: kept, broken: func(w *world) http.Handler { return &forgetful{shelf: shelf{mismatch: 422, work: order(w)}, most: 150} }},
	// An order that is sent later than it was made is taken for one that came before.
	"later sending is a repeat": {sound: kept, file: `operations:
  order:
    send: POST /orders
    body: {order: "${id}", amount: "${int 100 999}", made: "${now}"}
    per_attempt: {headers: {X-Sent-At: "${now}"}}
`, broken: func(w *world) http.Handler {
		inner := kept(w).(*shelf)
		work := inner.work
		inner.work = func(rw http.ResponseWriter, r *http.Request, f m) {
			made, _ := time.Parse(time.RFC3339, str(f["made"]))
			if sent, _ := time.Parse(time.RFC3339, r.Header.Get("X-Sent-At")); sent.Sub(made) > 30*time.Millisecond {
				say(rw, 200, m{"order": f["order"], "status": "known"})
				return
			}
			work(rw, r, f)
		}
		return inner
	}},
	// The answer is made in a variable that all requests share.
	"one answer for all": {sound: kept, broken: func(w *world) http.Handler {
		var mu sync.Mutex
		var last m
		return &shelf{mismatch: 422, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			mu.Lock()
			last = m{"id": base36(w.next()), "order": f["order"]}
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			w.do(r, str(f["order"]))
			mu.Lock()
			defer mu.Unlock()
			say(rw, 201, last)
		}}
	}},
	// The lock remembers one who waits: a third finds no place, and goes on without.
	"third is let in": {sound: takingTime, broken: func(w *world) http.Handler {
		inner := takingTime(w).(*shelf)
		var mu sync.Mutex
		inside := map[string]int{}
		enter := func(key string, by int) int {
			mu.Lock()
			defer mu.Unlock()
			inside[key] += by
			return inside[key]
		}
		return withBody(func(rw http.ResponseWriter, r *http.Request, f m) {
			key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
			defer enter(key, -1)
			if enter(key, 1) == 3 {
				inner.work(rw, r, f)
				return
			}
			inner.keyed(rw, r, key, f)
		})
	}},
	"keys folded in case": {contract: "{replay: verbatim}", sound: kept, broken: func(w *world) http.Handler {
		return &shelf{fold: strings.ToLower, work: order(w)}
	}},
	// Of the payload only the amount is looked at.
	"amount alone compared": {sound: kept, broken: func(w *world) http.Handler {
		inner := kept(w).(*shelf)
		return withBody(func(rw http.ResponseWriter, r *http.Request, f m) {
			delete(f, "note")
			inner.keyed(rw, r, r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key"), f)
		})
	}},
	// Key and payload together say which request it is, so a key protects nothing that is changed.
	"payload is part of the key": {effects: paid, sound: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: buying(w)}
	}, broken: func(w *world) http.Handler {
		inner := &shelf{work: buying(w)}
		return withBody(func(rw http.ResponseWriter, r *http.Request, f m) {
			inner.keyed(rw, r, r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key")+str(f["amount"]), f)
		})
	}},
	// What a key was used for is kept in another place than the answer, and longer.
	"payload outlives the key": {contract: "{life: 1s, after_life: new, replay: verbatim, mismatch: 422}", sound: func(w *world) http.Handler {
		return &shelf{mismatch: 422, life: time.Second, work: order(w)}
	}, broken: func(w *world) http.Handler {
		inner := &shelf{life: time.Second, work: order(w)}
		var mu sync.Mutex
		used := map[string]m{}
		return withBody(func(rw http.ResponseWriter, r *http.Request, f m) {
			key := r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
			mu.Lock()
			if used[key] == nil {
				used[key] = f
			}
			same := reflect.DeepEqual(used[key], f)
			mu.Unlock()
			if !same {
				say(rw, 422, m{"error": "the key was used for something else"})
				return
			}
			inner.keyed(rw, r, key, f)
		})
	}},
	"no key is a crash": {contract: "{missing: 400, replay: verbatim}", sound: demanding, broken: func(w *world) http.Handler {
		return &shelf{missing: 500, work: order(w)}
	}},
	"no key is no matter": {contract: "{missing: 400, replay: verbatim}", sound: demanding, broken: func(w *world) http.Handler {
		return &shelf{work: order(w)}
	}},
	// Only the key protects; the page makes a new one for each click.
	"two keys, two orders": {effects: `effects:
  done: {http: "GET WORLD/${id}", count: /n, scoped: true, unique: id, say: "Order ${id} was done"}
`, broken: kept, sound: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w), key: func(_ *http.Request, f m) string { return str(f["order"]) }}
	}},
	"key without method": {file: `operations:
  order:
    send: POST /orders
    body: {order: "${id}", amount: "${int 100 999}"}
  change:
    send: PUT /orders
    body: {order: "${id}", amount: "${int 100 999}"}
`, effects: `effects:
  done: {of: [order], http: "GET WORLD/${id}", count: /n, scoped: true}
  changed: {of: [change], http: "GET WORLD/${id}", count: /n, scoped: true}
`, sound: kept, broken: func(w *world) http.Handler {
		inner := &shelf{work: order(w)}
		return withBody(func(rw http.ResponseWriter, r *http.Request, f m) {
			inner.keyed(rw, r, r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key"), f)
		})
	}},
	// Who asks for an order is asked nothing of who he is, and is shown nothing.
	"asks another tenant": {file: `operations:
  order:
    send: POST /orders
    find: GET /orders?of=${id}
    body: {order: "${id}", amount: "${int 100 999}"}
`, sound: func(w *world) http.Handler {
		return finding(w, func(r *http.Request) string { return r.Header.Get("Authorization") })
	}, broken: func(w *world) http.Handler {
		return finding(w, func(*http.Request) string { return "" })
	}},
}

// takingTime is a shelf whose work takes long enough to be met at it.
func takingTime(w *world) http.Handler {
	work := order(w)
	return &shelf{mismatch: 422, work: func(rw http.ResponseWriter, r *http.Request, f m) {
		time.Sleep(100 * time.Millisecond)
		work(rw, r, f)
	}}
}

func demanding(w *world) http.Handler { return &shelf{missing: 400, work: order(w)} }

// buying calls the provider under the key of the request and its amount.
func buying(w *world) func(http.ResponseWriter, *http.Request, m) {
	work := order(w)
	return func(rw http.ResponseWriter, r *http.Request, f m) {
		if s := w.charge(str(f["order"]), r.Header.Get("Idempotency-Key")+str(f["amount"])); s < 200 || s > 299 {
			say(rw, 502, m{"error": "the provider is down"})
			return
		}
		work(rw, r, f)
	}
}

// finding is a shelf of orders that also answers whether one is there, of the
// tenant that who finds in the question.
func finding(w *world, who func(*http.Request) string) http.Handler {
	inner := kept(w)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" {
			inner.ServeHTTP(rw, r)
			return
		}
		w.mu.Lock()
		n := w.effects[who(r)+"/"+r.URL.Query().Get("of")]
		w.mu.Unlock()
		say(rw, 200, slices.Repeat([]m{{"status": "placed"}}, n))
	})
}

// withBody serves what has a whole body.
func withBody(serve func(rw http.ResponseWriter, r *http.Request, f m)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if _, f, whole := read(r); whole {
			serve(rw, r, f)
		}
	})
}
