package main

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const find = `    find: GET /orders?order=${id}
`

const twoEnds = ordinary + `  refund:
    send: POST /refunds
    body: {order: "${id}", amount: "${int 1 99}"}
  amend:
    send: PUT /orders
    body: {order: "${id}", amount: "${int 1 99}", note: amended}
`

const countedEach = `effects:
  done: {of: [order, refund, amend], http: "GET WORLD/${id}", count: /n, scoped: true}
`

const document = `operations:
  create:
    send: POST /docs
    key: none
    body: {name: "${id}"}
    take: {doc: /id, etag: header ETag}
`

const states = `effects:
  state: {http: "GET WORLD/${id}", count: /n, version: /version, scoped: true}
`

const event = `operations:
  event:
    send: POST /hooks
    key: body /event
    body: {entity: "${id}", version: "${version}", state: active}
    versions: [{state: active}, {state: paused}, {state: gone}]
`

// designs are sound services without a table of answers by key, or with more than that.
var designs = []animal{
	{name: "put-by-id", contract: "{replay: current}", file: `operations:
  order:
    send: PUT /orders/${id}
    key: none
    body: {amount: "${int 100 999}", note: hello}
`, serve: func(w *world) http.Handler {
		return mux("PUT /orders/{id}", func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(3 * time.Millisecond)
			w.set(r, r.PathValue("id"), "")
			say(rw, 200, m{"order": r.PathValue("id"), "amount": f["amount"]})
		})
	}},
	{name: "patch-merge", file: `operations:
  profile:
    send: PATCH /profiles/${id}
    key: none
    headers: {Content-Type: application/merge-patch+json}
    body: {name: Jane, limit: 5}
`, serve: func(w *world) http.Handler {
		return mux("PATCH /profiles/{id}", func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(3 * time.Millisecond)
			w.set(r, r.PathValue("id"), "")
			rw.WriteHeader(204)
		})
	}},
	{name: "delete-then-404", file: document + `  remove:
    send: DELETE /docs/${doc}
    key: none
    headers: {X-Trace: "${id}"}
    before: [create]
`, serve: func(w *world) http.Handler { return (&docs{w: w, gone: 404}).mux() }},
	{name: "delete-always-204", known: true, contract: "{replay: verbatim}", file: document + `  remove:
    send: DELETE /docs/${doc}
    key: none
    headers: {X-Trace: "${id}"}
    before: [create]
`, serve: func(w *world) http.Handler { return (&docs{w: w, gone: 204}).mux() }},
	{name: "put-if-match", contract: "{replay: none}", file: document + `  change:
    send: PUT /docs/${doc}
    key: none
    headers: {If-Match: "${etag}", X-Trace: "${id}"}
    body: {text: new, size: 3}
    before: [create]
`, serve: func(w *world) http.Handler { return (&docs{w: w, gone: 404}).mux() }},
	{name: "webhook-200", contract: "{replay: accepted}", file: `operations:
  event:
    send: POST /hooks
    key: body /event_id
    body: {type: paid, data: {order: "${id}", amount: "${int 100 999}"}}
    per_attempt: {body: {/sent_at: "${now}"}}
`, serve: func(w *world) http.Handler {
		var once sync.Map
		return mux("POST /hooks", func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(2 * time.Millisecond)
			key := r.Header.Get("Authorization") + str(f["event_id"])
			if _, seen := once.LoadOrStore(key, true); !seen || str(f["event_id"]) == "" {
				w.do(r, str(f["data"].(m)["order"]))
			}
			say(rw, 200, m{"received": true})
		})
	}},
	{name: "old-versions-ignored", effects: states, contract: "{replay: accepted}", file: event, serve: func(w *world) http.Handler {
		return (&entities{w: w, old: 200}).mux()
	}},
	{name: "old-versions-409", known: true, effects: states, contract: "{replay: [accepted, conflict]}", file: event, serve: func(w *world) http.Handler {
		return (&entities{w: w, old: 409}).mux()
	}},
	{name: "old-versions-204", effects: states, file: event, serve: func(w *world) http.Handler {
		return (&entities{w: w, old: 204}).mux()
	}},
	{name: "later-202", known: true, contract: "{replay: verbatim, mismatch: 409}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 409, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			time.AfterFunc(100*time.Millisecond, func() { w.do(r, str(f["order"])) })
			say(rw, 202, m{"job": "j-" + base36(w.next())})
		}}
	}},
	{name: "batches", slow: true, contract: "{replay: verbatim, mismatch: 409}", serve: func(w *world) http.Handler {
		b := &batch{w: w}
		return &shelf{mismatch: 409, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(2 * time.Millisecond)
			b.add(r, str(f["order"]))
			say(rw, 201, m{"id": "or_" + base36(w.next())})
		}}
	}},
	{name: "order-is-unique", contract: "{replay: verbatim}", effects: unique, serve: func(w *world) http.Handler {
		return &shelf{keeps: func(status int) bool { return status < 300 }, work: uniqueOrder(w, 409)}
	}},
	{name: "order-is-unique-replays", known: true, contract: "{replay: verbatim, mismatch: replay}", effects: unique, serve: func(w *world) http.Handler {
		return &shelf{key: func(_ *http.Request, f m) string { return str(f["order"]) }, work: order(w)}
	}},
	{name: "one-thread", known: true, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		var mu sync.Mutex
		s := &shelf{mismatch: 422, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			s.ServeHTTP(rw, r)
		})
	}},
	{name: "slow-200ms", slow: true, contract: "{replay: verbatim, mismatch: 422}", serve: func(w *world) http.Handler {
		work := order(w)
		return &shelf{mismatch: 422, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(200 * time.Millisecond)
			work(rw, r, f)
		}}
	}},
	{name: "two-replicas", replicas: 2, contract: "{replay: verbatim, mismatch: 422}", file: ordinary + find, serve: func(w *world) http.Handler {
		return findable(w, &shelf{mismatch: 422, work: order(w)})
	}},
	{name: "two-entries", contract: "{replay: verbatim}", effects: unique, file: ordinary + `  order_event:
    send: POST /events
    entry_of: order
    key: none
    body: {type: order, order: "${id}", amount: "${body.amount}"}
`, serve: func(w *world) http.Handler {
		s := &shelf{key: func(_ *http.Request, f m) string { return str(f["order"]) }, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			r.URL.Path, r.Method = "/", "POST"
			s.ServeHTTP(rw, r)
		})
	}},
	{name: "two-endpoints", known: true, contract: "{replay: verbatim, mismatch: 422}", file: twoEnds, effects: countedEach, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w)}
	}},
	{name: "two-endpoints-one-space", slow: true, contract: "{replay: verbatim, mismatch: 422, scope: key}", file: twoEnds, effects: countedEach, serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			_, fields, whole := read(r)
			if !whole {
				return
			}
			key := r.Header.Get("Idempotency-Key")
			if key == "" {
				key = "none " + base36(w.next())
			}
			fields["\x00for"] = r.Method + r.URL.Path + r.Header.Get("Authorization")
			s.keyed(rw, r, key, fields)
		})
	}},
	{name: "rate-limited", contract: "{replay: verbatim, mismatch: 422}", slow: true, serve: func(w *world) http.Handler {
		l := &limiter{most: 20}
		s := &shelf{mismatch: 422, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if !l.allow() {
				rw.Header().Set("Retry-After", "1")
				say(rw, 429, m{"error": "slow down"})
				return
			}
			s.ServeHTTP(rw, r)
		})
	}},
	{name: "envelopes", contract: "{replay: verbatim, mismatch: 422, fingerprint: fields}", file: `operations:
  order:
    send: POST /orders
    body: {meta: {via: app}, order: "${id}", amount: "${int 100 999}"}
    per_attempt: {headers: {X-Nonce: "${now}"}, body: {/meta/sent: "${now}"}}
`, serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422, work: order(w)}
		return mux("POST /orders", func(rw http.ResponseWriter, r *http.Request, f m) {
			delete(f, "meta")
			if r.Header.Get("Idempotency-Key") == "" {
				s.work(rw, r, f)
				return
			}
			s.keyed(rw, r, r.Header.Get("Authorization")+r.Header.Get("Idempotency-Key"), f)
		})
	}},
}

const unique = `effects:
  done: {http: "GET WORLD/${id}", count: /n, scoped: true, unique: id}
`

// mux serves one route with what was sent.
func mux(pattern string, serve func(http.ResponseWriter, *http.Request, m)) http.Handler {
	x := http.NewServeMux()
	x.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
		if _, fields, whole := read(r); whole {
			serve(rw, r, fields)
		}
	})
	return x
}

// uniqueOrder refuses an order that is there under another key.
func uniqueOrder(w *world, status int) func(http.ResponseWriter, *http.Request, m) {
	var orders sync.Map
	work := order(w)
	return func(rw http.ResponseWriter, r *http.Request, f m) {
		if _, there := orders.LoadOrStore(r.Header.Get("Authorization")+str(f["order"]), true); there {
			say(rw, status, m{"error": "that order is there"})
			return
		}
		work(rw, r, f)
	}
}

// findable answers whether an order was done.
func findable(w *world, h http.Handler) http.Handler {
	x := http.NewServeMux()
	x.Handle("/", h)
	x.HandleFunc("GET /orders", func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		n := w.effects[r.Header.Get("Authorization")+"/"+r.FormValue("order")]
		w.mu.Unlock()
		say(rw, 200, make([]m, n))
	})
	return x
}

// docs are documents with entity tags.
type docs struct {
	w    *world
	gone int

	mu   sync.Mutex
	name map[string]string
	tag  map[string]int
}

func (d *docs) mux() http.Handler {
	d.name, d.tag = map[string]string{}, map[string]int{}
	x := http.NewServeMux()
	x.Handle("POST /docs", mux("/", func(rw http.ResponseWriter, r *http.Request, f m) {
		d.mu.Lock()
		defer d.mu.Unlock()
		id := base36(d.w.next())
		d.name[id] = str(f["name"])
		rw.Header().Set("ETag", `"0"`)
		say(rw, 201, m{"id": id})
	}))
	x.HandleFunc("DELETE /docs/{id}", func(rw http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		_, there := d.name[r.PathValue("id")]
		if !there {
			rw.WriteHeader(d.gone)
			return
		}
		delete(d.name, r.PathValue("id"))
		d.w.do(r, r.Header.Get("X-Trace"))
		rw.WriteHeader(204)
	})
	x.Handle("PUT /docs/{id}", mux("/docs/{id}", func(rw http.ResponseWriter, r *http.Request, f m) {
		d.mu.Lock()
		defer d.mu.Unlock()
		id := r.PathValue("id")
		if was := fmt.Sprintf("%q", strconv.Itoa(d.tag[id])); r.Header.Get("If-Match") != was {
			rw.WriteHeader(412)
			return
		}
		d.tag[id]++
		d.w.do(r, r.Header.Get("X-Trace"))
		rw.Header().Set("ETag", fmt.Sprintf("%q", strconv.Itoa(d.tag[id])))
		rw.WriteHeader(204)
	}))
	return x
}

// entities keep the newest version of each, and answer older ones with old.
type entities struct {
	w   *world
	old int

	mu     sync.Mutex
	newest map[string]int
}

func (e *entities) mux() http.Handler {
	e.newest = map[string]int{}
	return mux("POST /hooks", func(rw http.ResponseWriter, r *http.Request, f m) {
		e.mu.Lock()
		defer e.mu.Unlock()
		version, err := strconv.Atoi(str(f["version"]))
		if err != nil {
			say(rw, 400, m{"error": "no version"})
			return
		}
		at := r.Header.Get("Authorization") + str(f["entity"])
		switch newest := e.newest[at]; {
		case version < newest && e.old == 204:
			rw.WriteHeader(204)
		case version < newest:
			say(rw, e.old, m{"entity": f["entity"], "newest": newest})
		default:
			e.newest[at] = version
			e.w.set(r, str(f["entity"]), str(f["state"]))
			say(rw, 200, m{"entity": f["entity"], "newest": version})
		}
	})
}

// batch makes effects every 80 ms.
type batch struct {
	w  *world
	mu sync.Mutex
	of []func()
}

func (b *batch) add(r *http.Request, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of = append(b.of, func() { b.w.do(r, id) }); len(b.of) > 1 {
		return
	}
	time.AfterFunc(80*time.Millisecond, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, do := range b.of {
			do()
		}
		b.of = nil
	})
}

// limiter allows so many requests in a second.
type limiter struct {
	most int

	mu     sync.Mutex
	second int64
	n      int
}

func (l *limiter) allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now().Unix(); now != l.second {
		l.second, l.n = now, 0
	}
	l.n++
	return l.n <= l.most
}
