package observe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBind(t *testing.T) {
	q := Query{IDs: []string{"a", "b"}, Keys: []string{"k"}, Run: "r"}
	for _, c := range []struct {
		in, want string
		args     []any
	}{
		{"select 1", "select 1", nil},
		{"x in (:ids) and y in (:keys)", "x in ($1, $2) and y in ($3)", []any{"a", "b", "k"}},
		{"x in (:ids) or y in (:ids) or z like :run || '%'", "x in ($1, $2) or y in ($1, $2) or z like $3 || '%'", []any{"a", "b", "r"}},
		{":run", "$1", []any{"r"}},
		{"id::text = :run::text", "id::text = $1::text", []any{"r"}},
		{"':ids' || 'it''s :x' || \":y\"\" :z\" `:w`", "':ids' || 'it''s :x' || \":y\"\" :z\" `:w`", nil},
		{`E'it\' :x' || :run`, `E'it\' :x' || $1`, []any{"r"}},
		{`'c:\' || :run`, `'c:\' || $1`, []any{"r"}},
		{"$$ :x $$ $t$ $$ :y $t$ :run", "$$ :x $$ $t$ $$ :y $t$ $1", []any{"r"}},
		{"a$b$c :run", "a$b$c $1", []any{"r"}},
		{"-- it's :x\n:run -- :y", "-- it's :x\n$1 -- :y", []any{"r"}},
		{"/* /* :x */ ' */ :run", "/* /* :x */ ' */ $1", []any{"r"}},
		{"a[1: 2] := 3 : :", "a[1: 2] := 3 : :", nil},
		{"data ? 'k' and j->>':x' = :run", "data ? 'k' and j->>':x' = $1", []any{"r"}},
	} {
		chunks, err := scan(c.in, postgres)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		got, args := statement{chunks: chunks, dialect: postgres}.bind(q)
		if got != c.want || cmp.Diff(c.args, args) != "" {
			t.Errorf("%s\n got %s %v\nwant %s %v", c.in, got, args, c.want, c.args)
		}
	}
}

// MySQL has no numbers on its placeholders, # begins a comment and a backslash
// escapes in every text.
func TestBindMySQL(t *testing.T) {
	q := Query{IDs: []string{"a", "b"}, Run: "r"}
	for _, c := range []struct {
		in, want string
		args     []any
	}{
		{"x in (:ids) or y in (:ids) or z = :run", "x in (?, ?) or y in (?, ?) or z = ?", []any{"a", "b", "a", "b", "r"}},
		{"'it\\' :x' = \"\\\" :y\" # it's :z\n and :run", "'it\\' :x' = \"\\\" :y\" # it's :z\n and ?", []any{"r"}},
		{"1--:run -- :x", "1--? -- :x", []any{"r"}},
		{"`a\\` = :run and @a := 1", "`a\\` = ? and @a := 1", []any{"r"}},
	} {
		chunks, err := scan(c.in, mysql)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		got, args := statement{chunks: chunks, dialect: mysql}.bind(q)
		if got != c.want || cmp.Diff(c.args, args) != "" {
			t.Errorf("%s\n got %s %v\nwant %s %v", c.in, got, args, c.want, c.args)
		}
	}
}

func TestScanErrors(t *testing.T) {
	for _, c := range []struct {
		in, want string
		dialect  dialect
	}{
		{"select 1\nwhere x = :id", "query, line 2: unknown parameter :id; legal are :ids :keys :run", postgres},
		{"x = 'a", "line 1: unclosed '", postgres},
		{"x = \"a", `unclosed "`, postgres},
		{"/* a", "unclosed comment", postgres},
		{"/* /* a */", "unclosed comment", postgres},
		{"$a$ b", "unclosed $a$", postgres},
		{"x = $1", "placeholder $1; parameters are written :ids :keys :run", postgres},
		{"x = ?", "placeholder ?; parameters are written", sqlite},
		{"x = $id", "placeholder $id", sqlite},
	} {
		if _, err := scan(c.in, c.dialect); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.in, err, c.want)
		}
	}
	if _, err := scan("/* /* a */ :run", sqlite); err != nil {
		t.Errorf("comments of SQLite do not nest: %v", err)
	}
}

func TestBatches(t *testing.T) {
	var ids []string
	for i := range 1201 {
		ids = append(ids, fmt.Sprint(i))
	}
	of := func(sql string) statement {
		chunks, err := scan(sql, postgres)
		if err != nil {
			t.Fatal(err)
		}
		return statement{chunks: chunks, dialect: postgres}
	}
	q := Query{IDs: append(ids, "7", ""), Keys: []string{"k", "k"}, Run: "r"}
	var sizes []int
	for _, b := range of("x in (:ids)").batches(q) {
		sizes = append(sizes, len(b.IDs))
	}
	if d := cmp.Diff([]int{500, 500, 201}, sizes); d != "" {
		t.Error(d)
	}
	both := of("x in (:ids) or y in (:keys)").batches(q)
	if len(both) != 1 || len(both[0].IDs) != 1201 || len(both[0].Keys) != 1 {
		t.Errorf("a query with both lists was cut into %d", len(both))
	}
	if got := of("x like :run").batches(Query{Run: "r"}); len(got) != 1 {
		t.Errorf("without a list: %d queries", len(got))
	}
	if got := of("x in (:ids)").batches(Query{Run: "r"}); len(got) != 0 {
		t.Errorf("nobody asked for: %d queries", len(got))
	}
	sql, args := of("x in (:ids) or y in (:keys)").bind(Query{Keys: []string{"k"}})
	if sql != "x in (NULL) or y in ($1)" || len(args) != 1 {
		t.Errorf("got %s %v", sql, args)
	}
}

// No byte of a query is lost or changed, whatever stands in it.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"x in (:ids)", "a::b", "'it''s'", "E'\\'", "$t$ $t$", "-- x\n", "/* /* */ */", ":run:keys", "`", "a$b$", "$", ":"} {
		for _, d := range []dialect{sqlite, postgres, mysql} {
			f.Add(s, int(d))
		}
	}
	f.Fuzz(func(t *testing.T, s string, d int) {
		chunks, err := scan(s, dialect(d))
		if err != nil {
			return
		}
		got := ""
		for _, c := range chunks {
			got += c.text + c.param
		}
		if got != s {
			t.Fatalf("%q came back as %q", s, got)
		}
	})
}
