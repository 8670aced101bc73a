package sqltest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// firstOfEach strikes the first delivery of each message.
func firstOfEach(f inject.Fault) inject.Options {
	return inject.Options{Faults: []inject.Fault{f}, Schedule: func(s inject.Site) []inject.Fault {
		if s.Name == inject.SiteMessage && s.Attempt == 1 {
			return []inject.Fault{f}
		}
		return nil
	}}
}

// workshop is a worker with a database of its own.
type workshop struct {
	db    *sql.DB
	sound bool
}

func openWorkshop(t *testing.T, run *inject.Run, dir string, sound bool) *workshop {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "shop.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"create table if not exists charges (order_id text)", "create table if not exists done (order_id text primary key)"} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	return &workshop{run.DB(db, inject.Inserts{Table: "charges"}), sound}
}

func (w *workshop) handle(ctx context.Context, id string) error {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var done int
	if err := tx.QueryRow("select count(*) from done where order_id = ?", id).Scan(&done); err != nil || done > 0 {
		return err
	}
	if _, err := tx.Exec("insert into charges (order_id) values (?)", id); err != nil {
		return err
	}
	if !w.sound { // the charge and the note are not one
		if err := tx.Commit(); err != nil {
			return err
		}
		_, err = w.db.ExecContext(ctx, "insert into done (order_id) values (?)", id)
		return err
	}
	if _, err := tx.Exec("insert into done (order_id) values (?)", id); err != nil {
		return err
	}
	return tx.Commit()
}

func TestProcessWithDatabase(t *testing.T) {
	for _, f := range []inject.Fault{inject.KillBefore, inject.KillAfter} {
		for _, sound := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", f, sound), func(t *testing.T) {
				run := firstOfEach(f).Start(t)
				dir := t.TempDir()
				work := run.Process(dir, func(dir string) func(context.Context, string) error { return openWorkshop(t, run, dir, sound).handle })
				run.Queue("a-1", "a-2", "a-3", "a-4").Consume(work)
				r := checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce)
				want := checkers.Pass
				if !sound && f == inject.KillAfter {
					want = checkers.Fail
				}
				if r.Verdict() != want || r.Faults != 4 {
					t.Errorf("%s, %d faults: %v", r.Verdict(), r.Faults, reasons(r))
				}
			})
		}
	}
}
