package wire

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A pgTest is a database of its own on the real server, with the table charges,
// and a link before it.
type pgTest struct {
	*testing.T
	ctx    context.Context
	link   *Link
	direct *pgx.Conn // not through the link
	url    string    // through the link
	open   []*pgx.Conn
}

var databases atomic.Int64

// postgresURL is where the real server is.
func postgresURL(t testing.TB) *url.URL {
	t.Helper()
	at := os.Getenv("IDEMCHECK_TEST_POSTGRES")
	if at == "" {
		const how = "set IDEMCHECK_TEST_POSTGRES=postgres://user@127.0.0.1:5432/db to run the tests on PostgreSQL"
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

func newPgTest(t *testing.T) *pgTest {
	t.Helper()
	u := postgresURL(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*bound)
	t.Cleanup(cancel)
	p := &pgTest{T: t, ctx: ctx}
	name := fmt.Sprintf("wire_test_%d_%d", os.Getpid(), databases.Add(1))
	admin := p.connect(u.String())
	p.exec(admin, "create database "+name)
	t.Cleanup(func() {
		if _, err := admin.Exec(context.Background(), "drop database "+name+" with (force)"); err != nil {
			t.Error(err)
		}
		_ = admin.Close(context.Background())
	})
	t.Cleanup(p.hangUp)
	u.Path = "/" + name
	p.direct = p.connect(u.String())
	t.Cleanup(func() { _ = p.direct.Close(context.Background()) })
	p.exec(p.direct, "create table charges (id int primary key, n int)")
	p.link = open(t, Config{Name: "db", Protocol: Postgres, To: serverAddr(t)})
	t.Cleanup(func() {
		if err := p.link.Err(); err != nil {
			t.Error(err)
		}
	})
	u.Host = p.link.Addr()
	p.url = u.String()
	return p
}

func (p *pgTest) connect(url string) *pgx.Conn {
	p.Helper()
	c, err := pgx.Connect(p.ctx, url)
	if err != nil {
		p.Fatal(err)
	}
	return c
}

// client is a connection through the link in one of pgx's modes.
func (p *pgTest) client(mode pgx.QueryExecMode) *pgx.Conn {
	p.Helper()
	config, err := pgx.ParseConfig(p.url)
	if err != nil {
		p.Fatal(err)
	}
	config.DefaultQueryExecMode = mode
	c, err := pgx.ConnectConfig(p.ctx, config)
	if err != nil {
		p.Fatal(err)
	}
	p.open = append(p.open, c)
	return c
}

// hangUp closes all clients.
func (p *pgTest) hangUp() {
	for _, c := range p.open {
		_ = c.Close(context.Background())
	}
	p.open = nil
}

func (p *pgTest) exec(c *pgx.Conn, sql string, args ...any) {
	p.Helper()
	if _, err := c.Exec(p.ctx, sql, args...); err != nil {
		p.Fatalf("%s: %v", sql, err)
	}
}

// rows are the ids of the table, "1 2".
func (p *pgTest) rows() string {
	p.Helper()
	var s string
	if err := p.direct.QueryRow(p.ctx, "select coalesce(string_agg(id::text, ' ' order by id), '') from charges").Scan(&s); err != nil {
		p.Fatal(err)
	}
	return s
}

// quiet waits until nobody but the test itself is connected to the database: the
// server has rolled back what was left.
func (p *pgTest) quiet() {
	p.Helper()
	for {
		var n int
		if err := p.direct.QueryRow(p.ctx, "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()").Scan(&n); err != nil {
			p.Fatal(err)
		}
		if n == 0 {
			return
		}
		select {
		case <-p.ctx.Done():
			p.Fatal("connections to the server stayed open")
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// A trace is a hook that notes the steps and strikes one of them.
type trace struct {
	mu     sync.Mutex
	steps  []string
	calls  []int64
	strike string // "before COMMIT", "after COMMIT"
	action Action
	then   func()
}

func (tr *trace) hook(s Step) Action {
	what := "before " + s.Name
	if s.Phase == After {
		what = "after " + s.Name
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	text := what
	if s.Phase == After {
		text += ": " + s.Reply
		if s.Refused {
			text += ", refused"
		}
		if s.Durable {
			text += ", durable"
		}
	}
	tr.steps = append(tr.steps, text)
	tr.calls = append(tr.calls, s.Call)
	if what != tr.strike {
		return Pass
	}
	tr.strike = ""
	if tr.then != nil {
		tr.then()
	}
	return tr.action
}

func (tr *trace) String() string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return strings.Join(tr.steps, "\n")
}

// fired reports whether the step that it strikes came.
func (tr *trace) fired() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.strike == ""
}

// paired reports whether each step came before and after under one number.
func (tr *trace) paired() bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for pair := range slices.Chunk(tr.calls, 2) {
		if len(pair) != 2 || pair[0] != pair[1] {
			return false
		}
	}
	return true
}

// serverAddr is the host of the real server.
func serverAddr(t testing.TB) string {
	u := postgresURL(t)
	if _, _, err := net.SplitHostPort(u.Host); err != nil {
		return net.JoinHostPort(u.Host, "5432")
	}
	return u.Host
}

// try sends a text in one of pgWays.
func (p *pgTest) try(c *pgx.Conn, way, sql string) (err error) {
	switch way {
	case "simple":
		_, err = c.PgConn().Exec(p.ctx, sql).ReadAll()
	case "extended":
		_, err = c.PgConn().ExecParams(p.ctx, sql, nil, nil, nil, nil).Close()
	case "prepared":
		if _, err = c.PgConn().Prepare(p.ctx, "named", sql, nil); err == nil {
			_, err = c.PgConn().ExecPrepared(p.ctx, "named", nil, nil, nil).Close()
		}
		_ = c.PgConn().Deallocate(p.ctx, "named")
	}
	return err
}

var pgWays = []string{"simple", "extended", "prepared"}
