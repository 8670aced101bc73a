package sqltest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject/internal/sqlwrap"
)

// oldDriver is a driver that has no more than drivers once had. It notes what it
// is asked for.
type oldDriver struct {
	fast, skips, converts bool
	inputs                int
	calls                 []string
}

func (d *oldDriver) note(args ...any) { d.calls = append(d.calls, fmt.Sprint(args...)) }

func (d *oldDriver) Connect(context.Context) (driver.Conn, error) {
	if d.fast {
		return oldFastConn{oldConn{d}}, nil
	}
	return oldConn{d}, nil
}

func (d *oldDriver) Driver() driver.Driver            { return d }
func (d *oldDriver) Open(string) (driver.Conn, error) { return d.Connect(context.Background()) }

type oldConn struct{ d *oldDriver }

func (c oldConn) Prepare(text string) (driver.Stmt, error) {
	c.d.note("prepare ", text)
	if text == "bad" {
		return nil, driver.ErrBadConn
	}
	s := oldStmt{c.d, text}
	if c.d.converts {
		return oldConverting{s}, nil
	}
	return s, nil
}

func (c oldConn) Begin() (driver.Tx, error) { c.d.note("begin"); return c, nil }
func (c oldConn) Commit() error             { c.d.note("commit"); return errors.New("no commit") }
func (c oldConn) Rollback() error           { c.d.note("rollback"); return nil }
func (c oldConn) Close() error              { return nil } // when depends on the pool

type oldFastConn struct{ oldConn }

func (c oldFastConn) Exec(text string, args []driver.Value) (driver.Result, error) {
	c.d.note("fast exec ", text, args)
	if c.d.skips {
		return nil, driver.ErrSkip
	}
	return driver.ResultNoRows, nil
}

func (c oldFastConn) Query(text string, args []driver.Value) (driver.Rows, error) {
	c.d.note("fast query ", text, args)
	if c.d.skips {
		return nil, driver.ErrSkip
	}
	return &oldRows{}, nil
}

type oldStmt struct {
	d    *oldDriver
	text string
}

func (s oldStmt) Close() error  { s.d.note("close ", s.text); return nil }
func (s oldStmt) NumInput() int { return s.d.inputs }

func (s oldStmt) Exec(args []driver.Value) (driver.Result, error) {
	s.d.note(fmt.Sprintf("exec %s %#v", s.text, args))
	return driver.RowsAffected(1), nil
}

func (s oldStmt) Query(args []driver.Value) (driver.Rows, error) {
	s.d.note(fmt.Sprintf("query %s %#v", s.text, args))
	return &oldRows{}, nil
}

type oldConverting struct{ oldStmt }

func (s oldConverting) ColumnConverter(i int) driver.ValueConverter {
	s.d.note("convert ", i)
	return driver.String
}

type oldRows struct{ n int }

func (r *oldRows) Columns() []string { return []string{"a"} }
func (r *oldRows) Close() error      { return nil }

func (r *oldRows) Next(to []driver.Value) error {
	if r.n++; r.n > 2 {
		return io.EOF
	}
	to[0] = int64(r.n)
	return nil
}

func TestDriversOfOld(t *testing.T) {
	for fast := range 3 {
		for _, converts := range []bool{false, true} {
			for _, inputs := range []int{-1, 1} {
				make := func() *oldDriver {
					return &oldDriver{fast: fast > 0, skips: fast > 1, converts: converts, inputs: inputs}
				}
				plain, inner := make(), make()
				l := &dbLedger{is: func(string) bool { return true }}
				pool := sql.OpenDB(inner)
				defer pool.Close()
				outer := sqlwrap.Wrap(l, pool, []sqlwrap.Inserts{{Table: "charges"}})
				reference := sql.OpenDB(plain)
				reference.SetMaxIdleConns(0) // as the wrapper, which prepares anew each time
				want, got := oldBehaviour(t, reference), oldBehaviour(t, outer)
				if diff := cmp.Diff(append(want, plain.calls...), append(got, inner.calls...)); diff != "" {
					t.Errorf("fast %d, converts %v, %d inputs: unwrapped (-), wrapped (+):\n%s", fast, converts, inputs, diff)
				}
				if told := l.told(); told == "" {
					t.Error("nothing was counted")
				}
			}
		}
	}
}

func oldBehaviour(t *testing.T, db *sql.DB) []string {
	defer db.Close()
	d := &dbDiary{e: dbEngines[0]}
	ctx := t.Context()
	d.note(db.Ping())
	for _, args := range [][]any{{7}, {"x"}, {}, {1, 2}, {struct{}{}}, {sql.Named("a", 1)}, {nil}, {sql.NullString{}}} {
		d.exec(ctx, db, "insert into charges", args...)
		d.query(ctx, db, "insert into charges returning a", args...)
		d.query(ctx, db, "select", args...)
	}
	d.exec(ctx, db, "bad", 1)
	s, err := db.Prepare("insert into charges")
	d.note(err)
	result, err := s.Exec(8)
	d.result("prepared", result, err)
	d.note(s.Close())
	for _, o := range []*sql.TxOptions{nil, {ReadOnly: true}, {Isolation: sql.LevelSerializable}} {
		tx, err := db.BeginTx(ctx, o)
		d.note(err)
		if err == nil {
			d.exec(ctx, tx, "insert into charges", 9)
			d.note(tx.Commit())
		}
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	d.exec(over, db, "x", 1)
	return d.lines
}
