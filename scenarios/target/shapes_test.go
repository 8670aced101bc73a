package target

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

// order has a field for each form of a value.
func order(t testing.TB) Operation {
	op := charge(t)
	op.Body = mapping(
		template.Field{Name: "order", Node: str(t, "${id}")},
		template.Field{Name: "lines", Node: template.Node{Kind: template.List, Items: []template.Node{number("3")}}},
		template.Field{Name: "amount", Node: number("2.50")},
		template.Field{Name: "note", Node: str(t, "hello")},
		template.Field{Name: "status", Node: str(t, "active")},
		template.Field{Name: "gift", Node: number("true")},
	)
	return op
}

func TestValues(t *testing.T) {
	h := target(t, "http://h", order(t))
	for _, c := range []struct{ value, variant, want string }{
		{"zero", "", `{"order":"r7-1","lines":[0],"amount":2.50,"note":"hello","status":"active","gift":true}`},
		{"one", "", `{"order":"r7-1","lines":[1],"amount":2.50,"note":"hello","status":"active","gift":true}`},
		{"largest", "", `{"order":"r7-1","lines":[9007199254740991],"amount":2.50,"note":"hello","status":"active","gift":true}`},
		{"empty-text", "", `{"order":"r7-1","lines":[3],"amount":2.50,"note":"","status":"active","gift":true}`},
		{"empty-list", "", `{"order":"r7-1","lines":[],"amount":2.50,"note":"hello","status":"active","gift":true}`},
		{"zero", "changed", `{"order":"r7-1","lines":[1],"amount":2.50,"note":"hello","status":"active","gift":true}`},
		{"empty-list", "changed", `{"order":"r7-1","lines":[],"amount":3.50,"note":"hello","status":"active","gift":true}`},
		{"empty-text", "note", `{"order":"r7-1","lines":[3],"amount":2.50,"note":"x","status":"active","gift":true}`},
	} {
		a := attempt()
		a.Value, a.Variant = c.value, c.variant
		if got := string(render(t, h, a, inject.Fault{}).Body); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.value, c.variant, got, c.want)
		}
	}
	a := attempt()
	a.Value = "long-text"
	var long struct{ Note string }
	if err := json.Unmarshal(render(t, h, a, inject.Fault{}).Body, &long); err != nil || len(long.Note) != longText {
		t.Errorf("%d bytes, %v", len(long.Note), err)
	}
	a.Value = "big"
	if _, err := h.Render(a, inject.Fault{}); err == nil || !strings.Contains(err.Error(), "legal are: zero, one, largest, empty-text, empty-list, long-text") {
		t.Error(err)
	}
}

func TestShapes(t *testing.T) {
	form := []Header{{Name: "Content-Type", Value: text(t, "application/x-www-form-urlencoded")}}
	versions := []template.Node{
		mapping(template.Field{Name: "status", Node: str(t, "active")}).Tree,
		mapping(template.Field{Name: "/status", Node: str(t, "gone")}, template.Field{Name: "/at", Node: str(t, "v${version}")}).Tree,
	}
	for _, c := range []struct {
		name, values, fields string
		versions             int
		change               func(*Operation)
	}{
		{"whole", "zero one largest empty-text empty-list long-text", "/lines/0 /amount /note /status /gift", 0, func(*Operation) {}},
		{"versions", "zero one largest empty-text empty-list long-text", "/lines/0 /amount /note /gift", 2, func(o *Operation) { o.Versions = versions }},
		{"text", "zero one largest empty-list", "/1/0", 0, func(o *Operation) { o.Body = Body{Text: text(t, `["${id}", [7, "${id}"], []]`)} }},
		{"form", "zero one largest empty-text long-text", "a b", 0, func(o *Operation) {
			o.Headers, o.Body = form, Body{Text: text(t, "o=${id}&a=5&b=x")}
		}},
		{"own count", "", "", manyVersions, func(o *Operation) { o.Body = Body{Text: text(t, "${version}")} }},
		{"none", "", "", 0, func(o *Operation) { o.Body = Body{} }},
	} {
		op := order(t)
		c.change(&op)
		if got := strings.Join(op.Values(), " "); got != c.values {
			t.Errorf("%s: values %s, want %s", c.name, got, c.values)
		}
		if got := strings.Join(op.Fields(), " "); got != c.fields {
			t.Errorf("%s: fields %s, want %s", c.name, got, c.fields)
		}
		if got := op.VersionCount(); got != c.versions {
			t.Errorf("%s: %d versions, want %d", c.name, got, c.versions)
		}
		for _, v := range op.Values() { // what is offered can be done
			a := attempt()
			a.Value = v
			render(t, target(t, "http://h", op), a, inject.Fault{})
		}
		for _, f := range op.Fields() {
			a := attempt()
			a.Variant = f
			render(t, target(t, "http://h", op), a, inject.Fault{})
		}
	}
}

func TestVersions(t *testing.T) {
	op := order(t)
	op.Body = mapping(template.Field{Name: "v", Node: str(t, "${version}")}, template.Field{Name: "status", Node: str(t, "new")})
	op.Versions = []template.Node{
		mapping(template.Field{Name: "status", Node: str(t, "active")}).Tree,
		mapping(template.Field{Name: "status", Node: str(t, "gone")}, template.Field{Name: "at", Node: str(t, "v${version}")}).Tree,
	}
	h := target(t, "http://h", op)
	for n, want := range []string{`{"v":1,"status":"new"}`, `{"v":1,"status":"active"}`, `{"v":2,"status":"gone","at":"v2"}`} {
		a := attempt()
		a.Version = n
		if m := render(t, h, a, inject.Fault{}); string(m.Body) != want || m.Version != n {
			t.Errorf("version %d: got %s, want %s", n, m.Body, want)
		}
	}
	a := attempt()
	a.Version = 3
	if _, err := h.Render(a, inject.Fault{}); err == nil || !strings.Contains(err.Error(), "it has 2 versions, there is no version 3") {
		t.Error(err)
	}
}

func TestEntry(t *testing.T) {
	h := target(t, "http://h", order(t))
	h.Operations["event"] = Operation{
		Method: "POST", Path: text(t, "/events/${customer}"), Key: carrier(t, "query k"),
		Body: mapping(
			template.Field{Name: "id", Node: str(t, "${body.order}")}, template.Field{Name: "n", Node: str(t, "${body.lines.0}")},
			template.Field{Name: "sum", Node: str(t, "sum ${body.amount}")}, template.Field{Name: "gift", Node: str(t, "${body.gift}")},
		),
	}
	for _, c := range []struct{ value, variant, body, at, err string }{
		{"", "", `{"id":"r7-1","n":3,"sum":"sum 2.50","gift":true}`, "", ""},
		{"zero", "", `{"id":"r7-1","n":0,"sum":"sum 2.50","gift":true}`, "", ""},
		{"", "amount", `{"id":"r7-1","n":3,"sum":"sum 3.50","gift":true}`, "/amount", ""},
		{"empty-text", "", "", "", "entry event does not carry the changed field: write ${body.note} into its body"},
		{"", "note", "", "", "write ${body.note} into its body"},
	} {
		a := attempt()
		a.Entry, a.Value, a.Variant = "event", c.value, c.variant
		m, err := h.Render(a, inject.Fault{})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s%s: %v", c.value, c.variant, err)
			}
			continue
		}
		if err != nil || string(m.Body) != c.body || m.Variant != c.at || m.Entry != "event" || m.URL != "http://h/events/c%201?k="+m.Key || m.Header.Get("Idempotency-Key") != "" {
			t.Errorf("%s%s: got %+v %s, %v", c.value, c.variant, m, m.Body, err)
		}
	}
	if d := cmp.Diff([]string{"body.amount", "body.gift", "body.lines.0", "body.note", "body.order", "body.status"}, h.Operations["charge"].BodyNames()); d != "" {
		t.Error(d)
	}
}

func TestFindAndReplica(t *testing.T) {
	op := order(t)
	op.Find = &Operation{Method: "GET", Path: text(t, "/charges?order=${id}")}
	h := target(t, "http://h", op)
	second, err := url.Parse("http://h2/api")
	if err != nil {
		t.Fatal(err)
	}
	h.Replicas = append(h.Replicas, second)
	a := attempt()
	a.Find, a.Replica, a.Value = true, 2, "zero"
	m := render(t, h, a, inject.Fault{})
	if m.URL != "http://h2/api/charges?order=r7-1" || m.Method != "GET" || m.Key != "" || len(m.Body) > 0 || m.Replica != 2 || m.Header.Get("Authorization") != "Bearer one" {
		t.Errorf("%+v", m)
	}
	a.Replica = 3
	if _, err := h.Render(a, inject.Fault{}); err == nil || !strings.Contains(err.Error(), "the target has 2 addresses") {
		t.Error(err)
	}
	if m := render(t, h, attempt(), inject.Fault{}); m.Replica != 1 {
		t.Errorf("%+v", m)
	}
	h.Replicas = nil
	if m := render(t, h, attempt(), inject.Fault{}); m.Replica != 0 {
		t.Errorf("%+v", m)
	}
}
