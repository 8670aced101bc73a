package inject

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestChangeJSON(t *testing.T) {
	for _, test := range []struct{ body, pointer, want, at string }{
		{`{"b": 12.50,  "a":"x"}`, "/b", `{"b": 13.50,  "a":"x"}`, "/b"},
		{`{"b":12345678901234567890.123}`, "/b", `{"b":12345678901234567891.123}`, "/b"},
		{`{"b":-1}`, "", `{"b":0}`, "/b"},
		{`{"b":99}`, "", `{"b":100}`, "/b"},
		{`{"b":1e2}`, "", `{"b":101}`, "/b"},
		{`{"b":1.25e1}`, "", `{"b":13.5}`, "/b"},
		{`{"b":1e-3}`, "", `{"b":1.001}`, "/b"},
		{`{"b":1e999999999}`, "", `{"b":1}`, "/b"},
		{`{"t":"y","o":{"l":[null,true,7]}}`, "", `{"t":"y","o":{"l":[null,true,8]}}`, "/o/l/2"},
		{`{"n":null,"t":"y"}`, "", `{"n":null,"t":"yx"}`, "/t"},
		{`{"n":true}`, "", `{"n":false}`, "/n"},
		{`{"t":"a\"b"}`, "/t", `{"t":"a\"bx"}`, "/t"},
		{`{"a/b":{"c~d":false}}`, "/a~1b/c~0d", `{"a/b":{"c~d":true}}`, "/a~1b/c~0d"},
		{`{"a/b":{"c~d":1}}`, "", `{"a/b":{"c~d":2}}`, "/a~1b/c~0d"},
		{`{"\u0061":1}`, "/a", `{"\u0061":2}`, "/a"},
		{`{"a":1,"a":5}`, "/a", `{"a":1,"a":6}`, "/a"},
		{` 41 `, "", ` 42 `, ""},
		{`{"a":null}`, "/a", "", ""},
		{`{"a":{}}`, "/a", "", ""},
		{`{"a":[1]}`, "/a/1", "", ""},
		{`{"a":[1]}`, "/a/00", "", ""},
		{`{"a":1}`, "a", "", ""},
		{`{"a":1}`, "/b", "", ""},
		{`{}`, "", "", ""},
		{`{"a":1`, "/a", "", ""},
		{``, "", "", ""},
	} {
		got, at, ok := ChangeJSON([]byte(test.body), test.pointer)
		if !ok && test.want != "" || ok && (string(got) != test.want || at != test.at) || !ok && string(got) != test.body {
			t.Errorf("%s at %q: got %s at %q, %v", test.body, test.pointer, got, at, ok)
		}
	}
}

func TestChangeForm(t *testing.T) {
	for _, test := range []struct{ body, name, want, at string }{
		{"amount=10&currency=eur", "amount", "amount=11&currency=eur", "amount"},
		{"currency=e+u&amount=10.5", "", "currency=e+u&amount=11.5", "amount"},
		{"currency=e+u", "", "currency=e+ux", "currency"},
		{"meta%5Ba%5D=true", "meta[a]", "meta%5Ba%5D=false", "meta[a]"},
		{"a=1", "b", "", ""},
		{"", "", "", ""},
		{"%zz=1", "", "", ""},
	} {
		got, at, ok := ChangeForm([]byte(test.body), test.name)
		if ok != (test.want != "") || ok && (string(got) != test.want || at != test.at) || !ok && string(got) != test.body {
			t.Errorf("%s of %s: got %s of %s, %v", test.name, test.body, got, at, ok)
		}
	}
}

func TestReencodeJSON(t *testing.T) {
	for _, test := range []struct {
		body     string
		integers bool
		want     string
	}{
		{`{"a":10,"b":"x"}`, false, `{"b" : "\u0078" , "a" : 10}`},
		{`{"a":10,"b":-300,"c":7,"d":0,"e":12.5,"f":12.50,"g":1e3}`, true, `{"g" : 1E3 , "f" : 12.5 , "e" : 12.50 , "d" : 0.0 , "c" : 7.0 , "b" : -3e2 , "a" : 1e1}`},
		{`{"a":12.0,"b":-0}`, false, `{"b" : -0 , "a" : 12.00}`},
		{`{"a":1,"a":2}`, false, `{"a" : 1 , "a" : 2}`},
		{`["\u00e9\n", "é!"]`, false, `["\u00e9\n" , "é\u0021"]`},
		{`7`, false, "7\n"},
		{`{}`, false, "{}\n"},
		{`{"a" : 1}`, false, "{\"a\" : 1}\n"},
		{`nope`, false, ""},
		{``, false, ""},
	} {
		got, ok := ReencodeJSON([]byte(test.body), test.integers)
		if ok != (test.want != "") || ok && string(got) != test.want || !ok && string(got) != test.body {
			t.Errorf("%s: got %q, %v", test.body, got, ok)
		}
	}
}

// meaning decodes with numbers kept exact, small enough to be written out.
func meaning(t *testing.T, b []byte) any {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return exact(v)
}

func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if _, e, _ := strings.Cut(strings.ToLower(string(v)), "e"); e != "" {
			if n, err := strconv.Atoi(e); err != nil || n > 1000 || n < -1000 {
				return strings.ToLower(string(v))
			}
		}
		r, _ := new(big.Rat).SetString(string(v))
		return r.String()
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	}
	return v
}

var bodies = []string{
	`{"order":"r1-1","amount":10,"note":"é\u00e9\ud83d\ude00\\\"","list":[1.50,-0,1e5,null,true],"o":{}}`, `[]`, `""`, `"\\"`, `0`, `-0.0`,
	`{"a":1,"a":2}`, " \n{\t}", `1e400`, `{"":{"":""}}`, "\"\xff\"", `{"a":`, ``,
}

func FuzzReencodeJSON(f *testing.F) {
	for _, s := range bodies {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, integers bool) {
		got, ok := ReencodeJSON(body, integers)
		if ok != json.Valid(body) {
			t.Fatalf("%q: ok %v", body, ok)
		}
		if !ok {
			return
		}
		if bytes.Equal(got, body) {
			t.Errorf("%q did not change", body)
		}
		if !reflect.DeepEqual(meaning(t, got), meaning(t, body)) {
			t.Errorf("%q means another thing than %q", got, body)
		}
		a, ok := history.Canonical(got)
		b, both := history.Canonical(body)
		if ok != both || ok && !bytes.Equal(a, b) {
			t.Errorf("%q and %q have other canonical forms: %s, %s", got, body, a, b)
		}
	})
}

func FuzzChangeJSON(f *testing.F) {
	for _, s := range bodies {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "/list/0")
	}
	f.Fuzz(func(t *testing.T, body []byte, pointer string) {
		got, at, ok := ChangeJSON(body, pointer)
		if !ok {
			if !bytes.Equal(got, body) {
				t.Errorf("%q was changed to %q without ok", body, got)
			}
			return
		}
		a, _ := history.Canonical(got)
		b, _ := history.Canonical(body)
		if !json.Valid(got) || bytes.Equal(a, b) {
			t.Errorf("%q became %q", body, got)
		}
		if n := parse(got).find(at); pointer == "" && n == nil {
			t.Errorf("%q has nothing at %q", got, at)
		}
	})
}

func FuzzChangeForm(f *testing.F) {
	f.Add([]byte("amount=10&currency=eur"), "")
	f.Add([]byte("a%5Bb%5D=x&&="), "a[b]")
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		if got, _, ok := ChangeForm(body, name); ok == bytes.Equal(got, body) {
			t.Errorf("%q of %q: %q, %v", name, body, got, ok)
		}
	})
}
