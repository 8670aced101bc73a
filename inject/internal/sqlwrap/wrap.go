// Package sqlwrap wraps a *sql.DB so that new rows are counted and faults strike
// where something is committed. It is what inject.Run.DB does, apart from the run:
// so its tests, which need drivers, are no part of who imports inject.
//
//   - wrap.go: the connector, and what a run must know
//   - conn.go, call.go, rows.go: the wrapped parts of a driver, faithful to it
//   - deed.go, tx.go, conflict.go: statements, transactions, and what strikes them
//   - scan.go, statement.go, ids.go: what is read of SQL
package sqlwrap

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"strings"
	"sync"
)

// Fault is an inject.Fault.
type Fault struct{ Name, Arg string }

// String is its spelling.
func (f Fault) String() string { return f.Name }

// Names of the faults that strike.
const (
	loseReply  = "lose-reply"
	refuse     = "refuse"
	killBefore = "kill-before"
	killAfter  = "kill-after"
)

// Inserts names a table whose new rows are effects.
type Inserts struct {
	Table string // "charges" or "shop.charges"
	ID    string // the column that has the operation's id; "": the first value of a row that is an id of the run
}

// Run is what the wrapper needs of a run.
type Run interface {
	Known(text string) bool             // it is the id of an operation
	Current(ctx context.Context) string // the operation of whose attempt this is the context; "": of none
	Here() string                       // the operation whose attempt runs on this goroutine; "": none
	Meet(id string)                     // overlapping attempts wait for each other
	Gather(id string)                   // likewise, before a transaction begins
	Effect(table, id string)            // one is there
	Undo(table, id string)              // one is taken back

	// Strike is what the next COMMIT of the operation meets, which may have
	// effects; zero: nothing.
	Strike(id string, effects bool) Fault
	Fired(id string, f Fault, moment string)
	Mortal(id string, f Fault) bool // the goroutine may be ended by it: it is that of an attempt
	Complain(id, why string)
	Lost(f Fault) error // what a caller gets whose connection broke
}

// wrapper is the connector of a wrapped database.
type wrapper struct {
	run    Run
	inner  *sql.DB
	tables []Inserts
	driver string // where its driver comes from: "github.com/jackc/pgx/v5/stdlib"

	mu   sync.Mutex
	read map[string]*statement // what was read of texts
}

// Wrap makes a database whose connections are those of db. It has to be closed; db
// stays open.
func Wrap(run Run, db *sql.DB, tables []Inserts) *sql.DB {
	t := reflect.TypeOf(db.Driver())
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	outer := sql.OpenDB(&wrapper{run: run, inner: db, tables: tables, driver: t.PkgPath(), read: map[string]*statement{}})
	outer.SetMaxIdleConns(0) // db keeps them, and others may want the only one
	return outer
}

// Connect implements driver.Connector. The connection is one of the inner pool,
// for as long as the outer one uses it.
func (d *wrapper) Connect(ctx context.Context) (driver.Conn, error) {
	c := &dbConn{db: d, fresh: true}
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	return c.faithful(), nil
}

// take takes a connection out of the inner pool.
func (c *dbConn) take(ctx context.Context) (err error) {
	if c.pooled, err = c.db.inner.Conn(ctx); err != nil {
		return err
	}
	return c.pooled.Raw(func(conn any) error {
		c.inner = conn.(driver.Conn)
		return nil
	})
}

// meet waits for attempts that overlap, by Meet or Gather. They may need the
// connection for what they do before, so it goes back to its pool where nothing was
// done with it yet.
func (c *dbConn) meet(ctx context.Context, wait func(id string), id string) error {
	if !c.fresh {
		wait(id)
		return nil
	}
	if err := c.pooled.Close(); err != nil {
		return err
	}
	c.gone = true
	wait(id)
	if err := c.take(ctx); err != nil {
		return err
	}
	c.gone = false
	return nil
}

// Driver implements driver.Connector.
func (d *wrapper) Driver() driver.Driver { return d.inner.Driver() }

// is reports whether the driver is one of some name.
func (d *wrapper) is(names ...string) bool {
	for _, name := range names {
		if strings.Contains(d.driver, name) {
			return true
		}
	}
	return false
}

// networked reports whether a connection can break, and takes with it what the
// session held. The last connection to a database in memory must not be closed.
func (d *wrapper) networked() bool { return d.is("pgx", "lib/pq", "mysql", "mssql", "oracle", "ora") }

// manyTexts is how many texts are remembered: those with values in them have no end.
const manyTexts = 1000

func (d *wrapper) statement(text string) *statement {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.read[text]
	if !ok {
		if len(d.read) >= manyTexts {
			clear(d.read)
		}
		new := readStatement(text, d.is("mysql"), d.tables)
		s = &new
		d.read[text] = s
	}
	return s
}
