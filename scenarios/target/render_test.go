package target

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

func render(t testing.TB, h *HTTP, a Attempt, f inject.Fault) Message {
	t.Helper()
	m, err := h.Render(a, f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestKey(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for _, id := range []string{"", "r7-1", "r7-2", "r7-11"} {
		k := Key(id)
		if !form.MatchString(k) || seen[k] || k != Key(id) {
			t.Errorf("key of %q: %s", id, k)
		}
		seen[k] = true
	}
}

// Every attempt of an operation is the same message to the byte.
func TestRenderOnce(t *testing.T) {
	h := target(t, "http://h/api/", charge(t))
	first := render(t, h, attempt(), inject.Fault{})
	again := attempt()
	again.Attempt = 2
	if d := cmp.Diff(first, render(t, h, again, inject.Fault{})); d != "" {
		t.Error(d)
	}
	if first.Line != "POST /api/charges" || first.URL != "http://h/api/charges?to=c%201" || first.Method != "POST" || first.Key != Key("r7-1") {
		t.Errorf("got %+v", first)
	}
	if !regexp.MustCompile(`^\{"order":"r7-1","amount":[1-9]\d\d,"currency":"usd"\}$`).Match(first.Body) {
		t.Errorf("got %s", first.Body)
	}
	for name, want := range map[string]string{
		"Idempotency-Key": Key("r7-1"), "Authorization": "Bearer one", "Content-Type": "application/json", "User-Agent": "idemcheck/test run/r7",
	} {
		if got := first.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	other := attempt()
	other.Number = 2
	if string(render(t, h, other, inject.Fault{}).Body) == string(first.Body) {
		t.Error("another operation drew the same amount")
	}
}

func TestRenderAnew(t *testing.T) {
	op := charge(t)
	op.Headers = append(op.Headers, Header{Name: "X-Nonce", Value: text(t, "${int 0 1000000000}"), Anew: true})
	op.Body.Anew = map[string]template.Node{"/nonce": str(t, "${int 0 1000000000}"), "/currency": str(t, "n-${n}")}
	h := target(t, "http://h", op)
	a, b := attempt(), attempt()
	b.Attempt = 2
	one, two := render(t, h, a, inject.Fault{}), render(t, h, b, inject.Fault{})
	if one.Header.Get("X-Nonce") == two.Header.Get("X-Nonce") || one.Header.Get("X-Now") != two.Header.Get("X-Now") {
		t.Errorf("got %v and %v", one.Header, two.Header)
	}
	var x, y struct {
		Order, Currency string
		Amount, Nonce   int
	}
	if json.Unmarshal(one.Body, &x) != nil || json.Unmarshal(two.Body, &y) != nil {
		t.Fatalf("got %s and %s", one.Body, two.Body)
	}
	if x.Nonce == y.Nonce || x.Currency != "n-1" {
		t.Errorf("got %s and %s", one.Body, two.Body)
	}
	if y.Nonce = x.Nonce; x != y {
		t.Errorf("more than the nonce differs: %s and %s", one.Body, two.Body)
	}
}

func TestRenderScope(t *testing.T) {
	h := target(t, "http://h", charge(t))
	a := attempt()
	a.Scope = "bob"
	if got := render(t, h, a, inject.Fault{}).Header.Values("Authorization"); cmp.Diff([]string{"Bearer bob"}, got) != "" {
		t.Errorf("got %v", got)
	}
	a.Scope = "eve"
	if _, err := h.Render(a, inject.Fault{}); err == nil || !strings.Contains(err.Error(), `unknown scope "eve", known are: bob`) {
		t.Errorf("got %v", err)
	}
}

func TestCarriers(t *testing.T) {
	key := Key("r7-1")
	for _, c := range []struct {
		name    string
		change  func(*Operation, *HTTP)
		fault   inject.Fault
		key     string // carried
		header  string
		url     string
		body    string // contains
		keyless string
	}{
		{name: "quoted", change: func(_ *Operation, h *HTTP) { h.Quoted = true }, key: key, header: `"` + key + `"`},
		{name: "value", change: func(o *Operation, _ *HTTP) { o.Key.Value = text(t, "order-${id}") }, key: "order-r7-1", header: "order-r7-1"},
		{name: "value, changed", change: func(o *Operation, _ *HTTP) { o.Key.Value = text(t, "order-${id}") }, fault: inject.ChangeKey, key: "order-r7-1-2", header: "order-r7-1-2"},
		{name: "value of the key, changed", change: func(o *Operation, _ *HTTP) { o.Key.Value = text(t, "k-${key}") }, fault: inject.ChangeKey, key: "k-" + Key(key), header: "k-" + Key(key)},
		{name: "changed", fault: inject.ChangeKey, key: Key(key), header: Key(key)},
		{name: "dropped", fault: inject.DropKey, keyless: "dropped"},
		{name: "query", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "query k&") }, key: key, url: "?to=c%201&k%26=" + key},
		{name: "query dropped", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "query k") }, fault: inject.DropKey, keyless: "dropped", url: "?to=c%201"},
		{name: "body", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "body /key") }, key: key, body: `"usd","key":"` + key + `"}`},
		{name: "body in its place", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "body /order") }, key: key, body: `{"order":"` + key + `","amount`},
		{name: "body changed", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "body /key") }, fault: inject.ChangeKey, key: Key(key), body: `"key":"` + Key(key) + `"`},
		{name: "body dropped", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "body /order") }, fault: inject.DropKey, keyless: "dropped", body: `{"amount"`},
		{name: "body, never there", change: func(o *Operation, _ *HTTP) { o.Key = carrier(t, "body /key") }, fault: inject.DropKey, keyless: "dropped", body: `"usd"}`},
		{name: "text", change: func(o *Operation, _ *HTTP) {
			o.Key, o.Body = carrier(t, "body /key"), Body{Text: text(t, "key=${key}")}
		}, fault: inject.ChangeKey, key: Key(key), body: "key=" + Key(key)},
		{name: "several", change: func(o *Operation, _ *HTTP) {
			o.More = []Carrier{carrier(t, "query k"), carrier(t, "body /key"), carrier(t, "body /order")}
		}, fault: inject.ChangeKey, key: Key(key), header: Key(key), url: "&k=" + Key(key), body: `{"order":"` + Key(key) + `","amount`},
		{name: "several, dropped", change: func(o *Operation, _ *HTTP) {
			o.More = []Carrier{carrier(t, "query k"), carrier(t, "body /order")}
		}, fault: inject.DropKey, keyless: "dropped", url: "?to=c%201", body: `{"amount`},
		{name: "graphql", change: func(o *Operation, _ *HTTP) {
			o.Key, o.Body = Carrier{In: InText}, mapping(template.Field{Name: "query", Node: str(t, `mutation @idempotent(key: "${key}") { pay }`)})
		}, fault: inject.ChangeKey, key: Key(key), body: `{"query":"mutation @idempotent(key: \"` + Key(key) + `\") { pay }"}`},
		{name: "derived", change: func(o *Operation, _ *HTTP) { o.Key, o.Derived = Carrier{}, true }, keyless: "derived"},
		{name: "none", change: func(o *Operation, _ *HTTP) { o.Key = Carrier{} }, keyless: "none"},
	} {
		op := charge(t)
		h := target(t, "http://h", op)
		if c.change != nil {
			c.change(&op, h)
			h.Operations["charge"] = op
		}
		m := render(t, h, attempt(), c.fault)
		if m.Key != c.key || m.Keyless != c.keyless || m.Header.Get("Idempotency-Key") != c.header ||
			!strings.HasSuffix(m.URL, c.url) || !strings.Contains(string(m.Body), c.body) {
			t.Errorf("%s: got %+v with body %s", c.name, m, m.Body)
		}
	}
}

func TestVariants(t *testing.T) {
	form := []Header{{Name: "content-type", Value: text(t, "application/x-www-form-urlencoded; charset=utf-8")}}
	for _, c := range []struct {
		name      string
		body      Body
		headers   []Header
		variant   string
		fault     inject.Fault
		want, at  string
		unchanged string
	}{
		{name: "first number", body: mapping(template.Field{Name: "a", Node: str(t, "x")}, template.Field{Name: "b/c", Node: number("1.50")}), variant: "changed", want: `{"a":"x","b/c":2.50}`, at: "/b~1c"},
		{name: "first text", body: mapping(template.Field{Name: "o", Node: str(t, "${id}")}, template.Field{Name: "a", Node: str(t, "x")}), variant: "changed", want: `{"o":"r7-1","a":"xx"}`, at: "/a"},
		{name: "by name", body: mapping(template.Field{Name: "a", Node: number("1")}, template.Field{Name: "b/c", Node: str(t, "x")}), variant: "b/c", want: `{"a":1,"b/c":"xx"}`, at: "/b~1c"},
		{name: "by pointer", body: mapping(template.Field{Name: "a", Node: number("1")}, template.Field{Name: "b", Node: number("true")}), variant: "/b", want: `{"a":1,"b":false}`, at: "/b"},
		{name: "text that is JSON", body: Body{Text: text(t, `{ "o": "${id}", "c": ${customer}, "l": ["x", 7] }`)}, variant: "changed", want: `{ "o": "r7-1", "c": 5, "l": ["x", 8] }`, at: "/l/1"},
		{name: "text that is JSON, no number", body: Body{Text: text(t, `["${id}","${now}",${customer},"x"]`)}, variant: "changed", want: "", at: "/3"},
		{name: "form", body: Body{Text: text(t, "order=${id}&c=${customer}&cur=usd&amount=12")}, headers: form, variant: "changed", want: "order=r7-1&c=5&cur=usd&amount=13", at: "amount"},
		{name: "form by name", body: Body{Text: text(t, "order=${id}&cur=usd")}, headers: form, variant: "cur", want: "order=r7-1&cur=usdx", at: "cur"},
		{name: "form, first text", body: Body{Text: text(t, "order=${id}&cur=usd")}, headers: form, fault: inject.ChangePayload, want: "order=r7-1&cur=usdx", at: "cur"},
		{name: "fault at a place", body: mapping(template.Field{Name: "a", Node: number("1")}, template.Field{Name: "b", Node: number("2")}), fault: inject.Fault{Name: "change-payload", Arg: "/b"}, want: `{"a":1,"b":3}`, at: "/b"},
	} {
		op := Operation{Method: "POST", Path: text(t, "/x"), Key: carrier(t, "header K"), Headers: c.headers, Body: c.body}
		a := attempt()
		a.Variant, a.Values = c.variant, map[string]string{"customer": "5"}
		m := render(t, target(t, "http://h", op), a, c.fault)
		if c.want != "" && string(m.Body) != c.want || m.Variant != c.at {
			t.Errorf("%s: got %s at %s, want %s at %s", c.name, m.Body, m.Variant, c.want, c.at)
		}
		if !op.Variable() {
			t.Errorf("%s: not variable", c.name)
		}
	}
}

func TestReencode(t *testing.T) {
	h := target(t, "http://h", charge(t))
	plain, other := render(t, h, attempt(), inject.Fault{}), render(t, h, attempt(), inject.Reencode)
	var a, b map[string]any
	if json.Unmarshal(plain.Body, &a) != nil || json.Unmarshal(other.Body, &b) != nil || cmp.Diff(a, b) != "" {
		t.Errorf("another meaning: %s and %s", plain.Body, other.Body)
	}
	if string(plain.Body) == string(other.Body) || other.Variant != "" {
		t.Errorf("got %s, variant %q", other.Body, other.Variant)
	}
}

func TestRenderErrors(t *testing.T) {
	for _, c := range []struct {
		want    string
		change  func(*Operation)
		attempt func(*Attempt)
		fault   inject.Fault
	}{
		{want: `unknown operation "x", known are: charge`, attempt: func(a *Attempt) { a.Operation = "x" }},
		{want: "carries no key (key: none)", change: func(o *Operation) { o.Key = Carrier{} }, fault: inject.ChangeKey},
		{want: "carries no key (key: none)", change: func(o *Operation) { o.Key = Carrier{} }, fault: inject.DropKey},
		{want: "drop-key: the key is part of a text", change: func(o *Operation) { o.Key, o.Body = Carrier{In: InText}, Body{Text: text(t, "${key}")} }, fault: inject.DropKey},
		{want: "malform-key: the operation carries no key (key: derived)", change: func(o *Operation) { o.Key, o.Derived = Carrier{}, true }, fault: inject.MalformKey},
		{want: "change-payload: the operation has no body", change: func(o *Operation) { o.Body = Body{} }, fault: inject.ChangePayload},
		{want: "reencode: the body is not JSON", change: func(o *Operation) { o.Body = Body{} }, fault: inject.Reencode},
		{want: "variant changed: the body has no number and no text", change: func(o *Operation) { o.Body = mapping(template.Field{Name: "o", Node: str(t, "${id}")}) }, attempt: func(a *Attempt) { a.Variant = "changed" }},
		{want: "variant nope: the body has no value at /nope", attempt: func(a *Attempt) { a.Variant = "nope" }},
		{want: "put ${key} where the key /key belongs", change: func(o *Operation) { o.Key, o.Body = carrier(t, "body /key"), Body{Text: text(t, "x")} }},
		{want: "write it as a mapping", change: func(o *Operation) { o.Key, o.Body = carrier(t, "body /key"), Body{Text: text(t, "${key}")} }, fault: inject.DropKey},
		{want: "the body has no place /a/b", change: func(o *Operation) { o.Key = carrier(t, "body /a/b") }},
		{want: "key: it is empty", attempt: func(a *Attempt) { a.Key = "" }},
		{want: "path: template: unknown name ${customer}", attempt: func(a *Attempt) { a.Values = nil }},
		{want: "header X: template: unknown name ${nope}", change: func(o *Operation) { o.Headers = []Header{{Name: "X", Value: text(t, "${nope}")}} }},
		{want: "http://other/x is not on the target http://h", change: func(o *Operation) { o.Path = text(t, "http://other/x") }},
		{want: "path that begins with one /", change: func(o *Operation) { o.Path = text(t, "//other/x") }},
	} {
		op, a := charge(t), attempt()
		if c.change != nil {
			c.change(&op)
		}
		if c.attempt != nil {
			c.attempt(&a)
		}
		if _, err := target(t, "http://h", op).Render(a, c.fault); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestTraits(t *testing.T) {
	op := charge(t)
	if !op.OwnBody() || !op.Variable() || !op.JSONBody() {
		t.Errorf("charge: %v %v %v", op.OwnBody(), op.Variable(), op.JSONBody())
	}
	for _, c := range []struct {
		body                body
		own, variable, json bool
	}{
		{body{mapping(template.Field{Name: "n", Node: number("1")}), "none"}, false, true, true},
		{body{mapping(template.Field{Name: "n", Node: number("1")}), "body /key"}, false, true, true},
		{body{mapping(template.Field{Name: "n", Node: str(t, "${customer}")}), "none"}, false, false, true},
		{body{Body{Text: text(t, `{"a": ${int 1 2}}`)}, "none"}, false, true, true},
		{body{Body{Text: text(t, `x=${id}`)}, "none"}, true, false, false},
		{body{Body{}, "none"}, false, false, false},
	} {
		op.Body, op.Key = c.body.Body, carrier(t, c.body.key)
		if op.OwnBody() != c.own || op.Variable() != c.variable || op.JSONBody() != c.json {
			t.Errorf("%+v: %v %v %v", c.body, op.OwnBody(), op.Variable(), op.JSONBody())
		}
	}
}

type body struct {
	Body
	key string
}

// A body without a type of its own gets the one that it is.
func TestContentType(t *testing.T) {
	for in, want := range map[string]string{`[1]`: "application/json", "a=1": "", "": ""} {
		op := Operation{Method: http.MethodPost, Path: text(t, "/"), Body: Body{Text: text(t, in)}}
		if got := render(t, target(t, "http://h", op), attempt(), inject.Fault{}).Header.Get("Content-Type"); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}
