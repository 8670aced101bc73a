package strict_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// nothing walks nothing: only errors of YAML itself are of interest.
func nothing(strict.Value) {}

func TestErrorForm(t *testing.T) {
	const file = "operations:\n  charge:\n    send: POST /charges\n    haeders:\n      A: b\n"
	err := strict.Parse("idemcheck.yaml", []byte(file), func(v strict.Value) {
		v.Field("operations").Field("charge").Fields("send", "key", "headers", "body")
	})
	want := `idemcheck.yaml:4:5: unknown field "haeders" (did you mean "headers"?); legal here: send, key, headers, body
     3 |     send: POST /charges
     4 |     haeders:
       |     ^`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	var e *strict.Error
	if !errors.As(err, &e) || e.File != "idemcheck.yaml" || e.Line != 4 || e.Column != 5 {
		t.Errorf("got %+v", e)
	}
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f: the file is empty"},
		{"comment only", "# a\n", "f: the file is empty"},
		{"start only", "---\n", "f: the file is empty"},
		{"two documents", "a: 1\n---\nb: 2\n", "f:2:1: a second document begins here"},
		{"tab", "a:\n\tb: 1\n", "f:2:1: a tab indents this line"},
		{"flow template", "headers: {Authorization: Bearer ${TOKEN}}\n", "f:1:33: a template between { } or [ ] must be in quotes"},
		{"flow template alone", "body: {id: ${id}}\n", "f:1:12: a template between"},
		{"flow template in a list", "a: 1\nl: [x, ${id}]\n", "f:2:8: a template between"},
		{"flow template of two words", "body: {a: 1, n: ${int 1 9}}\n", "f:1:17: a template between"},
		{"open list", "a: [1, 2\n", "f:1:4: sequence end token ']' not found"},
		{"colon in text", "say: Order ${id} was: charged\n", `f:1:6: "name: value" can not stand here: put a text that holds ": " in quotes`},
		{"reserved", "a: @foo\n", "f:1:4: '@' is a reserved character: put the text in quotes"},
		{"alias", "a: &x 1\nb: *x\n", "f:1:4: anchors (&name) and aliases (*name) are not taken"},
		{"star", "allow: [*.example]\n", "f:1:9: anchors (&name) and aliases"},
		{"merge", "a:\n  <<: {b: 1}\n", "f:2:3: merge keys (<<) are not taken"},
		{"tag", "a: !!str 1\n", "f:1:4: tags (!name) are not taken"},
		{"question mark", "? a\n: b\n", "f:1:1: a name must stand right before its colon"},
		{"not UTF-8", "a: 1\nb: é\xff\n", "f:2:5: not UTF-8 text"},
		{"control", "a: \x01\n", "f:1:4: control character U+0001"},
		{"deep flow", "a: " + deep, "f:1:104: nested too deeply"},
		{"deep dashes", strings.Repeat("- ", 5000) + "1", "f:1:201: nested too deeply"},
		{"large", strings.Repeat("a", strict.MaxBytes+1), "f: 262145 bytes are too many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := strict.Parse("f", []byte(c.text), nothing)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestWrongTypes(t *testing.T) {
	for _, c := range []struct {
		text, want string
		read       func(strict.Value)
	}{
		{"abc", `must be a whole number, got "abc"`, func(v strict.Value) { v.Int() }},
		{"1.5", `must be a whole number, got 1.5`, func(v strict.Value) { v.Int() }},
		{"'5'", `must be a whole number, got "5"`, func(v strict.Value) { v.Int() }},
		{"99999999999999999999", `must be a whole number, got 99999999999999999999`, func(v strict.Value) { v.Int() }},
		{".inf", `must be a number, got .inf`, func(v strict.Value) { v.Float() }},
		{"yes", `must be true or false, got "yes"`, func(v strict.Value) { v.Bool() }},
		{"5", `must be a duration with its unit, such as 250ms, 30s, 24h, got 5`, func(v strict.Value) { v.Duration() }},
		{"-5s", `must be a duration with its unit, such as 250ms, 30s, 24h, got "-5s"`, func(v strict.Value) { v.Duration() }},
		{"[1]", `must be text, got a list`, func(v strict.Value) { v.Text() }},
		{"{b: 1}", `must be text, got a mapping`, func(v strict.Value) { v.Text() }},
		{"", `must be a list, got nothing`, func(v strict.Value) { v.List() }},
		{"x", `must be a mapping, got "x"`, func(v strict.Value) { v.Fields() }},
		{"0x10", `0x10 is no number in JSON`, func(v strict.Value) { v.Literal() }},
		{"{b: 1, b: 2}", `field "b" is there twice, first in line 1`, func(v strict.Value) { v.Fields() }},
		{"{b: }", `"b" has no value`, func(v strict.Value) { v.Need("b") }},
		{"{c: 1}", `"b" is missing here`, func(v strict.Value) { v.Need("b") }},
	} {
		err := strict.Parse("f", []byte("a: "+c.text), func(v strict.Value) { c.read(v.Field("a")) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestValues(t *testing.T) {
	const file = "\ufefftext: 404\r\nint: -3\r\nfloat: 1e3\r\nbool: True\r\nlife: 24h\r\nempty:\r\nquoted: '5'\r\nblock: |\n  a: b\n  c\nlist: [x, 2]\nname with é: {1: y}\n"
	err := strict.Parse("f", []byte(file), func(v strict.Value) {
		got := fmt.Sprint(v.Field("text").Text(), v.Field("int").Int(), v.Field("float").Float(), v.Field("bool").Bool(),
			v.Field("life").Duration() == 24*time.Hour, v.Field("empty").Exists(), v.Field("absent").Exists(),
			v.Field("quoted").Quoted(), v.Field("text").Quoted(), v.Field("block").Text(), v.Field("list").List()[1].Text(),
			v.Field("name with é").Field("1").Text(), v.Field("absent").Text(), v.Field("empty").Literal())
		if want := "404-3 1000 true true true false true falsea: b\nc\n2ynull"; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		if n := len(v.Fields()); n != 10 {
			t.Errorf("%d fields", n)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestErrorIn(t *testing.T) {
	const file = "a: ${X} é ${Y}\nq: |\n  one\n  two ${Z}\n"
	err := strict.Parse("f", []byte(file), func(v strict.Value) {
		v.Field("a").ErrorIn("${Y}", "first")
		v.Field("q").ErrorIn("${Z}", "second")
		v.Field("a").ErrorIn("not there", "third")
	})
	var got []string
	for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
		got = append(got, strings.Split(e.Error(), "\n")[0])
	}
	if want := "[f:1:4: third f:1:11: first f:4:7: second]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestManyErrors(t *testing.T) {
	err := strict.Parse("f", []byte(strings.Repeat("a:\n", 30)), func(v strict.Value) { v.Fields() })
	if n := strings.Count(err.Error(), "there twice"); n != 10 {
		t.Errorf("%d errors", n)
	}
	if want := "f: and 19 more"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v does not end with %s", err, want)
	}
}

func TestLongLine(t *testing.T) {
	line := strings.Repeat("é", 500) + "\u202e\x1b"
	err := strict.Parse("f", []byte("a: '"+strings.ReplaceAll(line, "\x1b", "")+"'\nb: 1"), func(v strict.Value) { v.Field("a").ErrorIn("\u202e", "bad") })
	for _, l := range strings.Split(err.Error(), "\n") {
		if n := len([]rune(l)); n > 120 {
			t.Errorf("a line of %d characters", n)
		}
	}
	if strings.Contains(err.Error(), "\u202e") {
		t.Error("the excerpt holds a character that turns a terminal's text around")
	}
}

// FuzzParse: no input makes it panic, and what stands at the place of a name is that name.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "a: 1\nb:\n  - c: |\n      x\n  - 'd e': [1, {f: g}]\n", "a: {b: ${c}}", "? [", "&a *b !!c", "a:\n\t- b", "\xff", "%YAML 1.2\n---\n",
		"a: >-\n\n  b\n\n c: d", "\"a\\\n b\": 1", "- - - -", "a: 'b\n\n  c'\nd: 1\n", "{a: b, ? c : d}", "a: b # c\n# d\n\ne: 1", "<<: *a", "é: ü\n日: 本",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		strict.Parse("f", b, func(v strict.Value) { walk(t, strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), v) })
	})
}

func walk(t *testing.T, lines []string, v strict.Value) {
	v.Errorf("here")
	v.ErrorIn("a", "here")
	switch v.Kind() {
	case strict.List:
		for _, item := range v.List() {
			walk(t, lines, item)
		}
	case strict.Map:
		for _, f := range v.Fields() {
			if f.Key.Line() < 1 || f.Key.Line() > len(lines) {
				t.Errorf("field %q stands in line %d of %d", f.Name, f.Key.Line(), len(lines))
			}
			walk(t, lines, f.Value)
		}
	default:
		v.Text()
		v.Int()
		v.Float()
		v.Bool()
		v.Duration()
		v.Literal()
	}
}
