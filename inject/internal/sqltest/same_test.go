package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/inject/internal/sqlwrap"
)

// A wrapped database behaves as the one within, whether its rows are counted or not.
func TestWrappedIsAsUnwrapped(t *testing.T) {
	for _, e := range dbEngines {
		for _, run := range []sqlwrap.Run{new(dbLedger), &dbLedger{is: func(id string) bool { return strings.HasPrefix(id, "order-") }}} {
			t.Run(e.name, func(t *testing.T) {
				plain, inner := e.open(t), e.open(t)
				outer := sqlwrap.Wrap(run, inner, []sqlwrap.Inserts{{Table: "charges"}})
				defer outer.Close()
				want, got := behaviour(t, e, plain), behaviour(t, e, outer)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("unwrapped (-), wrapped (+):\n%s", diff)
				}
				if len(want) < 30 {
					t.Errorf("only %d lines were compared", len(want))
				}
				if n := inner.Stats().InUse; n != 0 {
					t.Errorf("%d connections are still in use", n)
				}
			})
		}
	}
}

// dbDiary notes what a database answers.
type dbDiary struct {
	e     dbEngine
	lines []string
}

func (d *dbDiary) note(args ...any) { d.lines = append(d.lines, fmt.Sprint(args...)) }

type executor interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}

func (d *dbDiary) exec(ctx context.Context, x executor, text string, args ...any) {
	result, err := x.ExecContext(ctx, d.e.sql(text), args...)
	d.result(text, result, err)
}

func (d *dbDiary) result(text string, result sql.Result, err error) {
	if err != nil {
		d.note(text, ": ", fmt.Sprintf("%T ", err), err)
		return
	}
	id, idErr := result.LastInsertId()
	n, nErr := result.RowsAffected()
	d.note(text, ": ", id, " ", idErr, " ", n, " ", nErr)
}

func (d *dbDiary) query(ctx context.Context, x executor, text string, args ...any) {
	rows, err := x.QueryContext(ctx, d.e.sql(text), args...)
	if err != nil {
		d.note(text, ": ", fmt.Sprintf("%T ", err), err)
		return
	}
	d.rows(text, rows)
}

func (d *dbDiary) rows(text string, rows *sql.Rows) {
	defer rows.Close()
	for more := true; more; more = rows.NextResultSet() {
		types, err := rows.ColumnTypes()
		d.note(text, " types ", err)
		values := make([]any, len(types))
		for i, c := range types {
			length, hasLength := c.Length()
			null, hasNull := c.Nullable()
			precision, scale, ok := c.DecimalSize()
			d.note(c.Name(), c.ScanType(), c.DatabaseTypeName(), length, hasLength, null, hasNull, precision, scale, ok)
			values[i] = new(any)
		}
		for rows.Next() {
			d.note(text, " scan ", rows.Scan(values...))
			for _, v := range values {
				d.note(fmt.Sprintf("%T %v", *v.(*any), *v.(*any)))
			}
		}
		d.note(text, " err ", rows.Err())
	}
}

// behaviour does what programs do with a database.
func behaviour(t *testing.T, e dbEngine, db *sql.DB) []string {
	ctx := t.Context()
	d := &dbDiary{e: e}
	d.note(db.PingContext(ctx), fmt.Sprintf("%T", db.Driver()))
	d.exec(ctx, db, "create table charges (id integer not null primary key, order_id varchar(40) unique, amount numeric(12, 2), note text, paid boolean, at timestamp null)")
	insert := "insert into charges (id, order_id, amount, note, paid, at) values (?, ?, ?, ?, ?, ?)"
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d.exec(ctx, db, insert, 1, "order-1", "12.50", "é", true, at)
	d.exec(ctx, db, insert, 2, []byte("order-2"), "7", nil, false, sql.NullTime{})
	d.exec(ctx, db, insert, 3, "order-1", "7", nil, false, nil)
	d.exec(ctx, db, insert, 3, "few")
	d.exec(ctx, db, insert, 3, "order-3", "7", struct{}{}, false, nil)
	d.exec(ctx, db, "insert into no_such_table values (1)")
	d.query(ctx, db, "select * from charges order by id")
	d.query(ctx, db, "select note from charges where order_id = ?", "order-1")
	d.query(ctx, db, "selec")
	d.prepared(ctx, db, insert)
	d.transactions(ctx, db, insert)
	d.cancelled(db)
	d.session(ctx, db)
	if e.name != "mariadb" || !strings.Contains(fmt.Sprint(d.lines), "syntax") {
		d.query(ctx, db, "insert into charges (id, order_id) values (?, ?), (30, 'x') returning id, order_id", 29, "order-29")
	}
	d.query(ctx, db, "select count(*), max(order_id) from charges")
	name := regexp.MustCompile("inject_test_[0-9_]+") // of the database
	for i, line := range d.lines {
		d.lines[i] = name.ReplaceAllString(line, "DB")
	}
	return d.lines
}

func (d *dbDiary) prepared(ctx context.Context, db *sql.DB, insert string) {
	s, err := db.PrepareContext(ctx, d.e.sql(insert))
	d.note(err)
	if err != nil {
		return
	}
	defer s.Close()
	for n := 10; n < 13; n++ {
		result, err := s.ExecContext(ctx, n, fmt.Sprint("order-", n), 1, "n", true, nil)
		d.result("prepared", result, err)
	}
	_, err = s.ExecContext(ctx, 14)
	d.note(err)
	tx, err := db.BeginTx(ctx, nil)
	d.note(err)
	result, err := tx.StmtContext(ctx, s).ExecContext(ctx, 15, "order-15", 1, nil, true, nil)
	d.result("prepared in tx", result, err)
	d.note(tx.Rollback())
	_, err = db.PrepareContext(ctx, "selec ?")
	d.note(fmt.Sprintf("%T ", err), err)
}

func (d *dbDiary) transactions(ctx context.Context, db *sql.DB, insert string) {
	for _, commit := range []bool{true, false} {
		tx, err := db.BeginTx(ctx, nil)
		d.note(err)
		d.exec(ctx, tx, insert, 20, "order-20", 1, nil, true, nil)
		d.exec(ctx, tx, insert, 20, "order-20", 1, nil, true, nil)
		d.query(ctx, tx, "select count(*) from charges")
		if commit {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		d.note(fmt.Sprintf("%T ", err), err)
		d.note(tx.Commit(), tx.Rollback())
	}
	for _, o := range []sql.TxOptions{{ReadOnly: true}, {Isolation: sql.LevelSerializable}, {Isolation: sql.LevelLinearizable}} {
		tx, err := db.BeginTx(ctx, &o)
		d.note(fmt.Sprintf("%T ", err), err)
		if err == nil {
			d.exec(ctx, tx, insert, 21, "order-21", 1, nil, true, nil)
			d.note(tx.Rollback())
		}
	}
}

func (d *dbDiary) cancelled(db *sql.DB) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	d.exec(over, db, "delete from charges")
	_, err := db.BeginTx(over, nil)
	d.note(err)
	ctx, cancel := context.WithCancel(context.Background())
	tx, err := db.BeginTx(ctx, nil)
	d.note(err)
	d.exec(context.Background(), tx, "delete from charges")
	cancel()
	d.note(errors.Is(tx.Commit(), context.Canceled) || errors.Is(tx.Commit(), sql.ErrTxDone))
	for db.Stats().InUse > 0 { // the rollback is on its way
		time.Sleep(time.Millisecond)
	}
	d.query(context.Background(), db, "select count(*) from charges")
}

func (d *dbDiary) session(ctx context.Context, db *sql.DB) {
	c, err := db.Conn(ctx)
	d.note(err)
	d.exec(ctx, c, "begin")
	d.exec(ctx, c, "insert into charges (id, order_id) values (?, ?)", 40, "order-40")
	d.exec(ctx, c, "savepoint a")
	d.exec(ctx, c, "insert into charges (id, order_id) values (?, ?)", 41, "order-41")
	d.exec(ctx, c, "rollback to a")
	d.exec(ctx, c, "commit")
	d.note(c.PingContext(ctx), c.Close(), c.Close())
	d.query(ctx, db, "select id from charges where id >= 40")
}

func TestEngineSQL(t *testing.T) {
	i := slices.IndexFunc(dbEngines, func(e dbEngine) bool { return e.name == "postgres" })
	if got := dbEngines[i].sql("a ? b ?"); got != "a $1 b $2" {
		t.Error(got)
	}
}
