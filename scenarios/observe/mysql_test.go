package observe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMySQL(t *testing.T) {
	url, db := mysqlTest(t)
	exec := func(text string) {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	exec("drop table if exists observed")
	exec("create table observed (o varchar(40), k binary(4), big bigint, amount decimal(9,2), at datetime, tenant varchar(9), v int)")
	defer exec("drop table observed")
	exec("insert into observed values ('o1', 'k--1', 42, 1.5, '2026-01-02 03:04:05', 'alice', 1), ('o2', 'k--2', 43, 2, null, null, 2), ('o2', null, 43, 3, null, 'bob', 2)")
	q := Query{IDs: []string{"o1", "o2", "o3"}, Keys: []string{"k--2"}, Run: "o"}
	for _, c := range []struct {
		query string
		want  []Count
	}{
		{"select o as id, count(*) as n, max(v) as version from observed where o in (:ids) group by 1 order by 1", []Count{{ID: "o1", N: 1, Version: "1"}, {ID: "o2", N: 2, Version: "2"}}},
		{"select o as id, sum(amount) as n from observed where o in (:ids) and o <> 'o1' group by 1", []Count{{ID: "o2", N: 5}}},
		{"select k as `key`, at, tenant as scope from observed where k in (:keys) # :no", []Count{{Key: "k--2", N: 1}}},
		{"select big as id from observed where o in (:ids) or o like concat(:run, '%') or k in (:keys) order by 1", []Count{{ID: "42", N: 1}, {ID: "43", N: 2}}},
	} {
		s := openTest(t, url, c.query)
		if d := cmp.Diff(c.want, read(t, s, q)); d != "" {
			t.Errorf("%s: %s", c.query, d)
		}
		if _, err := s.By(t.Context()); err != nil {
			t.Errorf("%s: %v", c.query, err)
		}
	}
	rows, total, err := openTest(t, url, "select o, k, big, amount, at, tenant from observed where tenant = 'alice'").Rows(t.Context(), "")
	want := []string{`{"o":"o1","k":"k--1","big":42,"amount":"1.50","at":"2026-01-02T03:04:05Z","tenant":"alice"}`}
	if err != nil || total != 1 || cmp.Diff(want, rows) != "" {
		t.Errorf("got %v, %d, %v", rows, total, err)
	}
	for _, c := range []struct{ query, want string }{
		{"insert into observed (o) values ('x') returning o as id", "READ ONLY transaction"},
		{"select nope as id from observed", "nope"},
		{"select 1 as id; delete from observed", "SQL syntax"},
	} {
		_, err := openTest(t, url, c.query).Read(t.Context(), Query{IDs: []string{"a"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.query, err, c.want)
		}
	}
}

// Nothing listens there: the error names the database and hides the password.
func TestMySQLUnreachable(t *testing.T) {
	_, err := openTest(t, "mysql://app:s3cr%2Fet@127.0.0.1:1/shop", "select 1 as id").Read(t.Context(), Query{})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1/shop") || strings.Contains(err.Error(), "s3cr") {
		t.Errorf("got %v", err)
	}
}
