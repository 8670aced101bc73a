package template

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func text(t testing.TB, s string) Node { return Node{Kind: String, Text: mustParse(t, s)} }

func lit(s string) Node { return Node{Literal: s} }

func mapping(fields ...Field) Node { return Node{Kind: Mapping, Fields: fields} }

func TestNodeJSON(t *testing.T) {
	n := mapping(
		Field{"order", text(t, "${id}")},
		Field{"amount", text(t, "${int 7 7}")},
		Field{"n", text(t, "${n}")},
		Field{"label", text(t, "no ${n} <&>\u2028")},
		Field{"a/b~c", Node{Kind: List, Items: []Node{lit("1.50"), lit("true"), lit(""), mapping(), {Kind: List}}}},
		Field{"customer", text(t, "${customer}")},
	)
	b, err := n.JSON(vars)
	want := `{"order":"r7k2m9-12","amount":7,"n":12,"label":"no 12 <&>\u2028","a/b~c":[1.50,true,null,{},[]],"customer":"cus_1"}`
	if err != nil || string(b) != want {
		t.Fatalf("got %s, %v\nwant %s", b, err, want)
	}
	if !json.Valid(b) {
		t.Error("not JSON")
	}
	if d := cmp.Diff([]string{"id", "int", "n", "customer"}, n.Names()); d != "" {
		t.Error(d)
	}
}

// Two places of one body draw different numbers; one place the same one twice.
func TestNodePlaces(t *testing.T) {
	n := mapping(Field{"a", text(t, "${int 0 1000000000}")}, Field{"b", text(t, "${int 0 1000000000}")})
	first, _ := n.JSON(vars)
	again, _ := n.JSON(vars)
	var got struct{ A, B int }
	if err := json.Unmarshal(first, &got); err != nil {
		t.Fatal(err)
	}
	if got.A == got.B || string(first) != string(again) {
		t.Errorf("got %s, then %s", first, again)
	}
}

func TestNodeErrors(t *testing.T) {
	for want, n := range map[string]Node{
		`body at /a~1b/0: "0x10" is no JSON value`: mapping(Field{"a/b", Node{Kind: List, Items: []Node{lit("0x10")}}}),
		"body at /c: template: unknown name ${d}":  mapping(Field{"c", text(t, "${d}")}),
	} {
		if _, err := n.JSON(vars); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestOwned(t *testing.T) {
	for _, c := range []struct {
		name, want string
		node       Node
	}{
		{"int", `"/cur 0/amount`, mapping(Field{"cur", text(t, "usd")}, Field{"order", text(t, "${id}")}, Field{"amount", text(t, "${int 1 9}")})},
		{"list", "[/a t/a/0 0/a/1 0/b", mapping(Field{"a", Node{Kind: List, Items: []Node{lit("true"), lit("-1")}}}, Field{"b", lit("2")})},
		{"n and version name the operation", `"/cur`, mapping(Field{"n", text(t, "${n}")}, Field{"v", text(t, "${version}")}, Field{"cur", text(t, "usd")})},
		{"text of an int", `"/label`, mapping(Field{"order", text(t, "o-${id}")}, Field{"customer", text(t, "${customer}")}, Field{"label", text(t, "no ${int 1 9}")})},
		{"escaped", "0/a~1b~0", mapping(Field{"a/b~", lit("1")})},
		{"list with an id", `"/l/1`, mapping(Field{"l", Node{Kind: List, Items: []Node{text(t, "${id}"), text(t, "x")}}})},
		{"nothing", "", mapping(Field{"id", text(t, "${id}")}, Field{"x", lit("")})},
		{"root", "", text(t, "${id}")},
	} {
		var got []string
		for _, l := range c.node.Owned() {
			got = append(got, string(l.Kind)+l.Pointer)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q; want %q", c.name, got, c.want)
		}
	}
}

func TestWith(t *testing.T) {
	n := mapping(
		Field{"a", lit("1")},
		Field{"b/c", mapping(Field{"d", lit("2")})},
		Field{"l", Node{Kind: List, Items: []Node{lit("3"), lit("4")}}},
	)
	const whole = `{"a":1,"b/c":{"d":2},"l":[3,4]}`
	show := func(n Node) string {
		b, err := n.JSON(vars)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct{ pointer, with, without string }{
		{"/a", `{"a":9,"b/c":{"d":2},"l":[3,4]}`, `{"b/c":{"d":2},"l":[3,4]}`},
		{"/b~1c/d", `{"a":1,"b/c":{"d":9},"l":[3,4]}`, `{"a":1,"b/c":{},"l":[3,4]}`},
		{"/b~1c/e", `{"a":1,"b/c":{"d":2,"e":9},"l":[3,4]}`, ""},
		{"/l/1", `{"a":1,"b/c":{"d":2},"l":[3,9]}`, `{"a":1,"b/c":{"d":2},"l":[3]}`},
		{"/l/2", "", ""},
		{"/l/x", "", ""},
		{"/a/b", "", ""},
		{"/x/y", "", ""},
		{"x", "", ""},
		{"", "9", ""},
	} {
		for name, do := range map[string]struct {
			want string
			make func() (Node, error)
		}{
			"with":    {c.with, func() (Node, error) { return n.With(c.pointer, lit("9")) }},
			"without": {c.without, func() (Node, error) { return n.Without(c.pointer) }},
		} {
			got, err := do.make()
			if (err != nil) != (do.want == "") {
				t.Errorf("%s %q: %v", name, c.pointer, err)
			} else if err == nil && show(got) != do.want {
				t.Errorf("%s %q: got %s, want %s", name, c.pointer, show(got), do.want)
			}
			if show(n) != whole {
				t.Fatalf("%s %q changed its receiver", name, c.pointer)
			}
		}
	}
}

// A value that was a JSON number where it was taken is one where it is used alone.
func TestTakenNumberKeepsItsType(t *testing.T) {
	text := func(s string) Node {
		parsed, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return Node{Kind: String, Text: parsed}
	}
	n := Node{Kind: Mapping, Fields: []Field{{"account", text("${account}")}, {"name", text("no ${account}")}, {"code", text("${code}")}}}
	got, err := n.JSON(Vars{Values: map[string]string{"account": "17", "code": "18"}, Numbers: map[string]bool{"account": true}})
	if want := `{"account":17,"name":"no 17","code":"18"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
