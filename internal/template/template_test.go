package template

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var vars = Vars{
	ID: "r7k2m9-12", Key: "k-1", Scope: "alice", Run: "r7k2m9", N: 12, Seed: 1,
	Now:    time.Date(2026, 2, 3, 4, 5, 6, 7000000, time.FixedZone("", 3600)),
	Values: map[string]string{"customer": "cus_1"},
}

func mustParse(t testing.TB, s string) Text {
	t.Helper()
	text, err := Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return text
}

func TestExpand(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain $ text } {x}", "plain $ text } {x}"},
		{"${id}/${key}/${scope}/${run}/${n}", "r7k2m9-12/k-1/alice/r7k2m9/12"},
		{"${now}", "2026-02-03T03:05:06.007Z"},
		{"${ customer }", "cus_1"},
		{"$${id}", "${id}"},
		{"$$${id}", "$r7k2m9-12"},
		{"$$$${id}", "$${id}"},
		{"$$ $5", "$$ $5"},
		{"${int 7 7}", "7"},
		{"${int -3 -3}", "-3"},
	} {
		got, err := mustParse(t, c.in).Expand(vars)
		if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.in, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in, want string
		offset   int
	}{
		{"ab${id", "unclosed ${", 2},
		{"${id ${key}", "unclosed ${", 0},
		{"x${}", "empty ${}", 1},
		{"${id 3}", `unknown argument "3"`, 0},
		{"${int}", "int takes two whole numbers, low and high", 0},
		{"${int 1 x}", "int takes two whole numbers, low and high", 0},
		{"${int 1.5 2}", "int takes two whole numbers, low and high", 0},
		{"é${int 9 1}", "9 is more than 1", 2},
		{"${API_TOKEN}", "of the environment", 0},
		{"${Api}", "is no name", 0},
		{"${9}", "is no name", 0},
	} {
		_, err := Parse(c.in)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, c.want) || e.Offset != c.offset {
			t.Errorf("%q: got %v, want %q at %d", c.in, err, c.want, c.offset)
		}
	}
}

func TestUnknownName(t *testing.T) {
	_, err := mustParse(t, "${custmer}").Expand(vars)
	if err == nil || !strings.Contains(err.Error(), "${custmer}") || !strings.Contains(err.Error(), "${customer}") {
		t.Fatalf("got %v", err)
	}
}

// The draw depends on the seed, the number, the attempt and the place, and on
// nothing else.
func TestIntIsPure(t *testing.T) {
	text := mustParse(t, "${int 0 1000000000} ${int 0 1000000000}")
	draw := func(v Vars) string {
		s, err := text.Expand(v)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := draw(vars)
	same := vars
	same.ID, same.Key, same.Scope, same.Run, same.Now, same.Values = "x", "y", "z", "w", time.Time{}, nil
	if got := draw(same); got != first {
		t.Errorf("same seed and number: %s, then %s", first, got)
	}
	a, b, _ := strings.Cut(first, " ")
	if a == b {
		t.Errorf("two places drew the same number %s", a)
	}
	for name, change := range map[string]func(*Vars){
		"seed":    func(v *Vars) { v.Seed++ },
		"number":  func(v *Vars) { v.N++ },
		"attempt": func(v *Vars) { v.Attempt++ },
		"place":   func(v *Vars) { v.Place = "/amount" },
	} {
		v := vars
		change(&v)
		if draw(v) == first {
			t.Errorf("another %s drew the same numbers", name)
		}
	}
}

// Neighbouring operations must not draw equal or clustered amounts.
func TestIntSpreads(t *testing.T) {
	text, seen := mustParse(t, "${int 0 9}"), map[string]int{}
	for n := range 1000 {
		s, _ := text.Expand(Vars{N: n})
		seen[s]++
	}
	for d := range 10 {
		if k := seen[fmt.Sprint(d)]; k < 60 || k > 140 {
			t.Errorf("%d was drawn %d times of 1000", d, k)
		}
	}
	wide := mustParse(t, "${int -9223372036854775808 9223372036854775807}")
	if _, err := wide.Expand(vars); err != nil {
		t.Error(err)
	}
}

func TestNamesAndAlone(t *testing.T) {
	text := mustParse(t, "a ${id} ${customer} ${id} ${int 1 2}")
	if d := cmp.Diff([]string{"id", "customer", "int"}, text.Names()); d != "" {
		t.Error(d)
	}
	for in, want := range map[string]bool{"": false, "x": false, "${id}": true, "${id} ": false, "${id}${n}": false} {
		if got := mustParse(t, in).Alone(); got != want {
			t.Errorf("Alone(%q) = %v", in, got)
		}
	}
	if s, ok := mustParse(t, "a $${b}").Literal(); s != "a ${b}" || !ok {
		t.Errorf("got %q, %v", s, ok)
	}
	if _, ok := mustParse(t, "a ${id}").Literal(); ok {
		t.Error("an expression is no literal")
	}
}

func TestEnv(t *testing.T) {
	env := map[string]string{
		"TOKEN": "s3cret", "SLY": "${id} $${x}", "DOLLAR": "$", "EMPTY": "", "BRACE": "{id}", "_A1": "a",
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, c := range []struct{ in, want string }{
		{"Bearer ${TOKEN}", "Bearer s3cret"},
		{"${id} $${TOKEN} ${int 1 2}", "${id} $${TOKEN} ${int 1 2}"},
		{"${SLY}", "$${id} $$$${x}"},
		{"${DOLLAR}{id}", "$${id}"},
		{"${DOLLAR}${EMPTY}{id}", "$${id}"},
		{"${DOLLAR}${BRACE}", "$${id}"},
		{"${DOLLAR}${id}", "$$${id}"},
		{"$${EMPTY}${_A1}", "$${EMPTY}a"},
	} {
		var names []string
		got, err := Env(c.in, lookup, func(name, _ string) { names = append(names, name) })
		if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.in, got, err, c.want)
		}
	}
	_, err := Env("a ${NOPE}", lookup, nil)
	var e *Error
	if !errors.As(err, &e) || e.Offset != 2 || !strings.Contains(e.Msg, "NOPE is not set") {
		t.Errorf("got %v", err)
	}
	if _, err := Env("${TOKEN", lookup, nil); err == nil {
		t.Error("unclosed: want an error")
	}
}

// Whatever a value of the environment holds, it arrives as it is.
func FuzzEnv(f *testing.F) {
	f.Add("a${X}{id}", "$")
	f.Add("$$${X}${id}", "${id}$$")
	f.Fuzz(func(t *testing.T, s, value string) {
		got, err := Env(s, func(string) (string, bool) { return value, true }, nil)
		if err != nil {
			return
		}
		before, err := split(s)
		if err != nil {
			t.Fatalf("Env(%q) passed, split did not: %v", s, err)
		}
		after, err := split(got)
		if err != nil {
			t.Fatalf("Env(%q) with %q gave %q: %v", s, value, got, err)
		}
		want := ""
		for _, p := range before {
			switch {
			case p.isExpr && isEnv(strings.TrimSpace(p.text)):
				want += value
			case p.isExpr:
				want += "<" + p.text + ">"
			default:
				want += p.text
			}
		}
		have := ""
		for _, p := range after {
			if p.isExpr {
				have += "<" + p.text + ">"
			} else {
				have += p.text
			}
		}
		if have != want {
			t.Fatalf("Env(%q) with %q gave %q, which reads %q, want %q", s, value, got, have, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "${id}", "$${x}", "$$${int 1 2}", "${", "${int 1}", "a${A}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := Parse(s)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset >= len(s) {
				t.Fatalf("%q: %#v", s, err)
			}
			return
		}
		v := vars
		v.Values = map[string]string{}
		for _, name := range text.Names() {
			v.Values[name] = "x"
		}
		if _, err := text.Expand(v); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

func TestURL(t *testing.T) {
	v := Vars{ID: "a b/ü?", Key: "k&=", Values: map[string]string{"c": "+"}}
	for _, c := range []struct{ base, in, want string }{
		{"http://h", "/o/${id}?k=${key}&c=${c}", "http://h/o/a%20b%2F%C3%BC%3F?k=k%26%3D&c=%2B"},
		{"http://h/api/", "/x%2Fy", "http://h/api/x%2Fy"},
		{"http://h/a%2Fb", "/x", "http://h/a%2Fb/x"},
		{"http://h", "https://other/${c}", "https://other/%2B"},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		got, err := mustParse(t, c.in).URL(base, v)
		if err != nil || got.String() != c.want {
			t.Errorf("%s %s: got %v, %v; want %s", c.base, c.in, got, err, c.want)
		}
		for _, bad := range []string{"x", "//h/x", "${c}", "mailto:x", "/%zz", "/${d}", ""} {
			if got, err := mustParse(t, bad).URL(base, v); err == nil {
				t.Errorf("%s: got %v, want an error", bad, got)
			}
		}
	}
	if v.Values["c"] != "+" {
		t.Error("the caller's values were changed")
	}
}
