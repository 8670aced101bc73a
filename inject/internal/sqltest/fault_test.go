package sqltest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/internal/sqlwrap"
)

// dbTill is a wrapped database with a table of charges.
type dbTill struct {
	*testing.T
	dbEngine
	*dbLedger
	inner, outer *sql.DB
}

func onTills(t *testing.T, f func(s dbTill)) {
	onEngines(t, func(t *testing.T, e dbEngine, db *sql.DB) {
		l := &dbLedger{is: func(id string) bool { return strings.HasPrefix(id, "order-") }}
		s := dbTill{t, e, l, db, sqlwrap.Wrap(l, db, []sqlwrap.Inserts{{Table: "charges", ID: "order_id"}})}
		t.Cleanup(func() { s.outer.Close() })
		_, err := s.outer.ExecContext(t.Context(), "create table charges (id varchar(40) primary key, order_id varchar(40), note text)")
		dbWorks(t, err)
		f(s)
	})
}

const insertion = "insert into charges (id, order_id) values (?, ?)"

// rows is how many there are, asked beside the wrapper.
func (s dbTill) rows() (n int) {
	s.Helper()
	dbWorks(s, s.inner.QueryRowContext(s.Context(), "select count(*) from charges").Scan(&n))
	return n
}

// says holds what the run was told against what it should have been.
func (s dbTill) says(what, want string) {
	s.Helper()
	if got := s.told(); got != want {
		s.Errorf("%s: the run was told %q, want %q", what, got, want)
	}
}

func (s dbTill) has(what string, want int) {
	s.Helper()
	if got := s.rows(); got != want {
		s.Errorf("%s: %d rows, want %d", what, got, want)
	}
}

// pay is a charge in a transaction.
func (s dbTill) pay(id string, end func(*sql.Tx) error) error {
	s.Helper()
	tx, err := s.outer.BeginTx(s.Context(), nil)
	dbWorks(s, err)
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(s.Context(), s.sql(insertion), id, "order-1")
	dbWorks(s, err)
	return end(tx)
}

func TestInsertsAreEffects(t *testing.T) {
	onTills(t, func(s dbTill) {
		_, err := s.outer.Exec(s.sql(insertion), "a", "order-1")
		dbWorks(t, err)
		s.says("alone", "meet order-1, commit order-1 true, charges order-1")
		dbWorks(t, s.pay("b", (*sql.Tx).Commit))
		s.says("committed", "meet order-1, commit order-1 true, charges order-1")
		dbWorks(t, s.pay("c", (*sql.Tx).Rollback))
		s.says("rolled back", "meet order-1")
		_, err = s.outer.Exec(s.sql(insertion), "a", "order-1")
		if err == nil {
			t.Error("the key is there twice")
		}
		s.says("refused", "meet order-1, commit order-1 true")
		_, err = s.outer.Exec(s.sql(insertion), "d", "invoice-1")
		dbWorks(t, err)
		s.says("of another", "")
		prepared, err := s.outer.Prepare(s.sql(insertion + ", ('e2', 'order-2')"))
		dbWorks(t, err)
		_, err = prepared.Exec("e", "order-1")
		dbWorks(t, err)
		dbWorks(t, prepared.Close())
		s.says("prepared, two", "meet order-1, commit order-1 true, charges order-1, charges order-2")
		_, err = s.outer.ExecContext(context.WithValue(t.Context(), idKey{}, "order-3"), "insert into charges (id) values ('f')")
		dbWorks(t, err)
		s.says("by its context", "meet order-3, commit order-3 true, charges order-3")
		s.has("in all", 6)
	})
}

func TestInsertsThatFindARow(t *testing.T) {
	onTills(t, func(s dbTill) {
		text := insertion + " on conflict do nothing"
		if s.name == "mariadb" {
			text = strings.Replace(insertion, "insert", "insert ignore", 1)
		}
		for i, want := range []string{"meet order-1, commit order-1 true, charges order-1", "meet order-1, commit order-1 true"} {
			_, err := s.outer.Exec(s.sql(text), "a", "order-1")
			dbWorks(t, err)
			s.says(fmt.Sprint(i), want)
		}
		text = insertion + " on conflict (id) do update set note = 'x'"
		if s.name == "mariadb" {
			text = insertion + " on duplicate key update note = 'x'"
		}
		_, err := s.outer.Exec(s.sql(text), "a", "order-1")
		dbWorks(t, err)
		if got := s.told(); !strings.HasPrefix(got, "order-1 The INSERT into charges is not counted: it changes a row that is there") {
			t.Errorf("an upsert: %q", got)
		}
	})
}

// A DELETE takes effects back, when it is committed.
func TestDeletes(t *testing.T) {
	onTills(t, func(s dbTill) {
		for i, id := range []string{"a", "b", "c"} {
			_, err := s.outer.Exec(s.sql(insertion), id, fmt.Sprint("order-", i/2))
			dbWorks(t, err)
		}
		s.told()
		for _, end := range []func(*sql.Tx) error{(*sql.Tx).Rollback, (*sql.Tx).Commit} {
			tx, err := s.outer.Begin()
			dbWorks(t, err)
			_, err = tx.Exec(s.sql("delete from charges where order_id = ?"), "order-0")
			dbWorks(t, err)
			dbWorks(t, end(tx))
		}
		s.says("two", "commit order-0 true, no charges order-0, no charges order-0")
		_, err := s.outer.Exec("delete from charges where id = 'z'")
		dbWorks(t, err)
		_, err = s.outer.ExecContext(context.WithValue(t.Context(), idKey{}, "order-1"), "delete from charges where id = 'c'")
		dbWorks(t, err)
		s.says("one, by its context", "no charges order-1")
		s.has("in all", 0)
	})
}

func TestReturning(t *testing.T) {
	onTills(t, func(s dbTill) {
		insert := s.sql(insertion) + " returning id"
		var id string
		dbWorks(t, s.outer.QueryRow(insert, "a", "order-1").Scan(&id))
		s.says("alone", "meet order-1, commit order-1 true, charges order-1")
		dbWorks(t, s.pay("b", func(tx *sql.Tx) error {
			dbWorks(t, tx.QueryRow(insert, "c", "order-1").Scan(&id))
			return tx.Commit()
		}))
		s.says("in a transaction", "meet order-1, meet order-1, commit order-1 true, charges order-1, charges order-1")
		if s.name != "mariadb" { // it returns a row for one that was there
			err := s.outer.QueryRow(strings.Replace(insert, "returning", "on conflict do nothing returning", 1), "a", "order-1").Scan(&id)
			if !errors.Is(err, sql.ErrNoRows) {
				t.Error(err)
			}
			s.says("there", "meet order-1, commit order-1 true")
		}
		s.faults = []sqlwrap.Fault{sqlwrap.Fault(inject.LoseReply)}
		err := s.outer.QueryRow(insert, "d", "order-1").Scan(&id)
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
		s.says("lost", "meet order-1, commit order-1 true, charges order-1, lose-reply order-1 at db INSERT charges")
		s.has("in all", 4)
	})
}

func TestSavepoints(t *testing.T) {
	onTills(t, func(s dbTill) {
		dbWorks(t, s.pay("a", func(tx *sql.Tx) error {
			for _, text := range []string{
				"savepoint one", s.sql("insert into charges (id, order_id) values ('b', 'order-2')"), "savepoint two",
				s.sql("insert into charges (id, order_id) values ('c', 'order-3')"), "rollback to one",
				s.sql("insert into charges (id, order_id) values ('d', 'order-4')"), "release savepoint one",
			} {
				_, err := tx.Exec(text)
				dbWorks(t, err)
			}
			return tx.Commit()
		}))
		s.says("kept", "meet order-1, meet order-2, meet order-3, meet order-4, commit order-1 true, charges order-1, charges order-4")
		s.has("kept", 2)
	})
}

// A transaction that statements begin and end is one, too.
func TestTransactionsOfText(t *testing.T) {
	onTills(t, func(s dbTill) {
		for _, end := range []string{"rollback", "commit"} {
			c, err := s.outer.Conn(t.Context())
			dbWorks(t, err)
			for _, text := range []string{"begin", "insert into charges (id, order_id) values ('a', 'order-1')", end} {
				_, err := c.ExecContext(t.Context(), text)
				dbWorks(t, err)
			}
			dbWorks(t, c.Close())
		}
		s.says("once", "meet order-1, meet order-1, commit order-1 true, charges order-1")
		s.has("once", 1)
	})
}

// To PostgreSQL, a statement that fails ends its transaction: COMMIT keeps nothing.
func TestLostTransactions(t *testing.T) {
	onTills(t, func(s dbTill) {
		c, err := s.outer.Conn(t.Context())
		dbWorks(t, err)
		for _, text := range []string{"begin", "insert into charges (id, order_id) values ('a', 'order-1')", "select no_such_column", "commit"} {
			_, err = c.ExecContext(t.Context(), text)
			if (err == nil) == strings.Contains(text, "no_such") {
				t.Error(text, err)
			}
		}
		dbWorks(t, c.Close())
		want, n := "meet order-1, commit order-1 true, charges order-1", 1
		if s.name == "postgres" {
			want, n = "meet order-1", 0
		}
		s.says("after a failure", want)
		s.has("after a failure", n)
	})
}

func TestCommitThatIsLost(t *testing.T) {
	onTills(t, func(s dbTill) {
		s.faults = []sqlwrap.Fault{sqlwrap.Fault(inject.LoseReply), {}, sqlwrap.Fault(inject.LoseReply)}
		err := s.pay("a", (*sql.Tx).Commit)
		if !errors.Is(err, syscall.ECONNRESET) || errors.Is(err, driver.ErrBadConn) {
			t.Error(err)
		}
		s.says("in a transaction", "meet order-1, commit order-1 true, charges order-1, lose-reply order-1 at db COMMIT")
		s.has("in a transaction", 1)
		dbWorks(t, s.pay("b", (*sql.Tx).Commit))
		s.told()
		_, err = s.outer.Exec(s.sql(insertion), "c", "order-1")
		if !errors.Is(err, syscall.ECONNRESET) || errors.Is(err, driver.ErrBadConn) {
			t.Error(err)
		}
		s.says("alone, and not repeated by database/sql", "meet order-1, commit order-1 true, charges order-1, lose-reply order-1 at db INSERT charges")
		s.has("alone", 3)
	})
}

func TestCommitThatIsRefused(t *testing.T) {
	onTills(t, func(s dbTill) {
		s.faults = []sqlwrap.Fault{sqlwrap.Fault(inject.Refuse), sqlwrap.Fault(inject.Refuse)}
		for _, alone := range []bool{false, true} {
			err, at := error(nil), "COMMIT"
			if alone {
				at = "INSERT charges"
				_, err = s.outer.Exec(s.sql(insertion), "a", "order-1")
			} else {
				err = s.pay("a", (*sql.Tx).Commit)
			}
			var state interface{ SQLState() string }
			var pg *pgconn.PgError
			var maria *mysql.MySQLError
			switch {
			case s.name == "postgres":
				if !errors.As(err, &pg) || pg.Code != "40001" {
					t.Errorf("%T %v", err, err)
				}
			case s.name == "mariadb":
				if !errors.As(err, &maria) || maria.Number != 1213 {
					t.Errorf("%T %v", err, err)
				}
			default:
				if !errors.As(err, &state) || state.SQLState() != "40001" {
					t.Errorf("%T %v", err, err)
				}
			}
			s.says("refused", "meet order-1, commit order-1 true, refuse order-1 at db "+at)
			s.has("refused", 0)
		}
		dbWorks(t, s.pay("a", (*sql.Tx).Commit))
		s.has("again", 1)
	})
}

// The goroutine ends; the database sees a connection that goes.
func TestKilledAtCommit(t *testing.T) {
	onTills(t, func(s dbTill) {
		for _, f := range []sqlwrap.Fault{sqlwrap.Fault(inject.KillBefore), sqlwrap.Fault(inject.KillAfter), {}} {
			for _, how := range []string{"transaction", "alone", "returning"} {
				s.faults = []sqlwrap.Fault{f}
				id, deferred, went := f.Name+how, false, true
				before := s.rows()
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() { deferred = true }()
					s.charge(how, id)
					went = false
				}()
				<-done
				killed := f != sqlwrap.Fault{}
				want := before
				told := "meet order-1, commit order-1 true"
				if f.Name != inject.KillBefore.Name {
					want++
					told += ", charges order-1"
				}
				if killed {
					told += ", " + f.Name + " order-1 at db " + map[bool]string{true: "COMMIT", false: "INSERT charges"}[how == "transaction"]
				}
				if !deferred || went != killed {
					t.Errorf("%s: deferred %v, ended %v", id, deferred, went)
				}
				s.says(id, told)
				s.has(id, want)
				if n := s.inner.Stats().InUse; n != 0 {
					t.Errorf("%s: %d connections are in use", id, n)
				}
			}
		}
	})
}

func (s dbTill) charge(how, id string) {
	switch how {
	case "transaction":
		_ = s.pay(id, (*sql.Tx).Commit)
	case "alone":
		_, _ = s.outer.Exec(s.sql(insertion), id, "order-1")
	case "returning":
		_ = s.outer.QueryRow(s.sql(insertion)+" returning id", id, "order-1").Scan(&id)
	}
}

// A goroutine that is no attempt's is not ended, and no fault is told.
func TestNotKilledElsewhere(t *testing.T) {
	onTills(t, func(s dbTill) {
		s.stays = true
		s.faults = []sqlwrap.Fault{sqlwrap.Fault(inject.KillBefore), sqlwrap.Fault(inject.KillAfter), sqlwrap.Fault(inject.KillBefore), sqlwrap.Fault(inject.KillAfter)}
		dbWorks(t, s.pay("a", (*sql.Tx).Commit))
		dbWorks(t, s.pay("b", (*sql.Tx).Commit))
		s.charge("alone", "c")
		s.charge("alone", "d")
		if got := s.told(); strings.Contains(got, "kill") {
			t.Error(got)
		}
		s.has("in all", 4)
	})
}
