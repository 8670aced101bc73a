package wire

import (
	"context"
	"database/sql"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// A pgStyle is one way to write a row.
type pgStyle struct {
	name   string
	write  func(p *pgTest) error
	steps  string // of a clean run
	lost   string // the step before whose answer the row is there for good
	within string // a step in the transaction before that; "": none
}

const (
	traceTx = `before BEGIN
after BEGIN: BEGIN
before INSERT charges
after INSERT charges: INSERT 0 1
before COMMIT
after COMMIT: COMMIT, durable`
	traceOne = `before INSERT charges
after INSERT charges: INSERT 0 1, durable`
)

const insertCharge = `insert into public."charges" /* ; commit */ values ($1, 1)`

// inTx writes in a transaction in one of pgx's modes.
func inTx(mode pgx.QueryExecMode) func(*pgTest) error {
	return func(p *pgTest) error {
		c := p.client(mode)
		tx, err := c.Begin(p.ctx)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(p.ctx, insertCharge, 1); err != nil {
			return err
		}
		return tx.Commit(p.ctx)
	}
}

// alone writes without a transaction.
func alone(mode pgx.QueryExecMode) func(*pgTest) error {
	return func(p *pgTest) error {
		_, err := p.client(mode).Exec(p.ctx, insertCharge, 1)
		return err
	}
}

var pgStyles = []pgStyle{
	{"simple tx", inTx(pgx.QueryExecModeSimpleProtocol), traceTx, "COMMIT", "INSERT charges"},
	{"prepared tx", inTx(pgx.QueryExecModeCacheStatement), traceTx, "COMMIT", "INSERT charges"},
	{"described tx", inTx(pgx.QueryExecModeDescribeExec), traceTx, "COMMIT", "INSERT charges"},
	{"extended tx", inTx(pgx.QueryExecModeExec), traceTx, "COMMIT", "INSERT charges"},
	{"simple alone", alone(pgx.QueryExecModeSimpleProtocol), traceOne, "INSERT charges", ""},
	{"prepared alone", alone(pgx.QueryExecModeCacheStatement), traceOne, "INSERT charges", ""},
	{"extended alone", alone(pgx.QueryExecModeExec), traceOne, "INSERT charges", ""},
	{"database/sql tx", writeStdlib, traceTx, "COMMIT", "INSERT charges"},
	{"pool tx", writePool, traceTx, "COMMIT", "INSERT charges"},
	{"prepared commit", writePreparedCommit, traceTx, "COMMIT", "INSERT charges"},
	{"pipeline, one Sync", writePipeline, traceTx, "COMMIT", "INSERT charges"},
	{"pipeline, no BEGIN", writeBatch, `before INSERT charges
after INSERT charges: INSERT 0 1
before UPDATE charges
after UPDATE charges: UPDATE 1, durable`, "UPDATE charges", "INSERT charges"},
	{"pipeline, no COMMIT", writeAndRead, `before INSERT charges
after INSERT charges: INSERT 0 1
before COMMIT
after COMMIT: COMMIT, durable`, "COMMIT", "INSERT charges"},
	{"one text", writeText, `before INSERT charges+COMMIT
after INSERT charges+COMMIT: COMMIT, durable`, "INSERT charges+COMMIT", ""},
	{"COPY", writeCopy, `before COPY charges
after COPY charges: COPY 1, durable`, "COPY charges", ""},
	{"COPY tx", writeCopyTx, `before BEGIN
after BEGIN: BEGIN
before COPY charges
after COPY charges: COPY 1
before COMMIT
after COMMIT: COMMIT, durable`, "COMMIT", "COPY charges"},
}

func writeStdlib(p *pgTest) error {
	db, err := sql.Open("pgx", p.url)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(p.ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(p.ctx, insertCharge, 1); err != nil {
		return err
	}
	return tx.Commit()
}

func writePool(p *pgTest) error {
	pool, err := pgxpool.New(p.ctx, p.url)
	if err != nil {
		return err
	}
	defer pool.Close()
	return pgx.BeginFunc(p.ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(p.ctx, insertCharge, 1)
		return err
	})
}

func writePreparedCommit(p *pgTest) error {
	c := p.client(pgx.QueryExecModeCacheStatement)
	for name, text := range map[string]string{"b": "begin", "i": "insert into charges values (1, 1)", "c": "commit"} {
		if _, err := c.Prepare(p.ctx, name, text); err != nil {
			return err
		}
	}
	for _, name := range []string{"b", "i", "c"} {
		if _, err := c.Exec(p.ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func writePipeline(p *pgTest) error {
	c := p.client(pgx.QueryExecModeCacheStatement)
	l := c.PgConn().StartPipeline(p.ctx)
	l.SendQueryParams("select 1", nil, nil, nil, nil)
	l.SendQueryParams("begin", nil, nil, nil, nil)
	l.SendQueryParams("insert into charges values (1, 1)", nil, nil, nil, nil)
	l.SendQueryParams("commit", nil, nil, nil, nil)
	if err := l.Sync(); err != nil {
		return err
	}
	return l.Close()
}

func writeBatch(p *pgTest) error {
	b := &pgx.Batch{}
	b.Queue("insert into charges values (1, 1)")
	b.Queue("select * from charges")
	b.Queue("update charges set n = 2")
	return p.client(pgx.QueryExecModeCacheDescribe).SendBatch(p.ctx, b).Close()
}

// writeAndRead has no write before its Sync: the Sync is the COMMIT.
func writeAndRead(p *pgTest) error {
	b := &pgx.Batch{}
	b.Queue("insert into charges values (1, 1)")
	b.Queue("select * from charges")
	return p.client(pgx.QueryExecModeCacheDescribe).SendBatch(p.ctx, b).Close()
}

func writeText(p *pgTest) error {
	_, err := p.client(pgx.QueryExecModeSimpleProtocol).Exec(p.ctx, "begin; insert into charges values (1, 1); commit")
	return err
}

func writeCopy(p *pgTest) error {
	return copyRow(p.ctx, p.client(pgx.QueryExecModeCacheStatement))
}

func writeCopyTx(p *pgTest) error {
	return pgx.BeginFunc(p.ctx, p.client(pgx.QueryExecModeCacheStatement), func(tx pgx.Tx) error { return copyRow(p.ctx, tx) })
}

type copier interface {
	CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error)
}

func copyRow(ctx context.Context, c copier) error {
	_, err := c.CopyFrom(ctx, pgx.Identifier{"charges"}, []string{"id", "n"}, pgx.CopyFromRows([][]any{{1, 1}}))
	return err
}

func TestPostgresStyles(t *testing.T) {
	for _, style := range pgStyles {
		t.Run(style.name, func(t *testing.T) {
			p := newPgTest(t)
			strikes := []struct {
				strike string
				action Action
				rows   string
			}{
				{"none", Pass, "1"},
				{"before " + style.lost, Cut, ""},
				{"after " + style.lost, Cut, "1"},
				{"before " + style.within, Cut, ""},
				{"after " + style.within, Cut, ""},
				{"before " + style.lost, Refuse, ""},
				{"before " + style.within, Refuse, ""},
			}
			for _, s := range strikes {
				if s.strike == "before " || s.strike == "after " {
					continue
				}
				p.exec(p.direct, "truncate charges")
				tr := &trace{strike: s.strike, action: s.action}
				p.link.Watch(tr.hook)
				err := style.write(p)
				p.link.Watch(nil)
				p.hangUp()
				p.quiet()
				if got := p.rows(); got != s.rows {
					t.Errorf("%s, %d: rows %q, want %q", s.strike, s.action, got, s.rows)
				}
				checkStyle(t, style, tr, s.strike, s.action, err)
			}
		})
	}
}

func checkStyle(t *testing.T, style pgStyle, tr *trace, strike string, action Action, err error) {
	t.Helper()
	switch {
	case strike == "none" && (err != nil || tr.String() != style.steps || !tr.paired()):
		t.Errorf("a clean run: %v, steps:\n%s\nwant:\n%s", err, tr, style.steps)
	case strike == "none":
	case !tr.fired():
		t.Errorf("%s never came:\n%s", strike, tr)
	case err == nil:
		t.Errorf("%s, %d: the client saw no error", strike, action)
	case action == Refuse && sqlState(err) != "40001":
		t.Errorf("%s refused: the client saw %v", strike, err)
	}
}
