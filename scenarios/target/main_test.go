package target

import (
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/idemcheck/idemcheck/internal/template"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func text(t testing.TB, s string) template.Text {
	t.Helper()
	x, err := template.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func str(t testing.TB, s string) template.Node {
	return template.Node{Kind: template.String, Text: text(t, s)}
}

func number(s string) template.Node { return template.Node{Literal: s} }

func mapping(fields ...template.Field) Body {
	return Body{JSON: true, Tree: template.Node{Kind: template.Mapping, Fields: fields}}
}

func carrier(t testing.TB, s string) Carrier {
	t.Helper()
	in, name, _ := strings.Cut(s, " ")
	if in == "none" {
		in = ""
	}
	return Carrier{In: in, Name: name}
}

// charge is the operation of most tests.
func charge(t testing.TB) Operation {
	return Operation{
		Method: "POST", Path: text(t, "/charges?to=${customer}"), Key: carrier(t, "header Idempotency-Key"),
		Headers: []Header{{Name: "Authorization", Value: text(t, "Bearer one")}, {Name: "X-Now", Value: text(t, "${now}")}},
		Body: mapping(
			template.Field{Name: "order", Node: str(t, "${id}")},
			template.Field{Name: "amount", Node: str(t, "${int 100 999}")},
			template.Field{Name: "currency", Node: str(t, "usd")},
		),
	}
}

func target(t testing.TB, base string, op Operation) *HTTP {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &HTTP{
		Base: u, Operations: map[string]Operation{"charge": op},
		Scopes: map[string]Scope{"bob": {Headers: []Header{{Name: "authorization", Value: text(t, "Bearer ${scope}")}}}},
		Agent:  "idemcheck/test run/r7", Run: "r7", Seed: 1,
	}
}

func attempt() Attempt {
	return Attempt{Operation: "charge", ID: "r7-1", Key: Key("r7-1"), Number: 1, Attempt: 1, Values: map[string]string{"customer": "c 1"}}
}
