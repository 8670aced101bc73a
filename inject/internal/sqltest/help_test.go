package sqltest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/idemcheck/idemcheck/inject/internal/sqlwrap"
)

// dbEngine is a kind of database, with a fresh one for a test.
type dbEngine struct {
	name string
	open func(t *testing.T) *sql.DB
	mark func(n int) string // a placeholder
}

var dbEngines = []dbEngine{
	{"sqlite", openSQLite, func(int) string { return "?" }},
	{"sqlite file", openSQLiteFile, func(int) string { return "?" }},
	{"postgres", openPostgres, func(n int) string { return fmt.Sprint("$", n) }},
	{"mariadb", openMariaDB, func(int) string { return "?" }},
}

// sql writes ? as the dbEngine does.
func (e dbEngine) sql(text string) string {
	for n := 1; strings.Contains(text, "?"); n++ {
		text = strings.Replace(text, "?", "\x00"+e.mark(n)[1:], 1)
	}
	return strings.ReplaceAll(text, "\x00", e.mark(1)[:1])
}

func onEngines(t *testing.T, f func(t *testing.T, e dbEngine, db *sql.DB)) {
	for _, e := range dbEngines {
		t.Run(e.name, func(t *testing.T) { f(t, e, e.open(t)) })
	}
}

func opened(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openSQLite has one connection: it is the database.
func openSQLite(t *testing.T) *sql.DB {
	db := opened(t, "sqlite", ":memory:")
	db.SetMaxOpenConns(1)
	return db
}

func openSQLiteFile(t *testing.T) *sql.DB {
	return opened(t, "sqlite", "file:"+strings.ReplaceAll(t.TempDir(), "#", "%23")+"/test.db?_pragma=busy_timeout(5000)&_txlock=immediate")
}

func serverOf(t *testing.T, variable, example string) *url.URL {
	t.Helper()
	at := os.Getenv(variable)
	if at == "" {
		how := "set " + variable + "=" + example + " to run the tests on this server"
		if os.Getenv("IDEMCHECK_REQUIRE") == "all" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

var databases atomic.Int64

// fresh makes a database on a server, and drops it at the end.
func fresh(t *testing.T, admin *sql.DB, drop string) string {
	t.Helper()
	name := fmt.Sprintf("inject_test_%d_%d", os.Getpid(), databases.Add(1))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := admin.ExecContext(ctx, "create database "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("drop database " + name + drop); err != nil {
			t.Error(err)
		}
	})
	return name
}

func openPostgres(t *testing.T) *sql.DB {
	u := serverOf(t, "IDEMCHECK_TEST_POSTGRES", "postgres://user@127.0.0.1:5432/db")
	u.Path = "/" + fresh(t, opened(t, "pgx", u.String()), " with (force)")
	return opened(t, "pgx", u.String())
}

func openMariaDB(t *testing.T) *sql.DB {
	u := serverOf(t, "IDEMCHECK_TEST_MYSQL", "mysql://root@127.0.0.1:3306/test")
	source := func(name string) string { return u.User.String() + "@tcp(" + u.Host + ")/" + name }
	name := fresh(t, opened(t, "mysql", source(strings.Trim(u.Path, "/"))), "")
	return opened(t, "mysql", source(name))
}

func dbWorks(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// idKey is the key of an id in a context.
type idKey struct{}

func (*dbLedger) Lost(f sqlwrap.Fault) error {
	return fmt.Errorf("%w (made by the fault %s)", syscall.ECONNRESET, f)
}

// dbLedger is a run of a test: what it counts, and what is to happen.
type dbLedger struct {
	is     func(string) bool // nil: nothing is an id
	faults []sqlwrap.Fault   // what the COMMITs meet, one after the other
	stays  bool              // the goroutine is no attempt's

	mu    sync.Mutex
	lines []string
}

func (l *dbLedger) note(args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(fmt.Sprintln(args...)))
}

// told is what was noted since it was last asked.
func (l *dbLedger) told() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.lines, ", ")
	l.lines = nil
	return text
}

func (l *dbLedger) Known(id string) bool { return l.is != nil && l.is(id) }

func (l *dbLedger) Current(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

func (l *dbLedger) Meet(id string)                    { l.note("meet", id) }
func (l *dbLedger) Gather(id string)                  {}
func (l *dbLedger) Effect(table, id string)           { l.note(table, id) }
func (l *dbLedger) Undo(table, id string)             { l.note("no", table, id) }
func (l *dbLedger) Mortal(string, sqlwrap.Fault) bool { return !l.stays }
func (l *dbLedger) Here() string                      { return "" }
func (l *dbLedger) Fired(id string, f sqlwrap.Fault, moment string) {
	l.note(f, id, "at", moment)
}
func (l *dbLedger) Complain(id, why string) { l.note(id, why) }

func (l *dbLedger) Strike(id string, effects bool) sqlwrap.Fault {
	l.note("commit", id, effects)
	if len(l.faults) == 0 {
		return sqlwrap.Fault{}
	}
	f := l.faults[0]
	l.faults = l.faults[1:]
	return f
}
