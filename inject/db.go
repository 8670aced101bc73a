package inject

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"strings"
	"sync"
)

// SiteDB is the site of what [Run.DB] strikes: the COMMITs of an operation, and
// its INSERTs that stand alone. Its Attempt counts them, from 1.
const SiteDB = SiteLink + "/db"

// Inserts names a table whose new rows are effects.
type Inserts struct {
	Table string // "charges" or "shop.charges"
	ID    string // the column that has the operation's id; "": the first value of a row that is an id of the run
}

// dbRun is what the wrapper needs of a run.
type dbRun interface {
	known(text string) bool             // it is the id of an operation
	current(ctx context.Context) string // the operation of whose attempt this is the context; "": of none
	here() string                       // the operation whose attempt runs on this goroutine; "": none
	meet(id string)                     // overlapping attempts wait for each other
	effect(table, id string)            // one is there
	undo(table, id string)              // one is taken back

	// strike is what the next COMMIT of the operation meets, which may have
	// effects; zero: nothing.
	strike(id string, effects bool) Fault
	fired(id string, f Fault, moment string)
	mortal(id string, f Fault) bool // the goroutine may be ended by it: it is that of an attempt
	complain(id, why string)
}

// dbWrap is the connector of a wrapped database.
type dbWrap struct {
	run    dbRun
	inner  *sql.DB
	tables []Inserts
	driver string // where its driver comes from: "github.com/jackc/pgx/v5/stdlib"

	mu   sync.Mutex
	read map[string]*statement // what was read of texts
}

func wrapDB(run dbRun, db *sql.DB, tables []Inserts) *sql.DB {
	t := reflect.TypeOf(db.Driver())
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	outer := sql.OpenDB(&dbWrap{run: run, inner: db, tables: tables, driver: t.PkgPath(), read: map[string]*statement{}})
	outer.SetMaxIdleConns(0) // db keeps them, and others may want the only one
	return outer
}

// Connect implements driver.Connector. The connection is one of the inner pool,
// for as long as the outer one uses it.
func (d *dbWrap) Connect(ctx context.Context) (driver.Conn, error) {
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

// meet waits for attempts that overlap. They may need the connection for what
// they do before, so it goes back to its pool where nothing was done with it yet.
func (c *dbConn) meet(ctx context.Context, id string) error {
	if !c.fresh {
		c.db.run.meet(id)
		return nil
	}
	if err := c.pooled.Close(); err != nil {
		return err
	}
	c.gone = true
	c.db.run.meet(id)
	if err := c.take(ctx); err != nil {
		return err
	}
	c.gone = false
	return nil
}

// Driver implements driver.Connector.
func (d *dbWrap) Driver() driver.Driver { return d.inner.Driver() }

// is reports whether the driver is one of some name.
func (d *dbWrap) is(names ...string) bool {
	for _, name := range names {
		if strings.Contains(d.driver, name) {
			return true
		}
	}
	return false
}

// networked reports whether a connection can break, and takes with it what the
// session held. The last connection to a database in memory must not be closed.
func (d *dbWrap) networked() bool { return d.is("pgx", "lib/pq", "mysql", "mssql", "oracle", "ora") }

// manyTexts is how many texts are remembered: those with values in them have no end.
const manyTexts = 1000

func (d *dbWrap) statement(text string) *statement {
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
