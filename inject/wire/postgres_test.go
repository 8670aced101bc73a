package wire

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// sqlState is the code of an error of the server.
func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// While one connection is held at its COMMIT another works.
func TestPostgresHoldsOneConnection(t *testing.T) {
	p := newPgTest(t)
	held, goOn := make(chan bool), make(chan bool)
	p.link.Watch(func(s Step) Action {
		if s.Name == "COMMIT" && s.Phase == Before && s.Conn == 1 {
			held <- true
			<-goOn
		}
		return Pass
	})
	first, second := p.client(pgx.QueryExecModeExec), p.client(pgx.QueryExecModeExec)
	p.exec(first, "begin")
	p.exec(first, "insert into charges values (1, 1)")
	end := make(chan error)
	go func() { end <- p.try(first, "extended", "commit") }()
	<-held
	if err := p.try(second, "simple", "begin; insert into charges values (2, 1); commit"); err != nil {
		t.Error(err)
	}
	if p.rows() != "2" {
		t.Errorf("rows %s while the first COMMIT is held", p.rows())
	}
	close(goOn)
	if err := <-end; err != nil || p.rows() != "1 2" {
		t.Errorf("rows %s, %v", p.rows(), err)
	}
}

// What the server says no to, and what it does in the end.
func TestPostgresReplies(t *testing.T) {
	p := newPgTest(t)
	p.exec(p.direct, "create table strict (id int references charges deferrable initially deferred)")
	p.exec(p.direct, "insert into charges values (1, 1)")
	for _, c := range []struct{ text, want string }{
		{"insert into charges values (1, 1)", "before INSERT charges\nafter INSERT charges: ERROR 23505, refused"},
		{"insert into strict values (7)", "before INSERT strict\nafter INSERT strict: ERROR 23503, refused"},
		{"insert into charges values (1, 1) on conflict do nothing", "before INSERT charges\nafter INSERT charges: INSERT 0 0, durable"},
		{"commit", "before COMMIT\nafter COMMIT: COMMIT, durable"},
		{"select id from charges for update", "before SELECT charges\nafter SELECT charges: SELECT 1"},
		{"do $$ begin update charges set n = 2; commit; end $$", "before DO\nafter DO: DO, durable"},
		{"begin; insert into charges values (2, 1); rollback", "before INSERT charges+ROLLBACK\nafter INSERT charges+ROLLBACK: ROLLBACK"},
		{"insert into charges values (2, 1); rollback; insert into charges values (3, 1)", "before INSERT charges+ROLLBACK+INSERT charges\nafter INSERT charges+ROLLBACK+INSERT charges: INSERT 0 1, durable"},
		{"select 1", ""},
		{"-- ping", ""},
		{"do $$ begin perform pg_terminate_backend(pg_backend_pid()); end $$", "before DO\nafter DO: FATAL 57P01"},
	} {
		for _, way := range pgWays {
			if strings.Contains(c.text, "; insert") && way != "simple" {
				continue // several statements
			}
			tr := &trace{}
			p.link.Watch(tr.hook)
			_ = p.try(p.client(pgx.QueryExecModeExec), way, c.text)
			p.hangUp()
			p.link.Watch(nil)
			if tr.String() != c.want {
				t.Errorf("%s: %s:\n%s\nwant:\n%s", way, c.text, tr, c.want)
			}
		}
	}
}

// A step says whether it belongs to a transaction that was begun before it.
func TestPostgresTellsTransactions(t *testing.T) {
	p := newPgTest(t)
	for _, way := range pgWays {
		var within []string
		p.link.Watch(func(s Step) Action {
			if s.Within {
				within = append(within, s.Name)
			}
			return Pass
		})
		c := p.client(pgx.QueryExecModeExec)
		for _, text := range []string{"update charges set n = 2", "begin", "update charges set n = 3", "commit", "delete from charges", "start transaction", "savepoint a", "rollback to a", "insert into charges values (1, 1)", "rollback"} {
			if err := p.try(c, way, text); err != nil {
				t.Fatal(err)
			}
		}
		p.hangUp()
		p.link.Watch(nil)
		if want := []string{"UPDATE charges", "UPDATE charges", "COMMIT", "COMMIT", "INSERT charges", "INSERT charges", "ROLLBACK", "ROLLBACK"}; !slices.Equal(within, want) {
			t.Errorf("%s: within %q, want %q", way, within, want)
		}
	}
}

// A text whose COMMIT is done and whose end fails is done.
func TestPostgresTextThatFailsAfterItsCommit(t *testing.T) {
	p := newPgTest(t)
	tr := &trace{}
	p.link.Watch(tr.hook)
	err := p.try(p.client(pgx.QueryExecModeExec), "simple", "begin; insert into charges values (1, 1); commit; select 1/0")
	if want := "after INSERT charges+COMMIT: ERROR 22012, durable"; sqlState(err) != "22012" || !strings.HasSuffix(tr.String(), want) || p.rows() != "1" {
		t.Errorf("%v, rows %q, steps:\n%s", err, p.rows(), tr)
	}
}

// A canceller asks the server to cancel when a context ends.
type canceller struct {
	c    *pgconn.PgConn
	sent chan error
}

func (h *canceller) HandleCancel(context.Context) {
	go func() { h.sent <- h.c.CancelRequest(context.Background()) }()
}
func (h *canceller) HandleUnwatchAfterCancel() {}

// A request to cancel comes on a connection of its own.
func TestPostgresCancel(t *testing.T) {
	p := newPgTest(t)
	config, err := pgx.ParseConfig(p.url)
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler { return &canceller{c, sent} }
	c, err := pgx.ConnectConfig(p.ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	p.open = append(p.open, c)
	ctx, cancel := context.WithCancel(p.ctx)
	go func() { // a request that comes before the statement would be lost
		p.waitForSleep()
		cancel()
	}()
	_, err = c.Exec(ctx, "do $$ begin perform pg_sleep(1000); end $$")
	if sqlState(err) != "57014" {
		t.Errorf("the statement ended with %v", err)
	}
	if err := <-sent; err != nil {
		t.Errorf("the request to cancel ended with %v", err)
	}
}

// waitForSleep returns when some statement of the database sleeps.
func (p *pgTest) waitForSleep() {
	for asleep := false; !asleep; {
		const query = "select exists (select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep')"
		if err := p.direct.QueryRow(p.ctx, query).Scan(&asleep); err != nil {
			p.Error(err)
			return
		}
	}
}

// Nothing of a large result is kept, be it many rows or one.
func TestPostgresLargeResults(t *testing.T) {
	p := newPgTest(t)
	for _, text := range []string{
		"select repeat('x', 1000000) from generate_series(1, 100)",
		"select repeat('x', 100000000)",
		"insert into charges select i, i from generate_series(1, 100) i returning repeat('x', 1000000)",
		"update charges set n = 0 where id = 1 returning repeat('x', 100000000)",
	} {
		tr := &trace{}
		p.link.Watch(tr.hook)
		r := p.client(pgx.QueryExecModeExec).PgConn().ExecParams(p.ctx, text, nil, nil, nil, nil)
		n := 0
		for r.NextRow() {
			n += len(r.Values()[0])
		}
		if _, err := r.Close(); err != nil || n != 100_000_000 {
			t.Errorf("%s: %d bytes, %v", text, n, err)
		}
		if strings.HasPrefix(text, "select") != (tr.String() == "") || !tr.paired() {
			t.Errorf("%s: steps:\n%s", text, tr)
		}
		p.hangUp()
	}
	// A large parameter, and a reply that is lost at its end.
	tr := &trace{strike: "after INSERT charges", action: Cut}
	p.link.Watch(tr.hook)
	_, err := p.client(pgx.QueryExecModeExec).Exec(p.ctx, "insert into charges values (1000, length($1))", strings.Repeat("x", 50_000_000))
	if err == nil || !tr.fired() || !strings.HasSuffix(p.rows(), " 1000") {
		t.Errorf("a large parameter: %v, steps:\n%s", err, tr)
	}
}

// TLS is declined: who prefers it does without, who requires it hears so.
func TestPostgresTLS(t *testing.T) {
	p := newPgTest(t)
	for mode, works := range map[string]bool{"disable": true, "allow": true, "prefer": true, "require": false} {
		c, err := pgx.Connect(p.ctx, strings.Replace(p.url, "sslmode=disable", "sslmode="+mode, 1))
		if err == nil {
			p.open = append(p.open, c)
			err = p.try(c, "simple", "select 1")
		}
		if works != (err == nil) || !works && !strings.Contains(err.Error(), "refused TLS") {
			t.Errorf("sslmode=%s: %v", mode, err)
		}
	}
}

// The same over unix sockets on both sides.
func TestPostgresUnixSockets(t *testing.T) {
	p := newPgTest(t)
	var dir, port string
	if err := p.direct.QueryRow(p.ctx, "select split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')").Scan(&dir, &port); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, ".s.PGSQL."+port)
	if _, err := os.Stat(to); err != nil {
		t.Skip("the server's unix socket is not on this machine: ", err)
	}
	at := t.TempDir()
	l := open(t, Config{Name: "db", Protocol: Postgres, Listen: "unix:" + filepath.Join(at, ".s.PGSQL.5432"), To: "unix:" + to})
	config := p.direct.Config()
	config.Host, config.Port = at, 5432
	for strike, rows := range map[string]string{"after COMMIT": "1", "before COMMIT": ""} {
		p.exec(p.direct, "truncate charges")
		c, err := pgx.ConnectConfig(p.ctx, config)
		if sqlState(err) != "" {
			t.Skip("the server's unix socket lets this user not in: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		p.open = append(p.open, c)
		tr := &trace{strike: strike, action: Cut}
		l.Watch(tr.hook)
		if err := p.try(c, "simple", "begin"); err != nil {
			t.Fatal(err)
		}
		p.exec(c, insertCharge, 1)
		if err := p.try(c, "extended", "commit"); err == nil || !tr.fired() {
			t.Errorf("%s: %v", strike, err)
		}
		p.quiet()
		if p.rows() != rows {
			t.Errorf("%s: rows %q, want %q", strike, p.rows(), rows)
		}
	}
}
