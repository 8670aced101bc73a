package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// dialect is how a database wants its statements.
type dialect struct {
	sql   func(string) string
	mysql bool
}

// dbShop charges orders in a database.
type dbShop struct {
	db *sql.DB
	dialect
	charge func(s *dbShop, ctx context.Context, order string) error
}

func (s *dbShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if err := s.charge(s, r.Context(), string(body)); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

// in runs f in a transaction.
func (s *dbShop) in(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *dbShop) count(ctx context.Context, x querier, table, order string) (n int, err error) {
	err = x.QueryRowContext(ctx, s.sql("select count(*) from "+table+" where order_id = ?"), order).Scan(&n)
	return n, err
}

type querier interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}

// insert adds a charge, whatever is there.
func (s *dbShop) insert(ctx context.Context, x querier, table, order string) error {
	_, err := x.ExecContext(ctx, s.sql("insert into "+table+" (order_id) values (?)"), order)
	return err
}

// claim notes the order, and tells whether it was new.
func (s *dbShop) claim(ctx context.Context, x querier, order string) (bool, error) {
	text := "insert into claims (order_id) values (?) on conflict do nothing"
	if s.mysql {
		text = "insert ignore into claims (order_id) values (?)"
	}
	result, err := x.ExecContext(ctx, s.sql(text), order)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

// sound claims and charges in one transaction, which it tries again where the
// database says so.
func sound(s *dbShop, ctx context.Context, order string) (err error) {
	for range 5 {
		if err = s.once(ctx, order); !conflict(err) {
			break
		}
	}
	return err
}

func (s *dbShop) once(ctx context.Context, order string) error {
	return s.in(ctx, func(tx *sql.Tx) error {
		isNew, err := s.claim(ctx, tx, order)
		if err != nil || !isNew {
			return err
		}
		return s.insert(ctx, tx, "charges", order)
	})
}

// looksFirst holds nothing between the look and the charge.
func looksFirst(s *dbShop, ctx context.Context, order string) error {
	if n, err := s.count(ctx, s.db, "charges", order); err != nil || n > 0 {
		return err
	}
	return s.insert(ctx, s.db, "charges", order)
}

// triesAgain takes an error of COMMIT for a no.
func triesAgain(s *dbShop, ctx context.Context, order string) (err error) {
	if n, err := s.count(ctx, s.db, "charges", order); err != nil || n > 0 {
		return err
	}
	for range 5 {
		if err = s.in(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, "charges", order) }); err == nil {
			break
		}
	}
	return err
}

// forgetsErrors does not look at what COMMIT says.
func forgetsErrors(s *dbShop, ctx context.Context, order string) error {
	_ = s.once(ctx, order)
	return nil
}

// claimsBefore has the claim in a transaction of its own, and believes it.
func claimsBefore(s *dbShop, ctx context.Context, order string) error {
	isNew, err := s.claim(ctx, s.db, order)
	if err != nil || !isNew {
		return err
	}
	return s.in(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, "charges", order) })
}

// claimsAfter has it in one after the charge.
func claimsAfter(s *dbShop, ctx context.Context, order string) error {
	if n, err := s.count(ctx, s.db, "claims", order); err != nil || n > 0 {
		return err
	}
	if err := s.in(ctx, func(tx *sql.Tx) error { return s.insert(ctx, tx, "charges", order) }); err != nil {
		return err
	}
	_, err := s.claim(ctx, s.db, order)
	return err
}

// conflict reports whether a transaction is to be tried again.
func conflict(err error) bool {
	var state interface{ SQLState() string }
	return err != nil && (errors.As(err, &state) && state.SQLState() == "40001" || strings.Contains(err.Error(), "1213"))
}

func pay(client *http.Client, order string) error {
	for range 8 {
		resp, err := client.Post("http://shop/charges", "text/plain", strings.NewReader(order))
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusCreated {
			return nil
		}
	}
	return errors.New("order " + order + " was never accepted")
}

// Each fault finds the service that it is for, and no sound one.
func TestDatabaseFaults(t *testing.T) {
	for _, c := range []struct {
		fault  inject.Fault
		broken func(*dbShop, context.Context, string) error
		want   string
	}{
		{inject.Overlap, looksFirst, "order-%d took effect 2 times"},
		{inject.LoseReply, triesAgain, "order-%d took effect 2 times"},
		{inject.Refuse, forgetsErrors, "no effect of order-%d"},
		{inject.KillBefore, claimsBefore, "no effect of order-%d"},
		{inject.KillAfter, claimsAfter, "order-%d took effect 2 times"},
	} {
		onEngines(t, func(t *testing.T, e dbEngine, db *sql.DB) {
			d := dialect{e.sql, e.name == "mariadb"}
			for name, how := range map[string]func(*dbShop, context.Context, string) error{"broken": c.broken, "sound": sound} {
				t.Run(c.fault.Name+"/"+name, func(t *testing.T) {
					h := shopHistory(t, d, db, c.fault, how)
					r := checkers.Judge(h, contract.Contract{}, checkers.ExactlyOnce)
					if name == "sound" && r.Verdict() != checkers.Pass || name == "broken" && r.Verdict() != checkers.Fail {
						t.Errorf("%s: %v", r.Verdict(), reasons(r))
					}
				})
			}
		})
	}
}

func shopHistory(t *testing.T, d dialect, db *sql.DB, f inject.Fault, how func(*dbShop, context.Context, string) error) history.History {
	for _, text := range []string{
		"drop table if exists charges", "drop table if exists claims", "create table charges (order_id varchar(40))", "create table claims (order_id varchar(40) primary key)",
	} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	run := inject.Start(t, f)
	s := &dbShop{run.DB(db, inject.Inserts{Table: "charges"}), d, how}
	client := run.Client(s)
	for id := range run.IDs(6) {
		if err := pay(client, id); err != nil {
			t.Error(err)
		}
	}
	h := run.History()
	counted, there := 0, 0
	for _, e := range h.Events {
		if e.Kind == history.Effect {
			counted++
		}
	}
	if err := db.QueryRow("select count(*) from charges").Scan(&there); err != nil || there != counted {
		t.Errorf("%d rows were counted, %d are there, %v", counted, there, err)
	}
	return h
}

func reasons(r checkers.Report) (all []string) {
	all = r.Problems
	for _, c := range r.Cases {
		for _, v := range c.Violations {
			all = append(all, fmt.Sprint(v.Verdict, " ", v.Rule, " ", v.Reason))
		}
	}
	return all
}
