package observe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommand(t *testing.T) {
	q := Query{IDs: []string{"a"}, Run: "r"}
	for _, c := range []struct {
		by, out string
		want    []Count
		err     string
	}{
		{by: "id", out: `{"id":"a","n":2,"version":3}` + "\n\n" + ` {"id": 42, "scope": "bob"} ` + "\n" + `{"id":"a"}`, want: []Count{{ID: "a", N: 3, Version: "3"}, {ID: "42", Scope: "bob", N: 1}}},
		{by: "key", out: `{"key":"k","version":"paid"}`, want: []Count{{Key: "k", N: 1, Version: "paid"}}},
		{by: "id", out: "", want: nil},
		{by: "id", out: `{"id":"a","n":0}`, want: nil},
		{by: "id", out: `{"key":"k"}`, err: `line 1 of its output: want an object that names the id`},
		{by: "id", out: `{"id":"k","key":"k"}`, err: "and no other"},
		{by: "id", out: "{\"id\":\"k\"}\nnope", err: "line 2 of its output: invalid character"},
		{by: "id", out: `{"id":"k","count":2}`, err: `unknown field "count"`},
		{by: "id", out: `{"id":true}`, err: "true is neither a text nor a number"},
		{by: "id", out: `{"id":"k","n":-1}`, err: "n is -1"},
		{by: "id", out: `{"id":"k","n":1.5}`, err: "1.5"},
		{by: "id", out: `{"id":"k"} {}`, err: "more than one value"},
		{by: "id", out: "{\"id\":\"k\",\"version\":1}\n{\"id\":\"k\",\"version\":2}", err: "two versions of k"},
	} {
		o := Command{Argv: asCommand(t, "print "+c.out), By: c.by}
		got, err := o.Read(t.Context(), q)
		if c.err == "" && (err != nil || cmp.Diff(c.want, got) != "") || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: got %v, %v, want %v %q", c.out, got, err, c.want, c.err)
		}
	}
	if _, err := (Command{Argv: asCommand(t, "endless"), By: "id"}).Read(t.Context(), q); err == nil || !strings.Contains(err.Error(), "it wrote more than 1 MiB") {
		t.Errorf("got %v", err)
	}
	if err := (Command{Argv: []string{"./gone"}}).Check(t.Context()); err == nil {
		t.Error("want an error")
	}
}

// No output of a command makes it panic.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"id":"a","n":2,"version":3}`))
	f.Add([]byte("{\"id\":1e3}\n{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		counts, err := lines(b, "id")
		for _, c := range counts {
			if err != nil || c.N <= 0 || c.Key != "" {
				t.Errorf("got %v, %v", c, err)
			}
		}
	})
}
