package sqlwrap

//lint:file-ignore SA1019 drivers of old have no other

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
)

// dbConn is one connection: the driver's, with what a transaction did so far.
type dbConn struct {
	db     *wrapper
	pooled *sql.Conn // holds inner
	inner  driver.Conn

	tx      *dbTx   // nil: each statement commits itself
	skipped *dbDeed // the driver wants it prepared, and it comes again

	fresh  bool // nothing was done with it yet
	bad    bool // so says the driver
	broken bool // so it must look
	gone   bool // back in its pool
}

// faithful gives the connection the two methods that database/sql looks for, if
// the driver has them: without, it prepares each statement.
func (c *dbConn) faithful() driver.Conn {
	_, execs := c.inner.(driver.ExecerContext)
	_, queries := c.inner.(driver.QueryerContext)
	_, execsOld := c.inner.(driver.Execer)
	_, queriesOld := c.inner.(driver.Queryer)
	switch execs, queries = execs || execsOld, queries || queriesOld; {
	case execs && queries:
		return struct {
			*dbConn
			dbExecer
			dbQueryer
		}{c, dbExecer{c}, dbQueryer{c}}
	case execs:
		return struct {
			*dbConn
			dbExecer
		}{c, dbExecer{c}}
	case queries:
		return struct {
			*dbConn
			dbQueryer
		}{c, dbQueryer{c}}
	}
	return c
}

// heard passes an error on and remembers what it says of the connection.
func (c *dbConn) heard(err error) error {
	c.bad = c.bad || errors.Is(err, driver.ErrBadConn)
	return err
}

// Close gives the connection back to its pool.
func (c *dbConn) Close() error {
	if c.gone {
		return nil
	}
	c.gone = true
	if c.bad || c.broken && c.db.networked() {
		_ = c.pooled.Raw(func(any) error { return driver.ErrBadConn }) // so it is closed
		return nil
	}
	return c.pooled.Close()
}

// leave is what a process does that dies: its connection is no longer its own.
func (c *dbConn) leave() {
	c.broken = true
	_ = c.Close()
}

// Ping implements driver.Pinger.
func (c *dbConn) Ping(ctx context.Context) error {
	if c.broken {
		return driver.ErrBadConn
	}
	if p, ok := c.inner.(driver.Pinger); ok {
		return c.heard(p.Ping(ctx))
	}
	return nil
}

// ResetSession implements driver.SessionResetter.
func (c *dbConn) ResetSession(ctx context.Context) error {
	if c.broken {
		return driver.ErrBadConn
	}
	if r, ok := c.inner.(driver.SessionResetter); ok {
		return c.heard(r.ResetSession(ctx))
	}
	return nil
}

// IsValid implements driver.Validator.
func (c *dbConn) IsValid() bool {
	if v, ok := c.inner.(driver.Validator); ok && !c.gone && !v.IsValid() {
		c.bad = true
	}
	return !c.bad && !c.broken
}

// CheckNamedValue implements driver.NamedValueChecker; ErrSkip is as good as not having it.
func (c *dbConn) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := c.inner.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// Prepare implements driver.Conn.
func (c *dbConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *dbConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if c.broken {
		return nil, driver.ErrBadConn
	}
	c.fresh = false
	s, err := c.prepare(ctx, query)
	if err != nil {
		return nil, c.failed(err)
	}
	own := &dbStmt{c: c, inner: s, query: query, read: c.db.statement(query)}
	if cc, ok := s.(driver.ColumnConverter); ok {
		return dbConverting{own, cc}, nil
	}
	return own, nil
}

func (c *dbConn) prepare(ctx context.Context, query string) (driver.Stmt, error) {
	if p, ok := c.inner.(driver.ConnPrepareContext); ok {
		return p.PrepareContext(ctx, query)
	}
	s, err := c.inner.Prepare(query)
	if err == nil && ctx.Err() != nil {
		_ = s.Close()
		return nil, ctx.Err()
	}
	return s, err
}

// failed is heard for a statement: to PostgreSQL, its transaction is lost.
func (c *dbConn) failed(err error) error {
	var state interface{ SQLState() string }
	if c.tx != nil && errors.As(err, &state) {
		c.tx.lost = true
	}
	return c.heard(err)
}
