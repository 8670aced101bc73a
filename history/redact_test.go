package history

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

var testRedactor = Redactor{
	Fields:  []string{"password", "Card", "cvc"},
	Headers: []string{"X-Api-Key"},
	Values:  []string{"hunter2", "hunter22", `qu"ote`, "a b/c", "12345", "x"},
}

// redact shows each marker as # and its number among the different ones.
func redact(c *censor, s string) string {
	_, isJSON := Canonical([]byte(s))
	seen := map[string]string{}
	return regexp.MustCompile(`<hmac:[0-9a-f]{8}>`).ReplaceAllStringFunc(c.text(s, isJSON, 0), func(m string) string {
		if seen[m] == "" {
			seen[m] = "#" + string(rune('1'+len(seen)))
		}
		return seen[m]
	})
}

func TestRedactText(t *testing.T) {
	c := newCensor(testRedactor, newHasher())
	for in, want := range map[string]string{
		// Nothing secret.
		`{"a":1}`: `{"a":1}`,
		``:        ``,
		`{"order":"r7k2m9-12","at":1767320045678901234,"ms":1767323045123,"f":0.4111111111111111}`: `{"order":"r7k2m9-12","at":1767320045678901234,"ms":1767323045123,"f":0.4111111111111111}`,
		`2026-01-02 03:04:05 4111`:            `2026-01-02 03:04:05 4111`,
		`4111111111111112 4111 1111 1111 111`: `4111111111111112 4111 1111 1111 111`,
		`x=x`:                                 `x=x`,

		// Fields.
		`{"password":"p","b":2}`:                            `{"password":"#1","b":2}`,
		`{ "PassWord" : "p" , "n":{"password":"p"}}`:        `{ "PassWord" : "#1" , "n":{"password":"#1"}}`,
		`{"pass\u0077ord":"p","cvc":123,"a":{"cvc":"123"}}`: `{"pass\u0077ord":"#1","cvc":"#2","a":{"cvc":"#2"}}`,
		`{"cvc":1.0,"a":[{"cvc":1},{"cvc":1e0}]}`:           `{"cvc":"#1","a":[{"cvc":"#1"},{"cvc":"#1"}]}`,
		`{"card":{"n":"}","m":[1]},"a":1}`:                  `{"card":"#1","a":1}`,
		`{"card":[1,2],"cvc":null,"password":true}`:         `{"card":"#1","cvc":"#2","password":"#3"}`,
		`{"a":"password","b":"card"}`:                       `{"a":"password","b":"card"}`,
		`{"password":"p","password":"q"}`:                   `{"password":"#1","password":"#2"}`,
		`{"Authorization":"Bearer t","x-api-key":"k"}`:      `{"Authorization":"#1","x-api-key":"#2"}`,

		// JSON that is cut off, or within a text.
		`{"a":1,"password":"secr`:               `{"a":1,"password":"#1"`,
		`{"card":{"number":"12`:                 `{"card":"#1"`,
		`201 {"id":"ch_1","password":"p"}`:      `201 {"id":"ch_1","password":"#1"}`,
		`5" pipe {"password":"p","cvc":12}`:     `5" pipe {"password":"#1","cvc":"#2"}`,
		`bad answer "{\"password\":\"p\"}"`:     `bad answer "{\"password\":\"#1\"}"`,
		`{"log":"{\"password\":\"p\",\"a\":1}"`: `{"log":"{\"password\":\"#1\",\"a\":1}"`,
		`{"log":"{\"cvc\":12}","cvc":"12"}`:     `{"log":"{\"cvc\":\"#1\"}","cvc":"#1"}`,

		// Forms and query strings.
		`a=b&password=p&c=d`:                 `a=b&password=#1&c=d`,
		`password=p%2Fq&Password=p/q`:        `password=#1&Password=#1`,
		`card[number]=1&source.cvc=2&y=card`: `card[number]=#1&source.cvc=#2&y=card`,
		`card%5Bnumber%5D=1`:                 `card%5Bnumber%5D=#1`,
		`POST /charges?password=p&a=b`:       `POST /charges?password=#1&a=b`,
		`Post "http://h/?cvc=1": EOF`:        `Post "http://h/?cvc=#1": EOF`,
		`{"next":"/c?page=2&password=p"}`:    `{"next":"/c?page=2&password=#1"}`,
		`password='p q' user="x" card=`:      `password='#1' user="x" card=`,
		`dial postgres://app:s3@db:5432/x`:   `dial postgres://app:#1@db:5432/x`,
		`http://host:80/a@b http://u@h`:      `http://host:80/a@b http://u@h`,

		// Literals.
		`say hunter2!`:                           `say #1!`,
		`{"a":"hunter2","b":["hunter22"]}`:       `{"a":"#1","b":["#2"]}`,
		`{"a":"qu\"ote","b":"qu\u0022ote"}`:      `{"a":"#1","b":"#1"}`,
		`{"a":12345,"b":"12345","hunter2":true}`: `{"a":"#1","b":"#1","#2":true}`,
		`{"a":9123459}`:                          `{"a":"#1"}`,
		`q=a+b%2Fc&z=1`:                          `q=#1&z=1`,
		`{"a":"say \"hunter2\""}`:                `{"a":"say \"#1\""}`,
		`{"password":"hunter2","b":"hunter2"}`:   `{"password":"#1","b":"#1"}`,

		// Cards.
		`4111111111111111`:                                 `"#1"`,
		`pay 4111111111111111.`:                            `pay #1.`,
		`pay 4111 1111 1111 1111 now`:                      `pay #1 now`,
		`4111-1111-1111-1111,4111111111111111`:             `#1,#1`,
		`{"n":"4111 1111 1111 1111","pan":"x"}`:            `{"n":"#1","pan":"x"}`,
		`{"n":4111111111111111,"m":4111111111111111}`:      `{"n":"#1","m":"#1"}`,
		`[4.111111111111111e15, 41111111111111110E-1]`:     `["#1", "#1"]`,
		`{"n":"4111\u00201111 1111 1111"}`:                 `{"n":"#1"}`,
		`3782 822463 10005 | 378282246310005`:              `#1 | #1`,
		`5555555555554444 2223003122003222`:                `#1 #2`,
		`6011111111111117 3530111333300000 36227206271667`: `#1 #2 #3`,
		`12 4111 1111 1111 1111`:                           `12 #1`,
		`ch_4111111111111111`:                              `ch_#1`,
		`9794111111111111111 41111111111111111111`:         `9794111111111111111 41111111111111111111`,
		`<pan>4242424242424242</pan>`:                      `<pan>#1</pan>`,
		`card number 4242-4242 4242-4242`:                  `card number 4242-4242 4242-4242`,
	} {
		got := redact(c, in)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
		if json.Valid([]byte(in)) && !json.Valid([]byte(c.text(in, true, 0))) {
			t.Errorf("%s becomes %s, which is no JSON", in, got)
		}
	}
}

func TestRedactEvent(t *testing.T) {
	h := record(t, testRedactor, func(r *Recorder) {
		r.Add(Event{
			Kind: OK, Op: "hunter2", Hidden: `201 {"password":"p"}`, Cause: "card 4111111111111111",
			Attrs: map[string]string{
				AttrRequest:                "POST /?cvc=1",
				AttrHeader + "set-cookie":  "s=1",
				AttrHeader + "X-API-Key":   "k",
				AttrHeader + "location":    "/c/hunter2",
				AttrHeader + "retry-after": "1",
				AttrHeader + "cookie":      "",
			},
		}, []byte(`{"password":"p"}`))
		r.Add(Event{Kind: OK}, []byte("password=p\xff4111111111111111"))
		r.Add(Event{Kind: State, Body: "1|hunter2"}, nil)
	})
	text := string(appendEvent(appendEvent(appendEvent(nil, &h.Events[0]), &h.Events[1]), &h.Events[2]))
	for _, secret := range []string{`"p"`, `\"p\"`, "41111111", "s=1", `"k"`, "cvc=1", "c/hunter2", "|hunter2"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %s", secret, text)
		}
	}
	e := h.Events[0]
	if e.Op != "hunter2" || e.Attrs[AttrHeader+"retry-after"] != "1" || e.Attrs[AttrHeader+"cookie"] != "" {
		t.Errorf("too much is redacted: %s", text)
	}
	if _, inBody, _ := strings.Cut(e.Body, "<hmac:"); !strings.Contains(e.Hidden, "<hmac:"+inBody) {
		t.Errorf("one secret, two markers: %s and %s", e.Body, e.Hidden)
	}
}

func TestSecretHeaders(t *testing.T) {
	for header, want := range map[string]bool{
		"Authorization": true, "COOKIE": true, "set-cookie": true, "Proxy-Authorization": true, "x-api-KEY": true, "Location": false, "": false,
	} {
		if got := testRedactor.Secret(header); got != want {
			t.Errorf("Secret(%q) = %v", header, got)
		}
	}
	if !(Redactor{}).Secret("Cookie") {
		t.Error("the zero Redactor keeps cookies")
	}
}

func TestFingerprintsAreOfTheTrueBytes(t *testing.T) {
	h := record(t, testRedactor, func(r *Recorder) {
		r.Add(Event{Kind: Invoke}, []byte(`{"password":"p"}`))
		r.Add(Event{Kind: Invoke}, []byte(`{"password":"q"}`))
	})
	if h.Events[0].Payload == h.Events[1].Payload {
		t.Error("two bodies have one fingerprint")
	}
	other := record(t, testRedactor, func(r *Recorder) { r.Add(Event{Kind: Invoke}, []byte(`{"password":"p"}`)) })
	if h.Events[0].Payload == other.Events[0].Payload {
		t.Error("two runs have one key")
	}
}

func FuzzRedact(f *testing.F) {
	f.Add(`{"a":{"password":"`, `x","b":[4111111111111111,"{\"cvc\":1}"]}`)
	f.Add(`password=`, `&card[a]=1 http://u:p@h "`)
	f.Fuzz(func(t *testing.T, a, b string) {
		const secret = "s3cr3t-value"
		c := newCensor(Redactor{Fields: []string{"password", "cvc"}, Values: []string{secret}}, newHasher())
		s := a + secret + b
		_, isJSON := Canonical([]byte(s))
		got := c.text(s, isJSON, 0)
		if strings.Contains(got, secret) {
			t.Errorf("%q becomes %q", s, got)
		}
		if isJSON && !json.Valid([]byte(got)) {
			t.Errorf("%q becomes %q, which is no JSON", s, got)
		}
	})
}
