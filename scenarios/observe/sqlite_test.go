package observe

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop makes a database file with some charges.
func shop(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sh op#1.db")
	db, err := sql.Open("sqlite", fileURI(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		"create table charges (order_id, key text, tenant text, amount int)",
		"insert into charges values ('o1','k1','alice',5), ('o2','k2','bob',6), ('o2','k2b','bob',6), (42,null,null,7), (x'6f35','k5','alice',null), (null,'k6','alice',1)",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func openTest(t *testing.T, url, query string) *SQL {
	t.Helper()
	s, err := OpenSQL(url, query, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t *testing.T, o Observer, q Query) []Count {
	t.Helper()
	counts, err := o.Read(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

func TestSQLiteRead(t *testing.T) {
	url := "sqlite:" + shop(t)
	all := Query{IDs: []string{"o1", "o2", "o2", "42", "o3", "o5"}, Keys: []string{"k1", "k2b"}, Run: "o"}
	for _, c := range []struct {
		name, query, by string
		want            []Count
	}{
		{"grouped", "select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1 order by 1", "id", []Count{{ID: "o1", N: 1}, {ID: "o2", N: 2}}},
		{"rows", "select order_id as ID from charges where order_id in (:ids) order by 1", "id", []Count{{ID: "o1", N: 1}, {ID: "o2", N: 2}}},
		{"numbers, bytes and nulls", "select order_id as id from charges order by 1", "id", []Count{{ID: "42", N: 1}, {ID: "o1", N: 1}, {ID: "o2", N: 2}, {ID: "o5", N: 1}}},
		{"scope", "select key, tenant as scope, 1 as version from charges where key in (:keys) order by 1", "key", []Count{{Key: "k1", Scope: "alice", N: 1, Version: "1"}, {Key: "k2b", Scope: "bob", N: 1, Version: "1"}}},
		{"both lists", "select order_id as id from charges where order_id in (:ids) and key in (:keys) order by 1", "id", []Count{{ID: "o1", N: 1}, {ID: "o2", N: 1}}},
		{"run", "select order_id as id, total(amount > 5) as n from charges where order_id like :run || '%' group by 1", "id", []Count{{ID: "o2", N: 2}}},
	} {
		s := openTest(t, url, c.query)
		if d := cmp.Diff(c.want, read(t, s, all)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if by, err := s.By(t.Context()); by != c.by || err != nil {
			t.Errorf("%s: by %q, %v", c.name, by, err)
		}
	}
}

// More ids than one query takes: the results are added up.
func TestSQLiteBatches(t *testing.T) {
	s := openTest(t, "sqlite:"+shop(t), "select 'all' as id, count(*) as n from charges where order_id in (:ids)")
	q := Query{IDs: []string{"o1"}}
	for i := range 1500 {
		q.IDs = append(q.IDs, fmt.Sprint("x", i))
	}
	q.IDs = append(q.IDs, "o2", "o1")
	if d := cmp.Diff([]Count{{ID: "all", N: 3}}, read(t, s, q)); d != "" {
		t.Error(d)
	}
}

func TestSQLiteErrors(t *testing.T) {
	url := "sqlite:" + shop(t)
	for _, c := range []struct{ query, want string }{
		{"select order_id from charges", "no column is named id or key, the columns are: order_id"},
		{"select order_id as id, key from charges", "exclude each other"},
		{"select order_id as id, count(*) as cnt from charges group by 1", `column "cnt" means nothing here`},
		{"select order_id as id, amount/2.0 as n from charges", `column n is "2.5"`},
		{"select order_id as id, -1 as n from charges", `column n is "-1"`},
		{"select order_id as id, key as version from charges", "it shows two versions of o2, k2 and k2b"},
		{"select order_id as id, 'x' as n from charges", `column n is "x"`},
		{"select nope as id from charges", "no such column"},
		{"delete from charges returning order_id as id", "readonly"},
	} {
		_, err := openTest(t, url, c.query).Read(t.Context(), Query{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.query, err, c.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	_, err := openTest(t, url, "select 1 as id").Read(ctx, Query{})
	if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
		t.Errorf("got %v, want the cause of the end", err)
	}
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct{ url, query, want string }{
		{"oracle://x", "select 1", `no driver for "oracle:"; want postgres://`},
		{"mysql://u:s3cr%zzet@h/d", "select :run", "percent-encoded"},
		{"mysql://u:s3cret@h/d?parseTime=maybe", "select :run", "maybe"},
		{"mysql://127.0.0.1/", "select :run", "names no database"},
		{"shop.db", "select 1", "no database URL"},
		{"sqlite:", "select 1", "names no file"},
		{"sqlite:x.db", "select ':ids'", "none of the parameters :ids :keys :run"},
		{"sqlite:x.db", "select :id", "unknown parameter :id"},
		{"postgres://u:s3cr%zzet@h/d", "select :run", "percent-encoded"},
		{"postgres://u:s3cret@h:99999999/d", "select :run", "xxxxx"},
		{"postgres://h/d?password=s3cret&sslmode=nope", "select :run", "sslmode"},
	} {
		_, err := OpenSQL(c.url, c.query, false)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr") {
			t.Errorf("%s %s: got %v, want %q", c.url, c.query, err, c.want)
		}
	}
}

func TestSQLiteURLs(t *testing.T) {
	path := shop(t)
	t.Chdir(filepath.Dir(path))
	base := filepath.Base(path)
	encoded := strings.NewReplacer(" ", "%20", "#", "%23").Replace(path)
	for _, url := range []string{"sqlite:" + path, "sqlite://" + path, "sqlite:./" + base, "sqlite:" + base, "file:" + encoded, "file://" + encoded + "?mode=ro", "sqlite:" + path + "?mode=ro"} {
		if got := read(t, openTest(t, url, "select order_id as id from charges where order_id = 'o1'"), Query{}); len(got) != 1 {
			t.Errorf("%s: %v", url, got)
		}
	}
	for _, c := range []struct{ url, want string }{
		{"sqlite:nope.db", "no database file " + filepath.Join(filepath.Dir(path), "nope.db")},
		{"sqlite:///nope.db", "relative to the working directory is written sqlite:./nope.db"},
		{"sqlite:.", "is a directory"},
	} {
		_, err := openTest(t, c.url, "select 1 as id").Read(t.Context(), Query{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.url, err, c.want)
		}
	}
	if _, err := os.Stat("nope.db"); err == nil {
		t.Error("reading made a new database")
	}
}

func TestSQLiteMemory(t *testing.T) {
	db, err := sql.Open("sqlite", "file:seen?mode=memory&cache=shared")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create table c (id); insert into c values ('a')"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, openTest(t, "file:seen?mode=memory&cache=shared", "select id from c"), Query{}); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

func TestRows(t *testing.T) {
	url := "sqlite:" + shop(t)
	rows, total, err := openTest(t, url, "select order_id as o, amount, amount > 5 as big, 1.5 as f, '<' as t from charges where order_id = 'o1'").Rows(t.Context(), "r")
	if err != nil || total != 1 || cmp.Diff([]string{`{"o":"o1","amount":5,"big":0,"f":1.5,"t":"<"}`}, rows) != "" {
		t.Errorf("got %v, %d, %v", rows, total, err)
	}
	rows, total, err = openTest(t, url, "select a.amount, :run as run from charges a, charges b, charges c").Rows(t.Context(), "r")
	if err != nil || total != 216 || len(rows) != 20 || rows[0] != `{"amount":5,"run":"r"}` {
		t.Errorf("got %d rows of %d, %v", len(rows), total, err)
	}
	if _, _, err := openTest(t, url, "select 1 where 'x' in (:ids)").Rows(t.Context(), "r"); err == nil || !strings.Contains(err.Error(), "legal is :run") {
		t.Errorf("got %v", err)
	}
}

// process is a writer in another process.
type process struct {
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func startWriter(t *testing.T, path string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+fileURI(path))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd, in, bufio.NewReader(out)}
	t.Cleanup(p.kill)
	return p
}

func (p *process) exec(t *testing.T, sql string) {
	t.Helper()
	fmt.Fprintln(p.in, sql)
	if line, err := p.out.ReadString('\n'); line != "done\n" {
		t.Fatalf("%s: %s%v", sql, line, err)
	}
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// A database in WAL mode is read while another process writes it, in the middle
// of its transaction, and after it was killed.
func TestSQLiteWAL(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wal.db")
	w := startWriter(t, path)
	w.exec(t, "pragma journal_mode = wal")
	w.exec(t, "create table c (id text)")
	s := openTest(t, "sqlite:"+path, "select id from c")
	for i := range 3 {
		w.exec(t, "begin immediate")
		w.exec(t, "insert into c values ('a')")
		if got := read(t, s, Query{}); len(got) != min(i, 1) || i > 0 && got[0].N != i {
			t.Errorf("round %d, uncommitted: %v", i, got)
		}
		w.exec(t, "commit")
		if d := cmp.Diff([]Count{{ID: "a", N: i + 1}}, read(t, s, Query{})); d != "" {
			t.Errorf("round %d: %s", i, d)
		}
	}
	w.exec(t, "begin immediate")
	w.exec(t, "insert into c values ('b')")
	w.kill()
	again := openTest(t, "sqlite:"+path, "select id from c")
	if d := cmp.Diff([]Count{{ID: "a", N: 3}}, read(t, again, Query{})); d != "" {
		t.Errorf("after the kill: %s", d)
	}
	next := startWriter(t, path)
	next.exec(t, "insert into c values ('c')")
	if got := read(t, s, Query{}); len(got) != 2 {
		t.Errorf("after a restart: %v", got)
	}
}

// A writer that was killed in a transaction leaves a journal that the first
// reader must roll back: what was not committed is not counted.
func TestSQLiteHotJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	w := startWriter(t, path)
	w.exec(t, "create table c (id text, filler text)")
	w.exec(t, "insert into c values ('a', '')")
	w.exec(t, "pragma cache_size = 1")
	w.exec(t, "begin")
	w.exec(t, "insert into c select 'b', hex(zeroblob(4000)) from (with recursive r(i) as (select 1 union all select i+1 from r where i < 50) select i from r)")
	w.kill()
	if _, err := os.Stat(path + "-journal"); err != nil {
		t.Fatalf("no journal was left: %v", err)
	}
	s := openTest(t, "sqlite:"+path, "select id from c")
	if d := cmp.Diff([]Count{{ID: "a", N: 1}}, read(t, s, Query{})); d != "" {
		t.Error(d)
	}
}

// A read leaves no lock behind: a writer can take the whole database at once.
func TestSQLiteNoLockLeft(t *testing.T) {
	path := shop(t)
	s := openTest(t, "sqlite:"+path, "select order_id as id, 'x' as n from charges") // fails at the first row
	if _, err := s.Read(t.Context(), Query{}); err == nil {
		t.Fatal("want an error")
	}
	w := startWriter(t, path)
	w.exec(t, "pragma busy_timeout = 0")
	w.exec(t, "begin exclusive")
	w.exec(t, "commit")
}
