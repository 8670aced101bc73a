package checkers

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestDifferences(t *testing.T) {
	end := func(status, body string, attrs ...string) *history.Event {
		e := &history.Event{Status: status, Body: body, Attrs: map[string]string{}}
		for _, a := range attrs {
			k, v, _ := strings.Cut(a, "=")
			e.Attrs[k] = v
		}
		return e
	}
	for name, c := range map[string]struct {
		a, b     *history.Event
		volatile []string
		want     []Difference
	}{
		"equal":          {end("201", `{"a":1}`), end("201", `{ "a": 1 }`), nil, nil},
		"status":         {end("201", "{}"), end("200", "{}"), nil, []Difference{{"status", "201", "200"}}},
		"header":         {end("201", "", "header.location=/a"), end("201", "", "header.location=/b", "header.x=1"), nil, []Difference{{"header location", "/a", "/b"}}},
		"fields":         {end("201", `{"id":"a","n":[1,2]}`), end("201", `{"n":[1,3],"more":true}`), nil, []Difference{{"/id", "a", ""}, {"/n/1", "2", "3"}, {"/more", "", "true"}}},
		"kinds":          {end("201", `{"n":"1","e":""}`), end("201", `{"n":1}`), nil, []Difference{{"/n", `"1"`, "1"}, {"/e", `""`, ""}}},
		"volatile":       {end("201", `{"id":"a","at":1}`), end("201", `{"id":"a","at":2}`), []string{"/at"}, nil},
		"a body cut off": {end("201", `{"id":"a","n`, "cut=true"), end("201", `{"id":"b","n":1}`), nil, []Difference{{"/id", "a", "b"}}},
		"lines":          {end("200", "one\ntwo\nthree"), end("200", "one\r\n2\n3"), nil, []Difference{{"line 2", "two", "2"}}},
		"a longer text":  {end("200", "one"), end("200", "one\ntwo"), nil, []Difference{{"line 2", "", "two"}}},
		"text and JSON":  {end("200", "done"), end("200", `{"a":1}`), nil, []Difference{{"line 1", "done", `{"a":1}`}}},
		"long":           {end("200", strings.Repeat("é", 40)), end("200", ""), nil, []Difference{{"line 1", strings.Repeat("é", 30) + "...", ""}}},
	} {
		if got := differences(c.a, c.b, c.volatile); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	var wide [2]strings.Builder
	for i := range 50 {
		for j := range wide {
			fmt.Fprintf(&wide[j], ",%d", i+j)
		}
	}
	if n := len(differences(end("200", "["+wide[0].String()[1:]+"]"), end("200", "["+wide[1].String()[1:]+"]"), nil)); n != mostDifferences {
		t.Errorf("%d differences, want %d", n, mostDifferences)
	}
}

// The rules that compare two answers show where they differ.
func TestDifferencesOfRules(t *testing.T) {
	for _, c := range []struct {
		rule, contract string
		tell           func(*book)
		want           []Difference
	}{
		{"same-answer", "replay=verbatim", func(b *book) { b.try("r-1", "201", one); b.try("r-1", "201", two) }, []Difference{{"/id", "ch_1", "ch_2"}}},
		{"overlap-answer", "in_flight=409", func(b *book) {
			x, y := b.begin("r-1"), b.begin("r-1")
			b.end(x, "201", one)
			b.end(y, "422", `{"error":"used"}`)
		}, []Difference{{"status", "201", "422"}, {"/id", "ch_1", ""}, {"/status", "paid", ""}, {"/error", "", "used"}}},
		{"changed-payload-refused", "mismatch=422", func(b *book) {
			b.try("r-1", "201", one)
			b.try("r-1", "201", one, "variant=/amount", "payload=x", "raw=x")
		}, []Difference{{"/id", "ch_1", "ch_1"}}},
		{"separation", "mismatch=422", func(b *book) { b.try("r-1", "201", one); b.try("r-2", "201", one) }, []Difference{{"/id", "ch_1", "ch_1"}}},
	} {
		b := newBook(rows1)
		b.calibrate("charge")
		b.open("story/charge", c.rule)
		c.tell(b)
		vs := Judge(b.done(), stated(t, c.contract)).Cases[0].Violations
		if len(vs) == 0 || !reflect.DeepEqual(vs[0].Differences, c.want) {
			t.Errorf("%s: %+v, want %q", c.rule, vs, c.want)
		}
	}
}
