package strict

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agext/levenshtein"
)

// Fields are the fields of a mapping in the order of the file. A name that is
// not legal, or comes twice, is an error and left out. With no legal names, any is.
func (v Value) Fields(legal ...string) []Field {
	if !v.is(Map) {
		return nil
	}
	var fields []Field
	for _, f := range v.n.fields {
		if i := slices.IndexFunc(fields, func(o Field) bool { return o.Name == f.Name }); i >= 0 {
			f.Key.Errorf("field %q is there twice, first in line %d", f.Name, fields[i].Key.Line())
			continue
		}
		if len(legal) > 0 && !slices.Contains(legal, f.Name) {
			f.Key.Errorf("unknown field %q%s; legal here: %s", f.Name, DidYouMean(f.Name, legal), strings.Join(legal, ", "))
			continue
		}
		fields = append(fields, f)
	}
	return fields
}

// Field is the value of one field of a mapping; one that is not there, or not
// in a mapping, does not exist. What else the mapping holds is checked by Fields.
func (v Value) Field(name string) Value {
	if v.n != nil {
		for _, f := range v.n.fields {
			if f.Name == name {
				return f.Value
			}
		}
	}
	return Value{}
}

// Need is Field, and an error where the field is missing or empty.
func (v Value) Need(name string) Value {
	f := v.Field(name)
	switch {
	case !v.is(Map):
	case !f.Exists():
		v.Errorf("%q is missing here", name)
	case f.Kind() == Null:
		f.Errorf("%q has no value", name)
		return Value{}
	}
	return f
}

// List are the items of a list.
func (v Value) List() []Value {
	if !v.is(List) {
		return nil
	}
	return v.n.items
}

// Text is a scalar as it is written: 404 is "404", true is "true".
func (v Value) Text() string {
	if v.n != nil && (v.n.kind == Number || v.n.kind == Bool) {
		return v.n.text
	}
	if !v.is(Text) {
		return ""
	}
	return v.n.text
}

// Int is a whole number.
func (v Value) Int() int {
	i, err := strconv.Atoi(v.raw(Number))
	if err != nil {
		v.want("a whole number")
	}
	return i
}

// Float is a finite number.
func (v Value) Float() float64 {
	f, err := strconv.ParseFloat(v.raw(Number), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		v.want("a number")
		return 0
	}
	return f
}

// Bool is true or false.
func (v Value) Bool() bool {
	b, err := strconv.ParseBool(strings.ToLower(v.raw(Bool)))
	if err != nil {
		v.want("true or false")
	}
	return b
}

// Duration is a length of time that is not negative, in Go's form.
func (v Value) Duration() time.Duration {
	d, err := time.ParseDuration(v.raw(Text, Number))
	if err != nil || d < 0 {
		v.want("a duration with its unit, such as 250ms, 30s, 24h")
		return 0
	}
	return d
}

// jsonNumber is what a number may look like in JSON.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Literal is a number, true, false or null as JSON text.
func (v Value) Literal() string {
	switch v.Kind() {
	case Null:
		return "null"
	case Bool:
		return strings.ToLower(v.n.text)
	case Number:
		if jsonNumber.MatchString(v.n.text) {
			return v.n.text
		}
		v.Errorf("%s is no number in JSON: write it in decimal digits, or in quotes if it is a text", v.n.text)
		return "0"
	}
	v.want("a number, true, false or null")
	return "null"
}

// raw is the text of a scalar of one of these kinds, else "".
func (v Value) raw(kinds ...Kind) string {
	if !slices.Contains(kinds, v.Kind()) {
		return ""
	}
	return v.n.text
}

// is tells whether the value is of a kind, and records an error if it is of another.
func (v Value) is(k Kind) bool {
	if v.Kind() == k {
		return true
	}
	v.want(k.String())
	return false
}

func (v Value) want(what string) { v.Errorf("must be %s, got %s", what, v.describe()) }

// describe says what was found, for "must be X, got Y".
func (v Value) describe() string {
	switch v.Kind() {
	case Number, Bool:
		return v.n.text
	case Text:
		if r := []rune(v.n.text); len(r) > 40 {
			return strconv.Quote(string(r[:40])) + "..."
		}
		return strconv.Quote(v.n.text)
	}
	return v.Kind().String()
}

// DidYouMean is ` (did you mean "headers"?)` for the name nearest to one that
// is not legal, or "" if none is near.
func DidYouMean(name string, legal []string) string {
	best, nearest := len(name)/3+2, ""
	for _, l := range legal {
		if d := levenshtein.Distance(strings.ToLower(name), strings.ToLower(l), nil); d < best {
			best, nearest = d, l
		}
	}
	if nearest == "" {
		return ""
	}
	return " (did you mean " + strconv.Quote(nearest) + "?)"
}
