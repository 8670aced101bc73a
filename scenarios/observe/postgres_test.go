package observe

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// postgresTest makes a schema of its own and returns a URL whose search path it is.
func postgresTest(t *testing.T) string {
	t.Helper()
	address := os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if address == "" {
		const how = "set IDEMCHECK_TEST_POSTGRES=postgres://user@127.0.0.1:5432/db to run the tests on PostgreSQL"
		if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	db, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("observe_test_%d", os.Getpid())
	exec := func(q string) {
		if _, err := db.Exec(q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	t.Cleanup(func() {
		exec("drop schema " + schema + " cascade")
		db.Close()
	})
	exec("create schema " + schema)
	exec("create table " + schema + ".c (o text, k uuid, b bytea, big bigint, amount numeric, at timestamptz, tenant varchar)")
	exec("insert into " + schema + `.c values
		('o1', '3f1c0000-0000-4000-8000-000000000001', 'o1', 42, 1.50, '2026-01-02 03:04:05+00', 'alice'),
		('o2', '3f1c0000-0000-4000-8000-000000000002', 'o2', 43, 2, null, null),
		('o2', null, null, 43, 3, null, 'bob')`)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

func TestPostgres(t *testing.T) {
	address := postgresTest(t)
	q := Query{IDs: []string{"o1", "o2", "o3"}, Keys: []string{"3f1c0000-0000-4000-8000-000000000002"}, Run: "o"}
	for _, c := range []struct {
		query string
		want  []Count
	}{
		{"select o as id, count(*) as n from c where o in (:ids) group by 1 order by 1", []Count{{ID: "o1", N: 1}, {ID: "o2", N: 2}}},
		{"select o as id, sum(amount)::numeric(9,2) as n from c where o in (:ids) and o <> 'o1' group by 1", []Count{{ID: "o2", N: 5}}},
		{"select k as key, at, tenant as scope from c where k in (:keys)", []Count{{Key: q.Keys[0], N: 1}}},
		{"select k as key from c where o = any(array[:ids]) order by 1", []Count{{Key: "3f1c0000-0000-4000-8000-000000000001", N: 1}, {Key: q.Keys[0], N: 1}}},
		{"select b as id from c where o like :run || '%' order by 1", []Count{{ID: "o1", N: 1}, {ID: "o2", N: 1}}},
		{"select big as id from c where o in (:ids) or k in (:keys) order by 1", []Count{{ID: "42", N: 1}, {ID: "43", N: 2}}},
		{"select 'x'::text as id /* :no */ where $q$:no$q$ <> :run::text", []Count{{ID: "x", N: 1}}},
	} {
		s := openTest(t, address, c.query)
		if d := cmp.Diff(c.want, read(t, s, q)); d != "" {
			t.Errorf("%s: %s", c.query, d)
		}
		if _, err := s.By(t.Context()); err != nil {
			t.Errorf("%s: %v", c.query, err)
		}
	}
	rows, total, err := openTest(t, address, "select o, k, big, amount, at, tenant, b from c where tenant = 'alice'").Rows(t.Context(), "")
	want := []string{`{"o":"o1","k":"3f1c0000-0000-4000-8000-000000000001","big":42,"amount":"1.50","at":"2026-01-02T03:04:05Z","tenant":"alice","b":"o1"}`}
	if err != nil || total != 1 || cmp.Diff(want, rows) != "" {
		t.Errorf("got %v, %d, %v", rows, total, err)
	}
}

func TestPostgresErrors(t *testing.T) {
	address := postgresTest(t)
	for _, c := range []struct{ query, want string }{
		{"insert into c values ('x') returning o as id", "read-only transaction"},
		{"select o from c where o in (:ids)", "no column is named id or key, the columns are: o"},
		{"select nope as id from c", "nope"},
	} {
		_, err := openTest(t, address, c.query).Read(t.Context(), Query{IDs: []string{"a"}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.query, err, c.want)
		}
	}
	// Many failed and good reads in turn leave no connection behind: the pool has four.
	s := openTest(t, address, "select o as id, 1/(case when :run = 'bad' then 0 else 1 end) as n from c")
	for range 10 {
		if _, err := s.Read(t.Context(), Query{Run: "bad"}); err == nil {
			t.Fatal("want an error")
		}
		if got := read(t, s, Query{Run: "good"}); len(got) != 2 {
			t.Fatalf("got %v", got)
		}
	}
}

// Nothing listens there: the error names the database and hides the password.
func TestPostgresUnreachable(t *testing.T) {
	for _, u := range []string{"postgres://app:s3cr%2Fet@127.0.0.1:1/shop?sslmode=disable", "postgresql://127.0.0.1:1/shop?user=app&password=s3cr%2Fet&sslmode=disable"} {
		_, err := openTest(t, u, "select 1 as id").Read(t.Context(), Query{})
		if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1/shop") || strings.Contains(err.Error(), "s3cr") {
			t.Errorf("got %v", err)
		}
	}
}
