package inject

import (
	"bytes"
	"math/big"
	"net/url"
	"strconv"
	"strings"
)

// ChangeJSON changes the one value that a JSON pointer names: a number becomes
// one more, a text gets an x at its end, a boolean is flipped. All other bytes
// stay. Without a pointer it takes the first number, else the first text, else
// the first boolean. at is the pointer of what was changed; ok is false, and body
// comes back, if body is not JSON or there is no such value there.
func ChangeJSON(body []byte, pointer string) (changed []byte, at string, ok bool) {
	root := parse(body)
	if root == nil {
		return body, "", false
	}
	n := root.find(pointer)
	if pointer == "" {
		pointer, n = root.telling()
	}
	if n == nil {
		return body, "", false
	}
	text, ok := n.changed()
	if !ok {
		return body, "", false
	}
	return n.replace(body, text), pointer, true
}

// telling is the first number, else the first text, else the first boolean.
func (n *node) telling() (string, *node) {
	for _, kinds := range []string{"0", `"`, "tf"} {
		if at, f := n.first(kinds, ""); f != nil {
			return at, f
		}
	}
	return "", nil
}

func (n *node) changed() ([]byte, bool) {
	switch n.kind {
	case '0':
		return []byte(plusOne(string(n.raw))), true
	case '"':
		return append(bytes.Clone(n.raw[:len(n.raw)-1]), 'x', '"'), true
	case 't', 'f':
		return []byte(strconv.FormatBool(n.kind == 'f')), true
	}
	return nil, false
}

// plusOne adds one to a JSON number at full precision and keeps its decimals:
// 12.50 becomes 13.50. A number too large to write out becomes 1.
func plusOne(literal string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	e, err := strconv.Atoi(exponent)
	if exponent != "" && (err != nil || e > 400 || e < -400) {
		return "1"
	}
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		return "1"
	}
	_, fraction, _ := strings.Cut(mantissa, ".")
	return r.Add(r, big.NewRat(1, 1)).FloatString(max(0, len(fraction)-e))
}

// ChangeForm does to a form body (application/x-www-form-urlencoded) what
// ChangeJSON does to JSON; at is the name of the field.
func ChangeForm(body []byte, name string) (changed []byte, at string, ok bool) {
	pairs := strings.Split(string(body), "&")
	i, pick := pickField(pairs, name)
	if i < 0 {
		return body, "", false
	}
	rawName, _, _ := strings.Cut(pairs[i], "=")
	pairs[i] = rawName + "=" + url.QueryEscape(changedText(pick.value))
	return []byte(strings.Join(pairs, "&")), pick.name, true
}

type formField struct{ name, value string }

// pickField finds the named pair, else the first number, else the first pair.
func pickField(pairs []string, name string) (int, formField) {
	found, field := -1, formField{}
	for i, p := range pairs {
		rawName, rawValue, _ := strings.Cut(p, "=")
		n, err := url.QueryUnescape(rawName)
		v, err2 := url.QueryUnescape(rawValue)
		switch {
		case err != nil || err2 != nil || n == "":
		case name == n, name == "" && isNumber(v):
			return i, formField{n, v}
		case name == "" && found < 0:
			found, field = i, formField{n, v}
		}
	}
	return found, field
}

func changedText(v string) string {
	switch {
	case isNumber(v):
		return plusOne(v)
	case v == "true", v == "false":
		return strconv.FormatBool(v == "false")
	}
	return v + "x"
}

func isNumber(s string) bool {
	n := parse([]byte(s))
	return n != nil && n.kind == '0' && len(n.raw) == len(s)
}
