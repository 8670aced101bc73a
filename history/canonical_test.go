package history

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                        `{}`,
		" [ ] \n":                   `[]`,
		`{"b":1,"a":[true,null]}`:   `{"a":[true,null],"b":1}`,
		`{"b":{"d":1,"c":2},"a":0}`: `{"a":0,"b":{"c":2,"d":1}}`,
		`{"a":1,"a":2}`:             `{"a":1,"a":2}`,
		`{"b":0,"a":2,"a":1}`:       `{"a":2,"a":1,"b":0}`,
		`{"\u0061":"\u00e9\/"}`:     `{"a":"é/"}`,
		`"\ud83d\ude00"`:            `"😀"`,
		`"\uD800x"`:                 `"\ud800x"`,
		`"\"\\\n\u0001\u001F\b"`:    `"\"\\\n\u0001\u001f\u0008"`,
		"\"\u2028\x7f\"":            "\"\u2028\x7f\"",
		`[1,1.0,1e0,10E-1,0.1e+1]`:  `[1,1,1,1,1]`,
		`[0.1,0.10,1e-1,100e-3]`:    `[0.1,0.1,0.1,0.1]`,
		`[0,-0,0.0,-0e99,0e-7]`:     `[0,0,0,0,0]`,
		`[-12.50,1200,12e2,0.012]`:  `[-12.5,1200,1200,0.012]`,
		`[1e39,1e40,123e38]`:        `[1` + strings.Repeat("0", 39) + `,1e40,1.23e40]`,
		`[0.000001,0.0000001]`:      `[0.000001,1e-7]`,
		`12345678901234567890123`:   `12345678901234567890123`,
		`12345678901234567890.10`:   `12345678901234567890.1`,
		`1E9999999999999999999`:     `1e9999999999999999999`,
		`0e9999999999999999999`:     `0`,
		`1e-999999999`:              `1e-999999999`,
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth): strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
	} {
		got, ok := Canonical([]byte(in))
		if !ok || string(got) != want {
			t.Errorf("Canonical(%s) = %s, %v; want %s", in, got, ok, want)
		}
	}
}

func TestCanonicalOfOtherBytes(t *testing.T) {
	for _, in := range []string{
		"", " ", "a=b", "{", "[1,]", "[1 2]", `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1,}`, `{"a":1}}`, "01", "+1", "1.", ".5", "1e", "-", "nul", "nulls", "trueish",
		`"a`, `"\x"`, `"\u12"`, "\"\n\"", "\"\xff\"", "\ufeff{}", "\x00", `{"a":1} {"a":2}`,
		strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
	} {
		got, ok := Canonical([]byte(in))
		if ok || string(got) != in {
			t.Errorf("Canonical(%q) = %q, %v", in, got, ok)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1.50e-3,"\ud800\u0041"],"a":{"x":null,"x":-0}}`, `[1e40,0.10,99999999999999999999.0]`, `"\`, `{"b":1,"a":2`,
		`0e00000`, `1e00001`, `[100e9999,-0.010e-9999,1.5E+010000]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		in = bytes.Clone(in)
		before := bytes.Clone(in)
		got, ok := Canonical(in)
		if !bytes.Equal(in, before) {
			t.Fatal("the input was changed")
		}
		if !ok {
			if !bytes.Equal(got, in) {
				t.Fatal("no JSON must come back as it is")
			}
			return
		}
		again, ok := Canonical(got)
		if !ok || !bytes.Equal(again, got) {
			t.Fatalf("%s becomes %s", got, again)
		}
		if !reflect.DeepEqual(exact(t, in), exact(t, got)) {
			t.Fatalf("%s is not the value of %s", got, in)
		}
	})
}

// exact is a JSON value with its numbers in the form of fraction.
func exact(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("encoding/json: %v", err)
	}
	return fractions(v)
}

func fractions(v any) any {
	switch v := v.(type) {
	case json.Number:
		return fraction(v.String())
	case []any:
		for i := range v {
			v[i] = fractions(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = fractions(v[k])
		}
	}
	return v
}

// fraction is a number's digits, without zeros at either end, times ten to a
// power: exact for every exponent, so that no size has to be left out.
func fraction(number string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, part, _ := strings.Cut(mantissa, ".")
	exponent := new(big.Int)
	if power != "" {
		exponent.SetString(strings.TrimPrefix(power, "+"), 10)
	}
	digits := strings.TrimLeft(whole+part, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0"
	}
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(significant)-len(part))))
	if negative {
		significant = "-" + significant
	}
	return significant + "e" + exponent.String()
}
