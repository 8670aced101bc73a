package traffic

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/history"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		mask, where string
		want        bool
	}{{"/id", "/id", true}, {"/id", "/ids", false}, {"/items/*/id", "/items/*/id", true}, {"/*/id", "/data/id", true}, {"/*", "/a/b", false}, {"", "", true}, {"/a/b", "/a", false}} {
		if got := covers(c.mask, c.where); got != c.want {
			t.Errorf("%s on %s: %v", c.mask, c.where, got)
		}
	}
}

func TestMasksOfTheFile(t *testing.T) {
	b := newBench(Options{Masks: []string{"/id"}})
	if got := b.tell(story{request: "POST /charges", first: `201 {"id":"$U","n":1}`, second: `201 {"id":"$U","n":1}`}, 5); got.Verdict != Unknown || got.Same != 5 {
		t.Error(got.Verdict, got.Findings)
	}
}

// Names of fields that change in refusals and in answers to GET tell nothing elsewhere.
func TestFreshNamesAreLearned(t *testing.T) {
	b := newBench(Options{})
	b.tell(story{request: "GET /things", first: `200 {"incidentId":"$U"}`, second: `200 {"incidentId":"$U"}`}, 2)
	got := b.tell(story{request: "POST /incidents", first: `201 {"incidentId":"$U"}`, second: `201 {"incidentId":"$U"}`}, 5)
	if got.Verdict != Unknown || got.Same != 5 {
		t.Error(got.Verdict, got.Findings)
	}
}

// Whatever a service makes anew in each answer beside what it keeps, by the names
// and forms that say so, it is not accused.
func TestCalmFieldsNeverAccuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"request_id", "traceId", "correlationId", "took", "duration_ms", "timestamp", "updatedAt", "served_by_host", "nonce",
			"csrf_token", "expires_in", "responseId", "server_time", "spanId", "session"}), 1, 6, rapid.ID[string]).Draw(t, "names")
		values := func(label string) string {
			var b strings.Builder
			for _, name := range names {
				v := rapid.OneOf(rapid.StringMatching(`[a-z0-9]{4,20}`), rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}`)).Draw(t, label)
				fmt.Fprintf(&b, `,%q:%q`, name, v)
			}
			return b.String()
		}
		b := newBench(Options{})
		s := story{request: "POST /orders", keyless: rapid.Bool().Draw(t, "keyless"),
			first: `201 Location: /orders/or_$M {"id":"or_$M"` + values("first") + `}`, second: `201 Location: /orders/or_$M {"id":"or_$M"` + values("second") + `}`}
		got := b.tell(s, rapid.IntRange(1, 6).Draw(t, "times"))
		if got.Verdict != Unknown {
			t.Fatalf("%s: %v", got.Verdict, got.Findings)
		}
	})
}

// A pair of equal answers is never accused, whatever is in it.
func TestEqualAnswersNeverAccuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Answer{Status: rapid.SampledFrom([]int{200, 201, 202, 204, 303, 400, 404, 409, 422, 429, 500, 503}).Draw(t, "status"),
			Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"), Header: http.Header{}}
		a.Header.Set("Content-Type", rapid.SampledFrom([]string{"", "application/json", "text/html", "application/grpc", "image/png"}).Draw(t, "type"))
		l := New(Options{KeyTable: 10})
		for range 6 {
			l.Repeat(Repeat{Method: "POST", Target: "/x", Key: "k", First: a, Second: a})
		}
		if v := l.Report().Verdict; v != Unknown && v != NotTried {
			t.Fatal(v)
		}
	})
}

// Nothing that a service answers can make the comparison panic, and a report can
// always be written.
func FuzzRepeat(f *testing.F) {
	f.Add("POST", "/charges?a=1", "k", "application/json", "", []byte(`{"id":"ch_1","a":[1,{"b":null}]}`), []byte(`{"id":"ch_2"}`), 201, 201)
	f.Add("PUT", "/x", "", "text/html", "gzip", []byte("\x1f\x8b"), []byte("<form>"), 200, 500)
	f.Add("POST", "/s.T/M", "'", "application/grpc", "deflate", []byte{0, 0, 0, 0, 0}, []byte{1}, 200, 0)
	f.Add("DELETE", "/%zz", "\"", "application/x-www-form-urlencoded", "br", []byte("a=%zz&b=1"), []byte(strings.Repeat("[", 500)), 204, 404)
	f.Fuzz(func(t *testing.T, method, target, key, kind, coding string, first, second []byte, x, y int) {
		l := New(Options{KeyTable: 10})
		h := http.Header{"Content-Type": {kind}, "Content-Encoding": {coding}, "Location": {target}}
		for range 3 {
			l.Repeat(Repeat{Method: method, Target: target, Key: key, Header: h, Body: first, Fault: "repeat",
				First: Answer{Status: x, Header: h, Body: first}, Second: Answer{Status: y, Header: http.Header{"Location": {key}, "Content-Type": {kind}}, Body: second}})
			for _, look := range l.Looks() {
				l.Looked(look.ID, Answer{Status: 200, Body: second})
			}
		}
		r := l.Report()
		for _, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return r.Text(b, true) }, func(b *bytes.Buffer) error { return r.JSON(b) },
			func(b *bytes.Buffer) error { return r.Metrics(b) }, func(b *bytes.Buffer) error { return r.HTML(b, true) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Error(err)
			}
		}
	})
}

// The lines that repeat an example are what a shell takes for one request each,
// whatever is in it: nothing of it is run.
func TestCurlIsQuoted(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to read the lines with")
	}
	l := New(Options{KeyTable: 10, Target: "http://127.0.0.1:9001/"})
	evil := `'; echo pwned; $(echo pwned) "` + "`echo pwned`" + `\`
	for _, fault := range []string{"repeat", "overlap", "late: 0s", "drop-key"} {
		r := Repeat{Method: "PUT", Target: "/a?x=" + evil, Fault: fault, Key: evil + "k", Overlapped: fault == "overlap", OtherKey: fault == "drop-key", At: time.Unix(0, 0),
			Header: http.Header{"Content-Type": {"text/plain"}, "Idempotency-Key": {evil + "k"}, "X-Note": {evil}, "Authorization": {"Bearer " + evil}, "X-Api-Key": {evil}}, Body: []byte(evil)}
		lines := l.curl(&r, longBody)
		out, err := exec.Command(sh, "-c", "date() { echo 7; }; curl() { for a; do printf '[%s]' \"$a\"; done; echo; }; TOKEN=t; X_API_KEY=x\n"+lines).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s\n%s", fault, err, lines, out)
		}
		if r.Overlapped {
			continue // both write at once
		}
		for line := range strings.Lines(string(out)) {
			want := "[" + evil + "]"
			if !strings.Contains(line, "[--data-raw]"+want) || !strings.Contains(line, "[X-Note: "+evil+"]") || !strings.Contains(line, "[Authorization: Bearer t]") || !strings.Contains(line, "[X-Api-Key: x]") {
				t.Errorf("%s: %s", fault, line)
			}
		}
		if n := strings.Count(string(out), "again-7"); n != map[bool]int{true: 1, false: 2}[r.OtherKey] {
			t.Errorf("%s: the key is sent %d times:\n%s", fault, n, out)
		}
		if strings.Count(string(out), "\n") != 2 {
			t.Errorf("%s: %s", fault, out)
		}
	}
}

// Looks ask with the credentials of the caller, and not with its key.
func TestLooksAskAsTheCaller(t *testing.T) {
	b := newBench(Options{})
	r := Repeat{Method: "POST", Target: "/charges", Fault: "repeat", Key: "k1", Header: http.Header{"Authorization": {"Bearer a"}, "Idempotency-Key": {"k1"}, "Content-Type": {"application/json"},
		"X-Tenant": {"t1"}, "Expect": {"100-continue"}}, First: answer(`201 Location: /charges/ch_1a2b3c {"id":"ch_1a2b3c"}`), Second: answer(`201 Location: /charges/ch_4d5e6f {"id":"ch_4d5e6f"}`)}
	b.Repeat(r)
	looks := b.Looks()
	if len(looks) != 3 || looks[0].Target != "/charges/ch_1a2b3c" || looks[1].Target != "/charges/ch_4d5e6f" || looks[2].Target == looks[1].Target || looks[2].Target == looks[0].Target {
		t.Fatalf("%+v", looks)
	}
	for _, l := range looks {
		if l.Header.Get("Authorization") == "" || l.Header.Get("X-Tenant") == "" || len(l.Header) != 2 {
			t.Error(l.Header)
		}
	}
	if len(b.Looks()) != 0 {
		t.Error("looks are given out twice")
	}
	for _, l := range looks {
		b.Looked(l.ID, Answer{Err: "reset"})
		b.Looked(l.ID, Answer{Status: 200})
	}
	if v := b.Report().Verdict; v == Certain {
		t.Error(v)
	}
}

// Answers elsewhere are not looked at.
func TestLooksStayHere(t *testing.T) {
	b := newBench(Options{})
	for _, place := range []string{"//evil.example/x/", "ch_", "../ch_"} {
		first, second := answer("201 Location: "+place+"1a2b"), answer("201 Location: "+place+"3c4d")
		b.Repeat(Repeat{Method: "POST", Target: "/charges", First: first, Second: second})
		for _, l := range b.Looks() {
			if !strings.HasPrefix(l.Target, "/") || strings.HasPrefix(l.Target, "//") {
				t.Errorf("%s: a look at %s", place, l.Target)
			}
		}
	}
}

// Secrets of real traffic are in no example, whatever the file says.
func TestExamplesHoldNoSecrets(t *testing.T) {
	b := newBench(Options{})
	for range 3 {
		b.Repeat(Repeat{Method: "POST", Target: "/orders?token=abcquery&access_token=accq1", Fault: "repeat", Header: http.Header{"Content-Type": {"application/json"}, "X-Auth-Token": {"xauth1"}},
			Body:  []byte(`{"order":"a","password":"hunter2","api_key":"sk_live_abcdefgh12345678","nested":{"client_secret":"cs_secret_99"}}`),
			First: answer(`201 {"id":"or_1a2b","token":"tok_first"}`), Second: answer(`500 {"token":"tok_second"}`)})
	}
	r := b.Report()
	all := printed(t, r.JSON) + text(t, r) + html(t, r, true)
	for _, secret := range []string{"hunter2", "sk_live", "cs_secret", "abcquery", "accq1", "tok_first", "tok_second", "xauth1"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is told", secret)
		}
	}
	if !strings.Contains(all, "$X_AUTH_TOKEN") || !strings.Contains(all, "or_1a2b") {
		t.Error("too little is told")
	}
}

func TestCurlReachesTheService(t *testing.T) {
	for target, want := range map[string]string{"h2c://127.0.0.1:9": "--http2-prior-knowledge 'http://127.0.0.1:9/x'", "unix:/run/s.sock": "--unix-socket '/run/s.sock' 'http://localhost/x'",
		"unix:///run/s.sock": "--unix-socket '/run/s.sock' 'http://localhost/x'", "https://a.example/": "'https://a.example/x'", "": "'http://127.0.0.1:8080/x'"} {
		l := New(Options{KeyTable: 10, Target: target, Listen: "http://127.0.0.1:8080"})
		if got := l.curl(&Repeat{Method: "POST", Target: "/x"}, longBody); !strings.Contains(got, want) {
			t.Errorf("%s: %s", target, got)
		}
	}
}

func TestCurlOfGRPC(t *testing.T) {
	for target, want := range map[string]string{"http://127.0.0.1:9": "--http2-prior-knowledge 'http://127.0.0.1:9/x'", "https://a.example": "--http2 'https://a.example/x'"} {
		l := New(Options{KeyTable: 10, Target: target})
		if got := l.curl(&Repeat{Method: "POST", Target: "/x", Header: http.Header{"Content-Type": {"application/grpc+proto"}}}, longBody); !strings.Contains(got, want) {
			t.Errorf("%s: %s", target, got)
		}
	}
}

// What is secret is a variable, and a key that is in the body or the query is new.
func TestCurlHasVariables(t *testing.T) {
	l := New(Options{KeyTable: 10, Target: "http://127.0.0.1:9", Redact: history.Redactor{Fields: []string{"path"}}})
	got := l.curl(&Repeat{Method: "POST", Target: "/x?a=1&token=abcquery&event=evt_1234", Key: "evt_1234", Header: http.Header{"X-Long": {strings.Repeat("x", 300)}, "Content-Type": {"application/json"}},
		Body: []byte(`{"id":"evt_1234","password":"it's","other":{"password":"q"},"again":"it's","path":7}`)}, longBody)
	for _, want := range []string{`token='"$TOKEN"'&event='"$KEY"''`, `{"id":"'"$KEY"'","password":"'"$PASSWORD"'","other":{"password":"'"$PASSWORD_2"'"}`, `"path":"'"$SECRET_PATH"'"`,
		"X-Long: " + strings.Repeat("x", 300), "# set PASSWORD, PASSWORD_2, SECRET_PATH, TOKEN: secrets are not kept\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "hmac") {
		t.Error(got)
	}
}

func TestCurlOfLongBodies(t *testing.T) {
	l := New(Options{KeyTable: 10, Target: "http://127.0.0.1:9", History: "/tmp/a run"})
	r := Repeat{Method: "POST", Target: "/x", Recorded: "r1-s7", Body: []byte(strings.Repeat("long ", 3000))}
	if got := l.curl(&r, longBody); !strings.Contains(got, string(r.Body)) {
		t.Error(got)
	}
	r.Body = append(r.Body, r.Body...)
	if got := l.curl(&r, longBody); !strings.Contains(got, `# grep -h '"op":"r1-s7"' '/tmp/a run'/history-*.jsonl`) {
		t.Error(got)
	}
	r.BodyCut = true
	if got := l.curl(&r, longBody); !strings.Contains(got, "put one like it") {
		t.Error(got)
	}
}

func TestClass(t *testing.T) {
	for n, want := range map[int]contract.Class{0: contract.Unknown, 100: contract.Unknown, 201: contract.OK, 302: contract.OK, 303: contract.OK, 304: contract.Unknown,
		404: contract.Refused, 408: contract.Unknown, 409: contract.Refused, 499: contract.Unknown, 503: contract.Unknown, 999: contract.Unknown} {
		if got := Class(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	call := Answer{Status: 200, Trailer: http.Header{"Grpc-Status": {"3"}}}
	if got := call.Class(); got != contract.Refused {
		t.Errorf("a refused call: %s", got)
	}
	if got := (Answer{Status: 201, Err: "cut-off"}).Class(); got != contract.Unknown {
		t.Errorf("an answer that broke off: %s", got)
	}
}
