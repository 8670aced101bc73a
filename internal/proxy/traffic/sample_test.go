package traffic

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

var sampleStart = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// shop is what the proxy would report of a payments service with one defect, after
// twenty minutes.
func shop(t *testing.T) Report {
	t.Helper()
	now := sampleStart
	l := New(Options{Target: "http://127.0.0.1:9001", Listen: "http://127.0.0.1:8080", KeyTable: 10_000, Now: func() time.Time { return now },
		Redact:     history.Redactor{Fields: []string{"card"}},
		Operations: []Operation{{Name: "charge", Method: "POST", Path: "/charges"}, {Name: "refund", Method: "POST", Path: "/refunds", Expect: map[string]int{"refund-row": 1}}}})
	callShop(l)
	now = now.Add(21*time.Minute + 4*time.Second)
	repeatShop(l)
	r := l.Report()
	r.Run, r.Tool, r.Seed = "r7k2m9", "idemcheck devel", 7
	r.State = State{Running: true, On: true, Used: 37, Budget: 600, Rules: []string{"POST /charges: repeat, 10 %", "all else that changes something: repeat, 5 %; never /login, /auth/**"}}
	return r
}

// callShop passes what callers send.
func callShop(l *Learner) {
	pass := func(n int, method, path string, status int, key string) {
		for i := range n {
			p := &Pass{Method: []byte(method), Path: []byte(strings.Replace(path, "%d", fmt.Sprintf("%06d", i), 1)), Status: status, Took: time.Duration(3+i%9) * time.Millisecond, Caller: 1}
			if key != "" {
				p.Sent.Key = fmt.Appendf(nil, key, i)
				p.Body = uint64(len(key)<<20+i) + 1
			}
			l.Pass(p)
		}
	}
	pass(2411, "POST", "/charges", 201, "c1f3a7-%d")
	pass(31, "POST", "/charges", 402, "declined-%d")
	pass(640, "POST", "/refunds", 201, "refund-%d")
	pass(212, "POST", "/transfers", 201, "tr-%d")
	pass(40, "POST", "/transfers", 201, "")
	pass(388, "PUT", "/mandates/m-%d", 200, "")
	pass(95, "POST", "/search", 200, "")
	pass(5104, "GET", "/charges/ch_%d", 200, "")
	pass(900, "GET", "/healthz", 200, "")
	pass(17, "GET", "/favicon.ico", 404, "")
	for i := range 9 {
		l.Pass(&Pass{Method: []byte("POST"), Path: []byte("/charges"), Status: 503, Body: 9000, Took: time.Millisecond,
			Sent: Sent{Key: []byte("order-77"), Layer: Mesh, Try: i%3 + 1}})
	}
	for i := range 6 {
		l.Pass(&Pass{Method: []byte("POST"), Path: []byte("/charges"), Status: 422, Body: uint64(i) + 9100, Took: time.Millisecond, Sent: Sent{Key: []byte("monday")}})
	}
	for i := range 4 {
		l.Pass(&Pass{Method: []byte("POST"), Path: []byte("/transfers"), Status: 503, Body: 77, Took: time.Millisecond, Caller: 4, Sent: Sent{Key: fmt.Appendf(nil, "t-%d", i)}})
	}
}

// repeatShop sends a share twice.
func repeatShop(l *Learner) {
	b := &bench{Learner: l}
	again := func(n int, fault, method, target, first, second string, keyed bool) {
		s := story{}
		for range n {
			b.n++
			r := Repeat{Method: method, Target: s.fill(target, b.n, false), Fault: fault, At: sampleStart.Add(time.Duration(b.n) * time.Second), Overlapped: fault == "overlap",
				Header: http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer 0123"}, "Host": {"127.0.0.1"}},
				Body:   []byte(s.fill(`{"order":"o-$N","amount":1250,"currency":"EUR","card":"4111111111111111"}`, b.n, false)),
				First:  answer(s.fill(first, b.n, false)), Second: answer(s.fill(second, b.n, true))}
			if keyed {
				r.Key = "c1f3a7-" + fmt.Sprint(b.n)
				r.Header.Set("Idempotency-Key", r.Key)
			}
			b.Repeat(r)
			for _, look := range b.Looks() {
				a := Answer{Status: 404}
				if look.ID%3 != 2 {
					a = answer(fmt.Sprintf(`200 {"id":%q,"amount":1250,"status":"succeeded"}`, last(look.Target)))
				}
				b.Looked(look.ID, a)
			}
		}
	}
	made := `201 Location: /charges/ch_$U {"id":"ch_$U","order":"o-$N","amount":1250,"currency":"EUR","status":"succeeded","created_at":"$T"}`
	kept := strings.ReplaceAll(made, "$U", "$M")
	again(212, "repeat", "POST", "/charges", kept, kept, true)
	again(11, "overlap", "POST", "/charges", made, made, true)
	again(3, "overlap", "POST", "/charges", kept, `409 {"title":"in progress"}`, true)
	again(31, "repeat", "POST", "/refunds", strings.ReplaceAll(kept, "ch", "re"), strings.ReplaceAll(kept, "ch", "re"), true)
	again(12, "repeat", "POST", "/transfers", `201 {"id":"tr_$M","balance":100}`, `500 {"title":"internal error","detail":"duplicate key value violates unique constraint"}`, true)
	again(19, "repeat", "PUT", "/mandates/m-$N", `200 {"id":"ma_$M","limit":500,"seen_at":"$T"}`, `200 {"id":"ma_$M","limit":500,"seen_at":"$T"}`, false)
	again(5, "repeat", "POST", "/search", `200 {"query":"$U","took_ms":3}`, `200 {"query":"$U","took_ms":1}`, false)
	for i := range 31 {
		for _, copies := range []int{0, 1} {
			l.Effects(Effects{Method: "POST", Target: "/refunds", Op: fmt.Sprintf("o-%d", 300+i), Observer: "refund-row", Say: "Order ${id} was refunded", Count: 1, Sent: 1, Copies: copies, Accepted: true})
		}
		l.Effects(Effects{Method: "POST", Target: "/charges", Op: fmt.Sprintf("o-%d", 200+i), Observer: "card-charge", Say: "Order ${id} was charged", Count: 1 + i/28, Sent: 1, Copies: 1, Accepted: true})
		for range 20 {
			l.Effects(Effects{Method: "POST", Target: "/charges", Op: "alone", Observer: "card-charge", Say: "Order ${id} was charged", Count: 1, Sent: 1, Accepted: true})
		}
	}
}

// crowd is a report of many routes with long names, and hostile ones.
func crowd() Report {
	l := New(Options{Target: "http://127.0.0.1:9001", KeyTable: 100, Now: func() time.Time { return sampleStart }})
	for i := range 90 {
		path := fmt.Sprintf("/v%d/%s/things-%s", i, strings.Repeat("segment-", 3), strings.Repeat("x", i%40))
		l.Pass(&Pass{Method: []byte("POST"), Path: []byte(path), Status: 201})
		if i%2 == 0 {
			l.Repeat(Repeat{Method: "POST", Target: path, Fault: "repeat", At: sampleStart, Body: []byte(strings.Repeat("long ", 900)), First: answer(`201 {"id":"a"}`), Second: answer(`200 {"id":"a","x":1}`)})
		}
	}
	hostile := "/<script>alert(1)</script>/\x1b[2J\u202e'\"`$(rm)"
	l.Pass(&Pass{Method: []byte("POST"), Path: []byte(hostile), Status: 201})
	l.Repeat(Repeat{Method: "POST", Target: hostile, Fault: "repeat", Key: "k'; echo", At: sampleStart, Header: http.Header{"X-A": {"'\"</script>"}}, Body: []byte(`{"a":"'</pre><script>"}`),
		First: answer(`201 {"</script>":"<b>"}`), Second: answer(`500 {"</script>":"<i>"}`)})
	return l.Report()
}

func empty() Report {
	r := New(Options{Target: "http://127.0.0.1:9001", Listen: "http://127.0.0.1:8080", KeyTable: 100, Now: func() time.Time { return sampleStart }}).Report()
	r.State = State{Running: true, Why: "switched off by signal", Budget: 600}
	return r
}
