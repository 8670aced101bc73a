package inject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// notes collects what a provider or a transport records.
type notes struct {
	mu     sync.Mutex
	events []history.Event
	bodies [][]byte
}

func (n *notes) add(e history.Event, body []byte) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events, n.bodies = append(n.events, e), append(n.bodies, body)
	return int64(len(n.events))
}

func (n *notes) of(kind history.Kind) (es []history.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.events {
		if e.Kind == kind {
			es = append(es, e)
		}
	}
	return es
}

func card(n *notes) *Provider {
	return &Provider{Name: "card-charge", Effect: "POST /v1/charges", ID: "body /metadata/order", Record: n.add}
}

func charge(order string, amount int) string {
	return fmt.Sprintf(`{"amount":%d,"metadata":{"order":"%s"}}`, amount, order)
}

// answer is what came back of one call, on one line.
func (p *Provider) call(t *testing.T, key, body string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/charges", strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return serve(p, r)
}

func serve(p *Provider, r *http.Request) (line string) {
	defer func() {
		if v := recover(); v == http.ErrAbortHandler { // what a lost answer is where nothing can be reset
			line = "lost"
		} else if v != nil {
			panic(v)
		}
	}()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	line = fmt.Sprintf("%d %s", w.Code, strings.TrimSpace(w.Body.String()))
	if w.Header().Get("Idempotent-Replayed") == "true" {
		line += " replayed"
	}
	if w.Header().Get("Connection") != "close" {
		line += " keeps the connection"
	}
	return line
}

const (
	one     = `201 {"id":"ch_1","status":"succeeded","amount":5,"metadata":{"order":"o1"}}`
	two     = `201 {"id":"ch_2","status":"succeeded","amount":5,"metadata":{"order":"o1"}}`
	changed = `400 {"error":{"code":"idempotency_error","message":"this key was used with another body"}}`
	busy    = `409 {"error":{"code":"idempotency_key_in_use","message":"a call with this key is running"}}`
	down    = `503 {"error":{"code":"unavailable","message":"try again later"}}`
	refused = `402 {"error":{"code":"declined","message":"the card was declined"}}`
)

func TestProviderKeys(t *testing.T) {
	field := func(v ...string) contract.Field { return contract.Field{Values: v} }
	type step struct{ key, body, want string }
	for name, test := range map[string]struct {
		contract contract.Contract
		steps    []step
		effects  int
	}{
		"like stripe": {contract.Contract{}, []step{
			{"k1", charge("o1", 5), one}, {"k1", charge("o1", 5), one + " replayed"},
			{"k1", `{"metadata": {"order":"o1"}, "amount":5.0}`, one + " replayed"}, {"k1", charge("o1", 6), changed}, {"k2", charge("o1", 5), two}, {"", charge("o1", 5), strings.Replace(two, "ch_2", "ch_3", 1)},
		}, 3},
		"raw bytes":     {contract.Contract{Fingerprint: field("raw")}, []step{{"k1", charge("o1", 5), one}, {"k1", charge("o1", 5) + " ", changed}}, 1},
		"only the key":  {contract.Contract{Fingerprint: field("key")}, []step{{"k1", charge("o1", 5), one}, {"k1", charge("o1", 6), one + " replayed"}}, 1},
		"422":           {contract.Contract{Mismatch: field("422")}, []step{{"k1", charge("o1", 5), one}, {"k1", charge("o1", 6), strings.Replace(changed, "400", "422", 1)}}, 1},
		"replays":       {contract.Contract{Mismatch: field("replay")}, []step{{"k1", charge("o1", 5), one}, {"k1", charge("o1", 6), one + " replayed"}}, 1},
		"executes":      {contract.Contract{Mismatch: field("execute")}, []step{{"k1", charge("o1", 6), strings.Replace(one, "5", "6", 1)}, {"k1", charge("o1", 5), two}, {"k1", charge("o1", 5), two + " replayed"}}, 2},
		"quoted key":    {contract.Contract{Syntax: field("quoted")}, []step{{`"k1"`, charge("o1", 5), one}, {"k1", charge("o1", 5), one + " replayed"}}, 1},
		"key in body":   {contract.Contract{Carrier: field("body /amount")}, []step{{"k1", charge("o1", 5), one}, {"k2", charge("o1", 5), one + " replayed"}}, 1},
		"no keys":       {contract.Contract{Carrier: field("none")}, []step{{"k1", charge("o1", 5), one}, {"k1", charge("o1", 5), two}}, 2},
		"must have key": {contract.Contract{Missing: field("reject")}, []step{{"", charge("o1", 5), `400 {"error":{"code":"key_missing","message":"an idempotency key is required"}}`}, {"k1", charge("o1", 5), one}}, 1},
		"keeps nothing": {contract.Contract{Stored: field("4xx")}, []step{{"k1", charge("o1", 5), one}, {"k1", charge("o1", 5), two}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var n notes
			p := card(&n)
			p.Contract = test.contract
			for i, s := range test.steps {
				if got := p.call(t, s.key, s.body); got != s.want {
					t.Errorf("call %d: got\n%s, want\n%s", i+1, got, s.want)
				}
			}
			if !maps.Equal(p.Ledger(), map[string]int{"o1": test.effects}) {
				t.Errorf("ledger %v, want %d", p.Ledger(), test.effects)
			}
			for i, e := range n.of(history.Effect) {
				if e.Op != "o1" || e.Count != i+1 || e.Name != "card-charge" || e.Actor != "provider/card-charge" {
					t.Errorf("effect %d: %+v", i+1, e)
				}
			}
			if got := len(n.of(history.Effect)); got != test.effects {
				t.Errorf("%d effects recorded", got)
			}
		})
	}
}

func TestProviderForgets(t *testing.T) {
	for name, test := range map[string]struct {
		contract contract.Contract
		life     time.Duration
		after    string
	}{
		"by default":   {contract.Contract{}, 24 * time.Hour, two},
		"its own life": {contract.Contract{Life: time.Minute}, time.Minute, two},
		"rejects": {contract.Contract{AfterLife: contract.Field{Values: []string{"reject"}}}, 24 * time.Hour,
			`400 {"error":{"code":"key_expired","message":"this key is too old"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := card(&notes{})
				p.Contract = test.contract
				p.call(t, "k1", charge("o1", 5))
				time.Sleep(test.life - 1)
				if got := p.call(t, "k1", charge("o1", 5)); got != one+" replayed" {
					t.Errorf("before the end: %s", got)
				}
				time.Sleep(time.Nanosecond)
				if got := p.call(t, "k1", charge("o1", 5)); got != test.after {
					t.Errorf("at the end: %s", got)
				}
			})
		})
	}
}

func TestProviderFindsTheID(t *testing.T) {
	for _, test := range []struct {
		id, target, header, body string
		want                     string
	}{
		{"body /metadata/order", "/v1/charges", "", charge("o1", 5), "o1"},
		{"body order", "/v1/charges", "", `{"order":"o1"}`, "o1"},
		{"body /order", "/v1/charges", "", `{"order":42}`, "42"},
		{"body /metadata/order", "/v1/charges", "", "amount=5&metadata%5Border%5D=o1", "o1"},
		{"query order", "/v1/charges?order=o1", "", "", "o1"},
		{"header X-Order", "/v1/charges", "o1", "", "o1"},
		{"body /order", "/v1/charges", "", `{"order":null}`, ""},
		{"body /order", "/v1/charges", "", `{}`, ""},
		{"header X-Order", "/v1/charges", "", "", ""},
		{"body /order", "/v1/charges", "", "order=%zz", ""},
	} {
		var n notes
		p := card(&n)
		p.ID = test.id
		r := httptest.NewRequest("POST", test.target, strings.NewReader(test.body))
		r.Header.Set("X-Order", test.header)
		got := serve(p, r)
		if test.want == "" {
			marks := n.of(history.Mark)
			if !strings.HasPrefix(got, "400 ") || !strings.Contains(got, test.id) || p.Strays() != 1 || len(p.Ledger()) != 0 ||
				len(marks) != 1 || marks[0].Name != history.MarkNote || !strings.Contains(marks[0].Cause, test.id) {
				t.Errorf("%+v: got %s, marks %+v", test, got, marks)
			}
		} else if p.Ledger()[test.want] != 1 || p.Strays() != 0 {
			t.Errorf("%+v: got %s, ledger %v", test, got, p.Ledger())
		}
	}
}

func TestProviderOtherRequests(t *testing.T) {
	p := card(&notes{})
	p.call(t, "k1", charge("o1", 5))
	for line, want := range map[string]string{
		"GET /v1/charges/ch_1":    `200 {"id":"ch_1"`,
		"GET /v1/charges/ch_2":    `404 {"error":`,
		"DELETE /v1/charges/ch_1": `405 {"error":`,
		"GET /v1/charges":         `404 {"error":`,
		"POST /v1/refunds":        `404 {"error":`,
	} {
		method, path, _ := strings.Cut(line, " ")
		if got := serve(p, httptest.NewRequest(method, path, nil)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s", line, got)
		}
	}
	big := httptest.NewRequest("POST", "/v1/charges", bytes.NewReader(make([]byte, maxCall+1)))
	if got := serve(p, big); !strings.HasPrefix(got, "413 ") {
		t.Errorf("big body: got %s", got)
	}
	for _, bad := range []*Provider{
		{Effect: "/v1", ID: "query o"}, {Effect: "post /v1", ID: "query o"}, {Effect: "POST /v1", ID: "order"}, {Effect: "POST /v1"},
		{Effect: "POST /v1", ID: "query o", Contract: contract.Contract{Carrier: contract.Field{Values: []string{"cookie x"}}}},
	} {
		if err := bad.Check(); err == nil {
			t.Errorf("%+v is taken as good", bad)
		}
		if got := serve(bad, httptest.NewRequest("POST", "/v1", nil)); !strings.HasPrefix(got, "500 ") || !strings.Contains(got, "misconfigured") {
			t.Errorf("got %s", got)
		}
	}
}

func TestProviderOwnAnswer(t *testing.T) {
	p := card(&notes{})
	p.Answer = func(c ProviderCall) (int, []byte) {
		return http.StatusAccepted, fmt.Appendf(nil, `{"id": "n%d", "for": "%s", "bytes": %d}`, c.Number, c.ID, len(c.Body))
	}
	if got := p.call(t, "k1", charge("o1", 5)); got != `202 {"id": "n1", "for": "o1", "bytes": 38}` {
		t.Errorf("got %s", got)
	}
	if got := serve(p, httptest.NewRequest("GET", "/v1/charges/n1", nil)); got != `200 {"id": "n1", "for": "o1", "bytes": 38}` {
		t.Errorf("got %s", got)
	}
}

func TestProviderFaults(t *testing.T) {
	body := charge("o1", 5)
	type arm struct {
		fault Fault
		op    string
		call  int
		fired bool
		note  string
	}
	for name, test := range map[string]struct {
		arms    []arm
		answers []string // to calls of o1, each under the key k1
		effects int
		faults  int
	}{
		"lose-answer":          {[]arm{{LoseAnswer, "o1", 1, true, ""}}, []string{"lost", one + " replayed"}, 1, 1},
		"lose the second":      {[]arm{{LoseAnswer, "o1", 2, true, ""}}, []string{one, "lost", one + " replayed"}, 1, 1},
		"fail":                 {[]arm{{Fail, "o1", 1, true, ""}}, []string{down, one}, 1, 1},
		"fail twice":           {[]arm{{Fault{"fail", "2"}, "o1", 1, true, ""}}, []string{down, down, one}, 1, 2},
		"refuse":               {[]arm{{Refuse, "o1", 1, true, ""}}, []string{refused, refused + " replayed"}, 0, 1},
		"slow":                 {[]arm{{Fault{"slow", "3s"}, "o1", 1, true, ""}}, []string{one}, 1, 1},
		"held for nothing":     {[]arm{{Hold, "o1", 1, true, "waited"}}, []string{one}, 1, 1},
		"of another operation": {[]arm{{LoseAnswer, "o2", 1, false, ""}}, []string{one}, 1, 0},
		"of a later call":      {[]arm{{LoseAnswer, "o1", 2, false, ""}}, []string{one}, 1, 0},
		"fail after":           {[]arm{{Fault{"fail", "after"}, "o1", 1, true, ""}}, []string{down, one + " replayed"}, 1, 1},
		"fail twice after":     {[]arm{{Fault{"fail", "2 after"}, "o1", 1, true, ""}}, []string{down, down, one + " replayed"}, 1, 2},
		"a replay is not failed": {[]arm{{Fail, "o1", 2, false, ""}, {Hold, "o1", 2, false, ""}},
			[]string{one, one + " replayed"}, 1, 0},
		"no such fault":   {[]arm{{Fault{"explode", ""}, "o1", 1, false, "unknown fault"}}, []string{one}, 1, 0},
		"of another site": {[]arm{{DropKey, "o1", 1, false, "legal are: lose-answer, fail, refuse, slow, hold"}}, []string{one}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n notes
				p := card(&n)
				var fired []func() (bool, string)
				for _, a := range test.arms {
					fired = append(fired, p.Arm(a.fault, a.op, a.call))
				}
				for i, want := range test.answers {
					if got := p.call(t, "k1", body); got != want {
						t.Errorf("call %d: got\n%s, want\n%s", i+1, got, want)
					}
				}
				for i, a := range test.arms {
					if ok, note := fired[i](); ok != a.fired || !strings.Contains(note, a.note) {
						t.Errorf("%s: fired %v, note %q", a.fault, ok, note)
					}
				}
				if p.Ledger()["o1"] != test.effects {
					t.Errorf("%d effects, want %d", p.Ledger()["o1"], test.effects)
				}
				for _, e := range n.of(history.Fault) {
					if a := test.arms[0]; e.Op != a.op || e.Name != a.fault.Name || e.Attrs[history.AttrArg] != a.fault.Arg || e.Actor != "provider/card-charge" {
						t.Errorf("recorded %+v", e)
					}
				}
				if len(n.of(history.Fault)) != test.faults {
					t.Errorf("%d faults recorded, want %d", len(n.of(history.Fault)), test.faults)
				}
			})
		})
	}
}

// The first call is held until the second is there; then both are under way.
func TestProviderHold(t *testing.T) {
	wait := contract.Contract{InFlight: contract.Field{Values: []string{"wait"}}}
	for name, test := range map[string]struct {
		contract     contract.Contract
		key          string
		first, other string
	}{
		"other key":             {contract.Contract{}, "k2", "201", "201"},
		"same key":              {contract.Contract{}, "k1", two, busy},
		"same key, which waits": {wait, "k1", two, two + " replayed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n notes
				p := card(&n)
				p.Contract = test.contract
				fired := p.Arm(Hold, "o1", 1)
				first := make(chan string)
				begin := time.Now()
				go func() { first <- p.call(t, "k1", charge("o1", 5)) }()
				synctest.Wait()
				if p.Ledger()["o1"] != 0 {
					t.Error("the first call was not held")
				}
				p.call(t, "k9", charge("o9", 5)) // of another operation: it does not end the hold
				time.Sleep(300 * time.Millisecond)
				synctest.Wait()
				if p.Ledger()["o1"] != 0 {
					t.Error("another operation ended the hold")
				}
				other := p.call(t, test.key, charge("o1", 5))
				if got := <-first; !strings.HasPrefix(got, test.first) || !strings.HasPrefix(other, test.other) {
					t.Errorf("got %s and %s", got, other)
				}
				if ok, note := fired(); !ok || note != "" || time.Since(begin) != 300*time.Millisecond {
					t.Errorf("fired %v %q after %v", ok, note, time.Since(begin))
				}
			})
		})
	}
}

func TestProviderDisarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := card(&notes{})
		never := p.Arm(LoseAnswer, "o1", 1)
		stays := p.Arm(Refuse, "o2", 1)
		p.Disarm("o1")
		if got := p.call(t, "k1", charge("o1", 5)); got != one {
			t.Errorf("got %s", got)
		}
		if got := p.call(t, "k2", charge("o2", 5)); got != refused {
			t.Errorf("got %s", got)
		}
		p.Arm(Hold, "o3", 1)
		held := make(chan string)
		go func() { held <- p.call(t, "k3", charge("o3", 5)) }()
		synctest.Wait()
		begin := time.Now()
		p.Disarm("")
		if <-held; time.Since(begin) != 0 {
			t.Error("a held call did not go on")
		}
		ok1, _ := never()
		ok2, _ := stays()
		if ok1 || !ok2 {
			t.Errorf("fired %v %v", ok1, ok2)
		}
	})
}

// Of a fault that was armed once and strikes several calls the later events say so.
func TestProviderAgain(t *testing.T) {
	var n notes
	p := card(&n)
	p.Arm(Fault{"fail", "3"}, "o1", 1)
	for range 3 {
		p.call(t, "k1", charge("o1", 5))
	}
	for i, e := range n.of(history.Fault) {
		if (e.Attrs[history.AttrAgain] == "true") != (i > 0) {
			t.Errorf("%d: %v", i, e.Attrs)
		}
	}
}

// The key of one account means nothing to another.
func TestProviderAccounts(t *testing.T) {
	for scope, want := range map[string]string{"": two, "account": two, "key": one + " replayed"} {
		p := card(&notes{})
		p.Contract.Scope.Values = []string{scope}
		for i, want := range []string{one, want} {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/charges", strings.NewReader(charge("o1", 5)))
			r.Header.Set("Idempotency-Key", "k1")
			r.Header.Set("Authorization", fmt.Sprint("Bearer ", i))
			if got := serve(p, r); got != want {
				t.Errorf("scope %q, call %d: got %s, want %s", scope, i, got, want)
			}
		}
	}
}

// Many calls at once: one effect for each key, counts in the order of recording.
func TestProviderUnderLoad(t *testing.T) {
	var n notes
	p := card(&n)
	p.Contract = contract.Contract{InFlight: contract.Field{Values: []string{"wait"}}}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for j := range 20 {
				order := fmt.Sprint("o", (i+j)%10)
				p.Arm(Fault{"slow", "1us"}, order, 1)
				if got := p.call(t, fmt.Sprint("k", (i+j)%30), charge(order, 5)); !strings.HasPrefix(got, "201 ") {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	all.Wait()
	total, last := 0, map[string]int{}
	for _, c := range p.Ledger() {
		total += c
	}
	for _, e := range n.of(history.Effect) {
		if e.Count != last[e.Op]+1 {
			t.Errorf("%s counts %d after %d", e.Op, e.Count, last[e.Op])
		}
		last[e.Op] = e.Count
	}
	if total != 30 || !maps.Equal(last, p.Ledger()) {
		t.Errorf("%d effects for 30 keys; recorded %v, ledger %v", total, last, p.Ledger())
	}
}

// Over a real connection: the lost answer is a reset that net/http does not
// repair by itself, not even on a client that keeps connections.
func TestProviderOnTheWire(t *testing.T) {
	var n notes
	p := card(&n)
	url, stop, err := p.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	send := func(key string) (int, error) {
		r := post(t, url+"/v1/charges", charge("o1", 5))
		r.Header.Set("Idempotency-Key", key)
		resp, err := client.Do(r)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, err
	}
	if code, err := send("k0"); code != 201 || err != nil {
		t.Fatal(code, err)
	}
	fired := p.Arm(LoseAnswer, "o1", 1)
	_, err = send("k1")
	if ok, _ := fired(); !ok || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
		t.Errorf("fired %v, the caller saw %v", ok, err)
	}
	if p.Ledger()["o1"] != 2 {
		t.Errorf("%d effects after two calls", p.Ledger()["o1"])
	}
	stop()
	if _, err := send("k2"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after stop: %v", err)
	}
}

// stop comes back although a call is held, and nothing is left behind.
func TestProviderStopsWhileHolding(t *testing.T) {
	p := card(&notes{})
	url, stop, err := p.Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(url, "http://127.0.0.1:") || p.URL() != url {
		t.Errorf("listens at %s", url)
	}
	p.Arm(Fault{"slow", "1h"}, "o1", 1)
	arrived := make(chan struct{})
	p.Record = func(history.Event, []byte) int64 { // the fault is recorded when it begins
		select {
		case <-arrived:
		default:
			close(arrived)
		}
		return 0
	}
	got := make(chan Answer, 1)
	go func() { got <- new(Dialer).Send(t.Context(), post(t, url+"/v1/charges", charge("o1", 5)), Fault{}) }()
	within(t, arrived)
	stop()
	within(t, got)
	if p.Ledger()["o1"] != 1 {
		t.Error("what had arrived whole was not done")
	}
}
