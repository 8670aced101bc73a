package traffic

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// bench feeds pairs to a learner.
type bench struct {
	*Learner
	n int
}

func newBench(o Options) *bench {
	o.Target, o.KeyTable = "http://127.0.0.1:9001", 100
	return &bench{Learner: New(o)}
}

// answer is written "201 Location: /charges/ch_1|X: y {json}".
func answer(text string) Answer {
	head, body, _ := strings.Cut(text, " {")
	if body != "" {
		body = "{" + body
	}
	status, fields, _ := strings.Cut(head, " ")
	a := Answer{Header: http.Header{}, Trailer: http.Header{}, Body: []byte(body), Took: 3 * time.Millisecond}
	if body != "" {
		a.Header.Set("Content-Type", "application/json")
	}
	if _, err := fmt.Sscan(status, &a.Status); err != nil {
		a.Err = status
	}
	for field := range strings.SplitSeq(fields, "|") {
		if name, value, ok := strings.Cut(field, ": "); ok {
			if name, trailer := strings.CutPrefix(name, "trailer "); trailer {
				a.Trailer.Set(name, value)
				continue
			}
			a.Header.Set(name, value)
		}
	}
	return a
}

// story is how one service answers: N and M are numbers that are new for each
// request, U and V for each answer.
type story struct {
	name, request string // "POST /charges"
	keyless       bool
	first, second string
	fault         string
	cut           func(r *Repeat)
	looks         func(target string) Answer
	passes        int // of other requests, answered so
	status        int
	took          time.Duration
	kind          string // of the finding that is wanted, "" any
	verdict       Verdict
}

// id makes things that look like ids of a service.
func id(prefix string, n int) string {
	const alphabet = "abcdefghijkmnpqrstuvwxyz23456789"
	x := uint64(n+1) * 0x9e3779b97f4a7c15
	b := []byte(prefix)
	for range 16 {
		b = append(b, alphabet[x>>59])
		x = x*6364136223846793005 + 1442695040888963407
	}
	return string(b)
}

func (s story) fill(text string, n int, second bool) string {
	once := 10_000*n + 1
	if second {
		once += 7
	}
	return strings.NewReplacer("$N", fmt.Sprint(n), "$M", id("", n), "$U", id("", once), "$V", fmt.Sprint(900_000+once),
		"$T", time.Unix(1_790_000_000+int64(once), 0).UTC().Format(time.RFC3339), "$S", fmt.Sprint(1_790_000_000+once)).Replace(text)
}

// tell repeats a story some times.
func (b *bench) tell(s story, times int) Route {
	method, target, _ := strings.Cut(s.request, " ")
	for range times {
		b.n++
		to := s.fill(target, b.n, false)
		r := Repeat{Method: method, Target: to, Fault: "repeat", Header: http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer s3cret-t0ken"}},
			Body: fmt.Appendf(nil, `{"order":"o-%d","amount":%d}`, b.n, 100+b.n), At: time.Unix(1_790_000_000, 0),
			First: answer(s.fill(s.first, b.n, false)), Second: answer(s.fill(s.second, b.n, true))}
		if s.fault != "" {
			r.Fault = s.fault
		}
		if !s.keyless {
			r.Key = id("key-", b.n)
			r.Header.Set("Idempotency-Key", r.Key)
		}
		if s.cut != nil {
			s.cut(&r)
		}
		b.Pass(&Pass{Method: []byte(method), Path: []byte(pathOf(to)), Status: r.First.Status, Sent: Sent{Key: []byte(r.Key)}, Took: time.Millisecond})
		for range s.passes {
			b.Pass(&Pass{Method: []byte(method), Path: []byte(pathOf(to)), Status: s.status, Took: s.took})
		}
		b.Repeat(r)
		for _, look := range b.Looks() {
			a := Answer{Status: 404}
			if s.looks != nil {
				a = s.looks(look.Target)
			}
			b.Looked(look.ID, a)
		}
	}
	name := b.Route([]byte(method), []byte(s.fill(target, b.n, false)))
	for _, r := range b.Report().Routes {
		if r.Name == name {
			return r
		}
	}
	return Route{}
}

// echo answers a look with the id that it asks for, whatever it is.
func echo(target string) Answer {
	return answer(fmt.Sprintf(`200 {"id":%q}`, last(target)))
}

// found answers looks at ids that end as made ones do; others are missing.
func found(format string) func(string) Answer {
	seen := 0
	return func(target string) Answer {
		seen++
		if seen%3 == 0 {
			return Answer{Status: 404}
		}
		return answer(strings.NewReplacer("$ID", last(target), "$PAIR", id("", seen/3)).Replace(format))
	}
}

// Services that bear repeats, whatever their answers look like.
var sound = []story{
	{name: "same bytes", request: "POST /charges", first: `201 Location: /charges/ch_$M {"id":"ch_$M"}`, second: `201 Location: /charges/ch_$M {"id":"ch_$M"}`},
	{name: "other order and numbers", request: "POST /charges", first: `201 {"id":"ch_$M","amount":100}`, second: `201 { "amount": 1e2, "id":"ch_$M"}`},
	{name: "200 for 201", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `200 {"id":"ch_$M"}`},
	{name: "fresh request id and time", request: "POST /charges", first: `201 X-Request-Id: $U {"id":"ch_$M","request_id":"$U","answered_at":"$T"}`, second: `201 X-Request-Id: $U {"id":"ch_$M","request_id":"$U","answered_at":"$T"}`},
	{name: "only a request id", request: "POST /charges", first: `200 {"requestId":"$U","ok":true}`, second: `200 {"requestId":"$U","ok":true}`},
	{name: "moments as numbers", request: "POST /charges", first: `200 {"id":"ch_$M","handled":$S}`, second: `200 {"id":"ch_$M","handled":$S}`},
	{name: "durations", request: "POST /charges", first: `200 {"id":"ch_$M","took":"12ms","ms":12}`, second: `200 {"id":"ch_$M","took":"1ms","ms":1}`},
	{name: "conflict", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `409 {"error":"in progress"}`},
	{name: "conflict names the resource", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `409 Location: /charges/ch_$M {"id":"ch_$M"}`},
	{name: "conflict in flight came first", request: "POST /charges", first: `409 {"error":"in progress"}`, second: `201 {"id":"ch_$M"}`, fault: "overlap", cut: overlapped},
	{name: "the copy came first", request: "DELETE /charges/ch_$M", keyless: true, first: `404 {"error":"gone"}`, second: `204`, fault: "overlap", cut: overlapped},
	{name: "the copy came first and was refused after", request: "POST /charges", first: `422 {"error":"done"}`, second: `201 {"id":"ch_$M"}`, fault: "overlap", cut: overlapped},
	{name: "the place is told once", request: "POST /charges", first: `201 Location: /charges/ch_$M {"id":"ch_$M"}`, second: `201 {"id":"ch_$M"}`},
	{name: "current state", request: "POST /charges", first: `201 {"id":"ch_$M","status":"pending"}`, second: `200 {"id":"ch_$M","status":"settled","updated_at":"$T"}`},
	{name: "limits", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `429 Retry-After: 1 {"error":"slow down"}`},
	{name: "overload", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `503`},
	{name: "gateway", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `502`},
	{name: "resets", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `reset`},
	{name: "time-outs", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `timeout`},
	{name: "time-outs of all", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `timeout`, cut: hangs, passes: 1, status: 0},
	{name: "time-outs of slow services", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `timeout`, cut: hangs, passes: 1, status: 201, took: 20 * time.Second},
	{name: "some time-outs", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `timeout`, cut: hangsAtTimes},
	{name: "cut short at the end", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `timeout`, cut: func(r *Repeat) { r.Second.Took = 5 * time.Second }},
	{name: "empty", request: "POST /charges", first: `204`, second: `204`},
	{name: "empty with a place", request: "POST /charges", first: `201 Location: /charges/ch_$M`, second: `201 Location: /charges/ch_$M`},
	{name: "the place only with the first", request: "POST /charges", first: `201 Location: /charges/ch_$M`, second: `200`},
	{name: "the place with another query", request: "POST /charges", first: `201 Location: /charges/ch_$M?t=$U {"id":"ch_$M"}`, second: `201 Location: /charges/ch_$M?t=$U {"id":"ch_$M"}`},
	{name: "the fact alone is kept", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `200 {"status":"duplicate"}`},
	{name: "marked, with an id of its own", request: "POST /charges", first: `201 {"id":"$U","result":"ok"}`, second: `201 Idempotent-Replayed: true {"id":"$U","result":"ok"}`},
	{name: "marked in the body", request: "POST /charges", first: `200 {"id":"$U","duplicate":false}`, second: `200 {"id":"$U","duplicate":true}`},
	{name: "an id of the answer beside that of the charge", request: "POST /charges", first: `201 {"id":"$U","charge":"ch_$M"}`, second: `201 {"id":"$U","charge":"ch_$M"}`},
	{name: "an id of the operation, once charged", request: "POST /charges", first: `200 {"id":"$U","status":"ok"}`, second: `200 {"id":"$U","status":"ok"}`},
	{name: "accepted under ids of jobs", request: "POST /charges", first: `202 Location: /jobs/$U {"id":"$U","status":"pending"}`, second: `202 Location: /jobs/$U {"id":"$U","status":"pending"}`},
	{name: "operations that can be read", request: "POST /operations", first: `201 Location: /operations/$U {"id":"$U"}`, second: `201 Location: /operations/$U {"id":"$U"}`, looks: found(`200 {"id":"$ID"}`)},
	{name: "two views of one thing", request: "POST /payments", first: `200 Location: /views/$U {"id":"$U"}`, second: `200 Location: /views/$U {"id":"$U"}`, looks: found(`200 {"id":"$ID","payment":"pay_$PAIR"}`)},
	{name: "any id is answered", request: "POST /notes", first: `200 Location: /notes/$U {"id":"$U"}`, second: `200 Location: /notes/$U {"id":"$U"}`, looks: echo},
	{name: "the second is a duplicate", request: "POST /notes", first: `200 Location: /notes/$U {"id":"$U"}`, second: `200 Location: /notes/$U {"id":"$U"}`, looks: duplicateOf()},
	{name: "login", request: "POST /login", keyless: true, first: `200 {"session":"$U","user":"anna"}`, second: `200 {"session":"$U","user":"anna"}`},
	{name: "sessions", request: "POST /v1/sessions", keyless: true, first: `201 Location: /v1/sessions/$U {"id":"$U"}`, second: `201 Location: /v1/sessions/$U {"id":"$U"}`, looks: found(`200 {"id":"$ID"}`)},
	{name: "search", request: "POST /search", keyless: true, first: `200 {"query":"$U","took_ms":3,"hits":[{"id":"a1"},{"id":"b2"}]}`, second: `200 {"query":"$U","took_ms":1,"hits":[{"id":"b2"},{"id":"a1"}]}`},
	{name: "search with a number", request: "POST /search", keyless: true, first: `200 {"search_id":$V,"took_ms":3}`, second: `200 {"search_id":$V,"took_ms":1}`},
	{name: "when it was seen", request: "PUT /guests/guest-$N", keyless: true, first: `200 {"name":"anna","seen_at":"$T"}`, second: `200 {"name":"anna","seen_at":"$T"}`},
	{name: "a growing sum", request: "POST /guests/anna/points", keyless: true, first: `200 {"points":$N}`, second: `200 {"points":$V}`},
	{name: "a repeated DELETE finds nothing", request: "DELETE /charges/ch_$M", keyless: true, first: `204`, second: `404 {"error":"not found"}`},
	{name: "a condition that no longer holds", request: "PUT /charges/ch_$M", keyless: true, first: `200 {"v":1}`, second: `412 {"error":"etag"}`},
	{name: "signed requests hold once", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `401 {"error":"nonce used"}`},
	{name: "unique orders without keys", request: "POST /orders", keyless: true, first: `201 {"id":"or_$M"}`, second: `422 {"error":"the order is there"}`},
	{name: "a duplicate is refused", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `400 {"error":"DUPLICATE_REQUEST"}`},
	{name: "another form is refused", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `422 {"error":"other body"}`, fault: "reencode", cut: func(r *Repeat) { r.Reencoded = true }},
	{name: "the bytes are the key", request: "POST /charges", keyless: true, first: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, second: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, fault: "reencode", cut: func(r *Repeat) { r.Reencoded = true }},
	{name: "a key is asked for", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `400 {"error":"key missing"}`, fault: "drop-key", cut: otherKey},
	{name: "done again without its key", request: "POST /charges", first: `201 Location: /charges/$U {"id":"$U"}`, second: `201 Location: /charges/$U {"id":"$U"}`, fault: "drop-key", cut: otherKey, looks: found(`200 {"id":"$ID"}`)},
	{name: "refused, and then accepted", request: "POST /charges", first: `402 {"error":"card"}`, second: `201 {"id":"ch_$M"}`},
	{name: "failed, and then accepted", request: "POST /charges", first: `500 {"error":"x"}`, second: `201 {"id":"ch_$M"}`},
	{name: "refused alike, under numbers of errors", request: "POST /charges", first: `402 {"id":"err_$U","error":"card"}`, second: `402 {"id":"err_$U","error":"card"}`},
	{name: "always fails", request: "POST /charges", first: `500`, second: `500`},
	{name: "tokens and signed links", request: "POST /uploads", first: `200 {"id":"up_$M","url":"https://files/x?sig=$U","token":"$U"}`, second: `200 {"id":"up_$M","url":"https://files/x?sig=$U","token":"$U"}`},
	{name: "which replica", request: "POST /charges", first: `200 {"id":"ch_$M","instance":"api-7f9c-1","node":"n1"}`, second: `200 {"id":"ch_$M","instance":"api-7f9c-2","node":"n2"}`},
	{name: "pages", request: "POST /form", keyless: true, first: `200 Content-Type: text/html`, second: `200 Content-Type: text/html`, cut: htmlPage},
	{name: "compressed", request: "POST /charges", first: `201 {"id":"ch_$M","request_id":"$U"}`, second: `201 {"id":"ch_$M","request_id":"$U"}`, cut: zipped},
	{name: "binary", request: "POST /images", first: `200 Content-Type: image/png`, second: `200 Content-Type: image/png`, cut: noise},
	{name: "gRPC: there already", request: "POST /shop.Charges/Charge", keyless: true, first: `200 Content-Type: application/grpc|trailer Grpc-Status: 0`, second: `200 Content-Type: application/grpc|trailer Grpc-Status: 6`},
	{name: "gRPC: not available", request: "POST /shop.Charges/Charge", keyless: true, first: `200 Content-Type: application/grpc|trailer Grpc-Status: 0`, second: `200 Content-Type: application/grpc|trailer Grpc-Status: 14`},
	{name: "a form leads to the same page", request: "POST /pay", keyless: true, first: `303 Location: /orders/or_$M`, second: `303 Location: /orders/or_$M`},
	{name: "versions", request: "PUT /carts/c-$N", keyless: true, first: `200 {"id":"c-$N","version":3,"revision":"$U","etag":"$U"}`, second: `200 {"id":"c-$N","version":4,"revision":"$U","etag":"$U"}`},
	{name: "a revision of its own", request: "PUT /documents/d-$N", keyless: true, first: `201 {"id":"$U","doc":"d-$N"}`, second: `201 {"id":"$U","doc":"d-$N"}`},
	{name: "an id of the caller's", request: "POST /charges", first: `201 {"id":"o-$N","trace":"$U"}`, second: `201 {"id":"o-$N","trace":"$U"}`},
	{name: "a list that grows", request: "POST /carts/c-1/items", keyless: true, first: `200 {"items":[{"sku":"a1"}]}`, second: `200 {"items":[{"sku":"a1"},{"sku":"b2"}]}`},
}

func hangs(r *Repeat) { r.Second.Took = Patience }

func hangsAtTimes(r *Repeat) {
	if hangs(r); hashOf(r.Key)%3 > 0 {
		r.Second = r.First
	}
}

func overlapped(r *Repeat) { r.Overlapped = true }
func otherKey(r *Repeat)   { r.OtherKey = true }

// Services that do not, and how that is said.
var unsound = []story{
	{name: "each makes another one", request: "POST /charges", first: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, second: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, verdict: Likely, kind: "second-id"},
	{name: "without keys", request: "POST /bookings", keyless: true, first: `201 Location: /bookings/bo_$U {"id":"bo_$U"}`, second: `201 Location: /bookings/bo_$U {"id":"bo_$U"}`, verdict: Likely, kind: "second-id"},
	{name: "numbers", request: "POST /bookings", keyless: true, first: `201 {"id":$V,"state":"new"}`, second: `201 {"id":$V,"state":"new"}`, verdict: Likely, kind: "second-id"},
	{name: "named by its noun", request: "POST /payments", first: `201 {"payment_id":"pay_$U"}`, second: `201 {"payment_id":"pay_$U"}`, verdict: Likely, kind: "second-id"},
	{name: "in an envelope named by its noun", request: "POST /payments", first: `201 {"payment":{"id":"pay_$U","status":"ok"}}`, second: `201 {"payment":{"id":"pay_$U","status":"ok"}}`, verdict: Likely, kind: "second-id"},
	{name: "the place alone", request: "POST /charges", first: `201 Location: /charges/ch_$U`, second: `201 Location: /charges/ch_$U`, verdict: Likely, kind: "second-id"},
	{name: "a form leads to another page", request: "POST /pay", keyless: true, first: `303 Location: /orders/or_$U`, second: `303 Location: /orders/or_$U`, verdict: Likely, kind: "second-id"},
	{name: "overlapping copies", request: "POST /charges", fault: "overlap", cut: overlapped, first: `201 {"id":"ch_$U"}`, second: `201 {"id":"ch_$U"}`, verdict: Likely, kind: "second-id"},
	{name: "both can be read", request: "POST /charges", first: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, second: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, looks: found(`200 {"id":"$ID","amount":100}`), verdict: Certain, kind: "two-things"},
	{name: "both can be read, with what they share", request: "POST /charges", first: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, second: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, looks: found(`200 {"id":"$ID","merchant":"acct_77x"}`), verdict: Certain, kind: "two-things"},
	{name: "both can be read, made at one moment", request: "POST /charges", first: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, second: `201 Location: /charges/ch_$U {"id":"ch_$U"}`, looks: found(`200 {"id":"$ID","created_at":"2026-11-30T20:31:12.923Z"}`), verdict: Certain, kind: "two-things"},
	{name: "a repeat fails", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `500 {"error":"unique constraint"}`, verdict: Likely, kind: "broken"},
	{name: "a repeat is refused", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `422 {"error":"the body is another one"}`, verdict: Likely, kind: "refused-after-accept"},
	{name: "a repeat hangs", request: "POST /charges", first: `201 {"id":"ch_$M"}`, second: `timeout`, cut: hangs, verdict: Likely, kind: "hung"},
	{name: "gRPC: a repeat fails", request: "POST /shop.Charges/Charge", keyless: true, first: `200 Content-Type: application/grpc|trailer Grpc-Status: 0`, second: `200 Content-Type: application/grpc|trailer Grpc-Status: 13`, verdict: Likely, kind: "broken"},
}

func TestSoundServicesAreNotAccused(t *testing.T) {
	for _, s := range sound {
		for _, times := range []int{1, 2, 3, 40} {
			b := newBench(Options{})
			b.Pass(&Pass{Method: []byte("GET"), Path: []byte("/charges/ch_1234567"), Status: 404})
			got := b.tell(s, times)
			if got.Verdict == Certain || got.Verdict == Likely {
				t.Errorf("%s, %d times: %s: %s", s.name, times, got.Verdict, got.Findings[0].Words)
			}
			if got.Verdict == Held {
				t.Errorf("%s: held, and nothing was counted", s.name)
			}
		}
	}
}

func TestUnsoundServicesAreFound(t *testing.T) {
	for _, s := range unsound {
		b := newBench(Options{})
		got := b.tell(s, 12)
		if got.Verdict != s.verdict || len(got.Findings) == 0 || got.Findings[0].Kind != s.kind {
			t.Errorf("%s: %s %+v, want %s %s", s.name, got.Verdict, got.Findings, s.verdict, s.kind)
			continue
		}
		if got.Findings[0].Example == nil || !strings.Contains(got.Findings[0].Example.Curl, "curl") {
			t.Errorf("%s: no example", s.name)
		}
	}
}
