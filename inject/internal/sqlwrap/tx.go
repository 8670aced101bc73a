package sqlwrap

//lint:file-ignore SA1019 drivers of old have no other

import (
	"context"
	"database/sql/driver"
	"errors"
	"runtime"
	"slices"
)

// dbTx is a transaction, and what it did so far.
type dbTx struct {
	c     *dbConn
	inner driver.Tx // nil: it was begun by a statement
	ctx   context.Context

	id     string  // the operation that its statements name
	writes bool    // perhaps there is something to commit
	lost   bool    // a statement failed, and PostgreSQL will commit nothing
	done   []dbRow // the new rows, and those deleted
	points []savepoint
}

// dbRow is a new row that is an effect, or one that was and is deleted.
type dbRow struct {
	table, id string
	gone      bool
}

type savepoint struct {
	name string
	done int // how many rows were there
}

// Begin implements driver.Conn; nobody calls it.
func (c *dbConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx implements driver.ConnBeginTx, for drivers of old as database/sql does.
func (c *dbConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.broken {
		return nil, driver.ErrBadConn
	}
	id := c.db.run.Current(ctx)
	if id != "" && !o.ReadOnly { // what one of them locks now would keep the others from what they do before
		if err := c.meet(ctx, c.db.run.Gather, id); err != nil {
			return nil, err
		}
	}
	c.fresh = false
	inner, err := c.begin(ctx, o)
	if err != nil {
		return nil, c.heard(err)
	}
	c.tx = &dbTx{c: c, inner: inner, ctx: ctx, id: id}
	return c.tx, nil
}

func (c *dbConn) begin(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.inner.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, o)
	}
	if o.Isolation != 0 {
		return nil, errors.New("sql: driver does not support non-default isolation level")
	}
	if o.ReadOnly {
		return nil, errors.New("sql: driver does not support read-only transactions")
	}
	tx, err := c.inner.Begin()
	if err == nil && ctx.Err() != nil {
		_ = tx.Rollback()
		return nil, ctx.Err()
	}
	return tx, err
}

// Commit implements driver.Tx.
func (t *dbTx) Commit() error { return t.c.commit(t.inner.Commit, t.inner.Rollback) }

// Rollback implements driver.Tx.
func (t *dbTx) Rollback() error {
	if t.c.gone {
		return driver.ErrBadConn
	}
	t.c.tx = nil
	_, resets := t.c.inner.(driver.SessionResetter)
	_, validates := t.c.inner.(driver.Validator)
	if t.ctx.Err() != nil && !(resets && validates) {
		t.c.bad = true // so does database/sql where a context ends a transaction
	}
	return t.c.heard(t.inner.Rollback())
}

// Commit is how the moment of a COMMIT is called.
const Commit = "db COMMIT"

// commit ends a transaction: what its rows are is known now, and here a fault strikes.
func (c *dbConn) commit(do, undo func() error) error {
	t, run := c.tx, c.db.run
	c.tx = nil
	if t == nil {
		return c.heard(do())
	}
	if t.id == "" && t.writes {
		t.id = run.Here()
	}
	var f Fault
	if t.id != "" && t.writes && !t.lost {
		f = run.Strike(t.id, len(t.done) > 0 || len(c.db.tables) == 0)
	}
	switch {
	case f.Name == refuse:
		err := c.conflict()
		run.Fired(t.id, f, Commit)
		_ = c.heard(undo())
		return err
	case f.Name == killBefore && run.Mortal(t.id, f):
		_ = c.heard(undo()) // as the database does, whose client is gone
		c.die(t.id, f, Commit)
	}
	if err := do(); err != nil {
		return c.heard(err)
	}
	if !t.lost {
		for _, row := range t.done {
			c.tell(row)
		}
	}
	return c.after(t.id, f, Commit)
}

// after is what a fault does with something that is done.
func (c *dbConn) after(id string, f Fault, moment string) error {
	switch {
	case f.Name == loseReply:
		c.db.run.Fired(id, f, moment)
		c.broken = true
		return c.db.run.Lost(f) // not ErrBadConn, after which database/sql would do it again
	case f.Name == killAfter && c.db.run.Mortal(id, f):
		c.die(id, f, moment)
	}
	return nil
}

// die ends the goroutine of the attempt. The transaction's connection goes first:
// database/sql will not give it back.
func (c *dbConn) die(id string, f Fault, moment string) {
	c.leave()
	c.db.run.Fired(id, f, moment)
	runtime.Goexit()
}

// control does a statement that begins, ends or marks a transaction.
func (c *dbConn) control(ctx context.Context, s *statement, do func() error) error {
	if s.control == "commit" {
		return c.commit(do, func() error { return c.run("ROLLBACK") })
	}
	c.fresh = false
	if err := do(); err != nil {
		return c.failed(err)
	}
	switch t := c.tx; {
	case s.control == "begin" && t == nil:
		c.tx = &dbTx{c: c, ctx: ctx, id: c.db.run.Current(ctx)}
	case t == nil:
	case s.control == "rollback":
		c.tx = nil
	case s.control == "savepoint":
		t.points = append(t.points, savepoint{s.point, len(t.done)})
	default:
		t.leavePoint(s.point, s.control == "back")
	}
	return nil
}

// leavePoint is the end of a savepoint; back drops what was done since.
func (t *dbTx) leavePoint(name string, back bool) {
	for i, p := range slices.Backward(t.points) {
		if p.name != name {
			continue
		}
		t.points = t.points[:i]
		if back {
			t.points = t.points[:i+1] // it can be gone back to again
			t.done, t.lost = t.done[:p.done], false
		}
		return
	}
}

// saw notes of a statement what the end of the transaction must know.
func (t *dbTx) saw(id string, writes bool) {
	if t.id == "" {
		t.id = id
	}
	t.writes = t.writes || writes
}
