package sqlwrap

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
)

// dbDeed is one statement under way.
type dbDeed struct {
	read  *statement
	args  []driver.NamedValue
	tx    *dbTx  // in which it is done; nil: it commits itself
	other string // the operation of rows that name none
	id    string // of the first new row; "": none that counts
	fault Fault  // what it meets, if it commits itself
}

// deed prepares a statement: an INSERT waits here for those that overlap.
func (c *dbConn) deed(ctx context.Context, s *statement, args []driver.NamedValue) (*dbDeed, error) {
	defer func() { c.fresh = false }()
	if d := c.skipped; d != nil && d.read == s { // the driver wants it prepared
		c.skipped = nil
		d.args = args
		return d, nil
	}
	c.skipped = nil
	run := c.db.run
	d := &dbDeed{read: s, args: args, tx: c.tx, other: run.Current(ctx)}
	if d.other == "" {
		d.other = idAmong(args, run.Known)
	}
	if c.tx != nil {
		c.tx.saw(d.other, s.writes)
	}
	if s.insert == nil && s.deletes == "" {
		return d, nil
	}
	if d.other == "" {
		d.other = run.Here()
	}
	if s.insert == nil {
		if d.id = idAmong(args, run.Known); d.id == "" {
			d.id = d.other
		}
		return d, nil
	}
	if ids, ok := s.insert.ids(args, int64(d.asks()), run.Known, d.other); ok && len(ids) > 0 {
		d.id = ids[0]
	}
	if d.id == "" {
		return d, nil
	}
	if c.tx != nil {
		c.tx.saw(d.id, true)
	}
	if why := s.insert.why; why != "" {
		run.Complain(d.id, "The INSERT into "+s.insert.of.Table+" is not counted: "+why+". Call Effect where it is done.")
		return d, nil
	}
	if err := c.meet(ctx, run.Meet, d.id); err != nil {
		return nil, err
	}
	if c.tx == nil {
		d.fault = run.Strike(d.id, true)
	}
	return d, nil
}

// asks is how many rows it would add.
func (d *dbDeed) asks() int {
	if d.read.insert == nil {
		return 1
	}
	return max(1, len(d.read.insert.rows))
}

// counted reports whether its new rows are effects, or those that it deletes were.
func (d *dbDeed) counted() bool {
	return d.id != "" && (d.read.insert == nil || d.read.insert.why == "")
}

// moment is how it is called where a fault strikes.
func (d *dbDeed) moment() string {
	if d.read.insert == nil {
		return "db DELETE " + d.read.deletes
	}
	return "db INSERT " + d.read.insert.of.Table
}

// ahead is what a fault does before a statement that commits itself.
func (c *dbConn) ahead(d *dbDeed) error {
	switch {
	case d.fault.Name == refuse:
		err := c.conflict()
		c.db.run.Fired(d.id, d.fault, d.moment())
		return err
	case d.fault.Name == killBefore && c.db.run.Mortal(d.id, d.fault):
		c.die(d.id, d.fault, d.moment())
	}
	return nil
}

// happened is told how many rows are new, or gone. They are effects at once, or
// when the transaction is done.
func (c *dbConn) happened(d *dbDeed, n int64) {
	if d.read.insert == nil {
		for _, id := range repeated(d.id, n) {
			c.note(d, dbRow{d.read.deletes, id, true})
		}
		return
	}
	ids, ok := d.read.insert.ids(d.args, n, c.db.run.Known, d.other)
	if !ok {
		c.db.run.Complain(d.id, "An INSERT into "+d.read.insert.of.Table+" for several operations added some of its rows, and its result does not say which.")
		return
	}
	for _, id := range ids {
		c.note(d, dbRow{d.read.insert.of.Table, id, false})
	}
}

func (c *dbConn) note(d *dbDeed, row dbRow) {
	if d.tx != nil {
		d.tx.done = append(d.tx.done, row)
	} else {
		c.tell(row)
	}
}

// tell tells the run of a row that is committed.
func (c *dbConn) tell(row dbRow) {
	if row.gone {
		c.db.run.Undo(row.table, row.id)
	} else {
		c.db.run.Effect(row.table, row.id)
	}
}

// exec does a statement without rows.
func (c *dbConn) exec(ctx context.Context, s *statement, args []driver.NamedValue, do func() (driver.Result, error)) (result driver.Result, err error) {
	if c.broken {
		return nil, driver.ErrBadConn
	}
	if s.control != "" {
		err = c.control(ctx, s, func() (err error) {
			result, err = do()
			return err
		})
		return result, err
	}
	d, err := c.deed(ctx, s, args)
	if err == nil {
		err = c.ahead(d)
	}
	if err != nil {
		return nil, err
	}
	result, err = do()
	if errors.Is(err, driver.ErrSkip) {
		c.skipped = d
		d.fault = d.fault.unless(killBefore, refuse)
		return nil, err
	}
	if err != nil {
		return nil, c.failed(err)
	}
	if !d.counted() {
		return result, nil
	}
	n, err := result.RowsAffected()
	if err != nil { // the driver cannot tell: it did what it was asked for
		n = int64(d.asks())
	}
	c.happened(d, n)
	if err := c.after(d.id, d.fault, d.moment()); err != nil {
		return nil, err
	}
	return result, nil
}

// query does a statement with rows: INSERT ... RETURNING among them.
func (c *dbConn) query(ctx context.Context, s *statement, args []driver.NamedValue, do func() (driver.Rows, error)) (driver.Rows, error) {
	if c.broken {
		return nil, driver.ErrBadConn
	}
	d, err := c.deed(ctx, s, args)
	if err == nil {
		err = c.ahead(d)
	}
	if err != nil {
		return nil, err
	}
	rows, err := do()
	if errors.Is(err, driver.ErrSkip) {
		c.skipped = d
		d.fault = d.fault.unless(killBefore, refuse)
		return nil, err
	}
	if err != nil {
		return nil, c.failed(err)
	}
	if !d.counted() {
		return rows, nil
	}
	counting := &dbRows{Rows: rows, c: c, d: d}
	if d.fault.Name != loseReply && d.fault.Name != killAfter {
		return counting, nil
	}
	if err := counting.Close(); err != nil {
		return nil, c.failed(err)
	}
	if err := c.after(d.id, d.fault, d.moment()); err != nil {
		return nil, err
	}
	return counting, nil
}

// unless is the fault, or none if it is one of those.
func (f Fault) unless(those ...string) Fault {
	if slices.Contains(those, f.Name) {
		return Fault{}
	}
	return f
}
