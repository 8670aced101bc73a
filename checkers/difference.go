package checkers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/idemcheck/idemcheck/history"
)

const (
	mostDifferences = 20 // of two answers
	longestValue    = 60 // bytes of one of their values
)

// differences are the places at which two answers do not agree: status, headers
// that count, then the body. What calibration knows to change in every answer is
// left out, unless it too had to stay.
func differences(a, b *history.Event, volatile []string) (ds []Difference) {
	add := func(where, first, again string) {
		if first != again && len(ds) < mostDifferences {
			ds = append(ds, Difference{where, shorten(first), shorten(again)})
		}
	}
	add("status", a.Status, b.Status)
	for _, h := range kept {
		add("header "+strings.TrimPrefix(h, history.AttrHeader), a.Attrs[h], b.Attrs[h])
	}
	if isJSON(a.Body) && isJSON(b.Body) {
		byPointer(a, b, volatile, add)
	} else {
		byLine(a.Body, b.Body, add)
	}
	return ds
}

// byPointer compares two documents in the order of the first. Of a body that was
// cut nobody knows what it lacks.
func byPointer(a, b *history.Event, volatile []string, add func(where, first, again string)) {
	first, again := scalars(a.Body), scalars(b.Body)
	whole := a.Attrs[history.AttrCut] == "" && b.Attrs[history.AttrCut] == ""
	there, done := map[string]scalar{}, map[string]bool{}
	for _, s := range again {
		there[s.pointer] = s
	}
	for _, s := range first {
		t, ok := there[s.pointer]
		done[s.pointer] = true
		if (ok || whole) && !slices.Contains(volatile, s.pointer) {
			add(s.pointer, s.literal(true), t.literal(ok))
		}
	}
	for _, t := range again {
		if whole && !done[t.pointer] && !slices.Contains(volatile, t.pointer) {
			add(t.pointer, "", t.literal(true))
		}
	}
}

// byLine finds the first line that is different.
func byLine(a, b string, add func(where, first, again string)) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(as), len(bs)) {
		x, y := lineOf(as, i), lineOf(bs, i)
		if x != y {
			add("line "+strconv.Itoa(i+1), x, y)
			return
		}
	}
}

func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return strings.TrimRight(lines[i], "\r")
	}
	return ""
}

func isJSON(body string) bool {
	body = strings.TrimLeft(body, " \t\r\n")
	return body != "" && (body[0] == '{' || body[0] == '[') && len(scalars(body)) > 0
}

// literal is the value for people: a text is quoted only where it could be taken
// for nothing or for another kind of value.
func (s scalar) literal(there bool) string {
	switch {
	case !there:
		return ""
	case s.str && (s.value == "" || json.Valid([]byte(s.value))):
		return `"` + s.value + `"`
	}
	return s.value
}

func shorten(v string) string {
	if len(v) <= longestValue {
		return v
	}
	end := longestValue
	for end > 0 && !utf8.RuneStart(v[end]) {
		end--
	}
	return v[:end] + "..."
}

// inBoth are the telling values that two answers share and should not.
func inBoth(a, b *history.Event, tell []string) (ds []Difference) {
	first, _ := pick(a.Body, tell)
	first = slices.Clone(first)
	again, _ := pick(b.Body, tell)
	for i, p := range tell {
		if first[i] != "" && first[i] == again[i] && len(ds) < mostDifferences {
			ds = append(ds, Difference{p, shorten(first[i]), shorten(again[i])})
		}
	}
	return ds
}
