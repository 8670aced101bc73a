package main

import (
	"crypto/sha256"
	"net/http"
	"regexp"
	"strings"
	"time"
)

var isUUID = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

const keyInBody = `operations:
  order:
    send: POST /orders
    key: body /request/key
    body: {order: "${id}", request: {kind: new}, amount: "${int 100 999}"}
`

// keyPolicies are sound services that differ in what they do with keys.
var keyPolicies = []animal{
	{name: "key-in-body", contract: "{replay: verbatim, mismatch: 409, missing: 400}", file: keyInBody, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 409, missing: 400, work: order(w), key: func(_ *http.Request, f m) string {
			request, _ := f["request"].(m)
			return str(request["key"])
		}}
	}},
	{name: "key-in-body-trimmed", known: true, contract: "{replay: verbatim, mismatch: 422, missing: 422}", unsure: "look-alike-keys/order/how=blank", file: keyInBody, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, missing: 422, work: order(w), check: sane, key: func(_ *http.Request, f m) string {
			request, _ := f["request"].(m)
			key, _ := request["key"].(string)
			return strings.TrimSpace(key)
		}}
	}},
	{name: "key-in-query", known: true, contract: "{replay: verbatim, mismatch: 422}", file: `operations:
  order:
    send: POST /orders
    key: query token
    body: {order: "${id}", amount: "${int 100 999}"}
`, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w), key: func(r *http.Request, _ m) string { return r.URL.Query().Get("token") }}
	}},
	{name: "two-carriers", known: true, contract: "{replay: verbatim, mismatch: 422}", file: `operations:
  order:
    send: POST /orders
    key: [header X-Request-Id, body /ref]
    body: {order: "${id}", amount: "${int 100 999}"}
`, serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, work: order(w), key: func(r *http.Request, f m) string {
			if key := r.Header.Get("X-Request-Id"); key != "" {
				return key
			}
			return str(f["ref"])
		}}
	}},
	{name: "payload-is-key", contract: "{replay: verbatim}", file: `operations:
  order:
    send: POST /orders
    key: derived
    body: {order: "${id}", amount: "${int 100 999}"}
`, serve: func(w *world) http.Handler {
		s := &shelf{work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			raw, fields, whole := read(r)
			if !whole {
				return
			}
			sum := sha256.Sum256(raw)
			s.keyed(rw, r, r.Header.Get("Authorization")+string(sum[:]), fields)
		})
	}},
	{name: "busy-409", contract: "{replay: verbatim, in_flight: 409, signals: Retry-After, mismatch: 422, errors: error}", serve: func(w *world) http.Handler {
		return &shelf{busy: 409, after: "0", mismatch: 422, work: order(w)}
	}},
	{name: "busy-425", known: true, contract: "{replay: verbatim, in_flight: 425, mismatch: 422}", serve: func(w *world) http.Handler {
		return &shelf{busy: 425, mismatch: 422, work: order(w)}
	}},
	{name: "busy-429", known: true, contract: "{replay: verbatim, in_flight: 429, mismatch: 422}", serve: func(w *world) http.Handler {
		return &shelf{busy: 429, after: "0", mismatch: 422, work: order(w)}
	}},
	{name: "uuid-only", contract: "{syntax: [uuid, 400], replay: verbatim, missing: 400, mismatch: 422, errors: error}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, missing: 400, fold: strings.ToLower, work: order(w), check: func(key string) int {
			if !isUUID.MatchString(key) {
				return 400
			}
			return 0
		}}
	}},
	{name: "uuid-column", contract: "{replay: current, missing: run}", serve: func(w *world) http.Handler {
		return &shelf{fold: strings.ToLower, work: order(w), check: func(key string) int {
			if !isUUID.MatchString(key) {
				return 422
			}
			return 0
		}}
	}},
	{name: "refuses-odd-keys", known: true, contract: "{syntax: [max=64, 400], replay: verbatim, missing: run, mismatch: 409}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 409, work: order(w), check: sane}
	}},
	{name: "key-required", known: true, contract: "{replay: verbatim, missing: 428, mismatch: 422}", serve: func(w *world) http.Handler {
		return &shelf{mismatch: 422, missing: 428, work: order(w)}
	}},
	{name: "compares-nothing", contract: "{replay: verbatim, mismatch: replay, fingerprint: key}", serve: func(w *world) http.Handler {
		return &shelf{work: order(w)}
	}},
	{name: "compares-bytes", known: true, contract: "{replay: verbatim, mismatch: 422, fingerprint: raw}", serve: func(w *world) http.Handler {
		s := &shelf{mismatch: 422, work: order(w)}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			raw, fields, whole := read(r)
			if !whole {
				return
			}
			fields["\x00raw"] = string(raw)
			s.keyed(rw, r, r.Header.Get("Authorization")+s.keyOf(r, fields)+map[bool]string{true: base36(w.next())}[s.keyOf(r, fields) == ""], fields)
		})
	}},
	{name: "forgets-after-1s", stated: true, contract: "{life: 1s, after_life: new, replay: verbatim}", serve: func(w *world) http.Handler {
		return &shelf{life: time.Second, work: order(w)}
	}},
	{name: "expires-after-1s", stated: true, contract: "{life: 1s, after_life: 410, replay: verbatim}", serve: func(w *world) http.Handler {
		return &shelf{life: time.Second, expired: 410, work: order(w)}
	}},
	{name: "keeps-longer", stated: true, contract: "{life: 1s, replay: verbatim}", serve: func(w *world) http.Handler {
		return &shelf{life: 3 * time.Second, work: order(w)}
	}},
	{name: "refuses-edges", contract: "{replay: verbatim, mismatch: 409}", serve: func(w *world) http.Handler {
		return picky(w, 422)
	}},
	{name: "refuses-edges-first", known: true, contract: "{replay: verbatim, mismatch: 409}", serve: func(w *world) http.Handler {
		inner := picky(w, 400)
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 10_000 {
				say(rw, 413, m{"error": "too large"})
				return
			}
			inner.ServeHTTP(rw, r)
		})
	}},
	{name: "graphql", known: true, contract: "{replay: verbatim, errors: graphql}", file: `operations:
  order:
    send: POST /graphql
    key: graphql
    body:
      query: 'mutation($in: OrderInput!) { place(input: $in) @idempotent(key: "${key}") { id } }'
      variables: {in: {order: "${id}", amount: "${int 100 999}"}}
`, serve: func(w *world) http.Handler {
		directive := regexp.MustCompile(`@idempotent\(key: "([^"]*)"\)`)
		return &shelf{key: func(_ *http.Request, f m) string {
			if key := directive.FindStringSubmatch(str(f["query"])); key != nil {
				return key[1]
			}
			return ""
		}, work: func(rw http.ResponseWriter, r *http.Request, f m) {
			time.Sleep(3 * time.Millisecond)
			in := f["variables"].(m)["in"].(m)
			w.do(r, str(in["order"]))
			say(rw, 200, m{"data": m{"place": m{"id": "gid://shop/Order/" + base36(w.next())}}})
		}}
	}},
}

// sane refuses keys that are long or not of printable ASCII.
func sane(key string) int {
	if len(key) > 64 || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' || r == '"' || r == ',' }) {
		return 400
	}
	return 0
}

// picky refuses what it can not do, and keeps no refusal.
func picky(w *world, status int) http.Handler {
	work := order(w)
	return &shelf{mismatch: 409, keeps: func(status int) bool { return status < 300 }, work: func(rw http.ResponseWriter, r *http.Request, f m) {
		switch amount, note := str(f["amount"]), str(f["note"]); {
		case amount == "0", len(amount) > 9, note == "", len(note) > 500:
			say(rw, status, m{"error": "out of bounds"})
		default:
			work(rw, r, f)
		}
	}}
}
