package observe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// patience is how long one query or request of an observer may take.
const patience = 5 * time.Second

// nobody is what is asked for to see whether a question is understood.
const nobody = "idemcheck-nobody"

// SQL counts effects by a query. Its columns go by name: id or key says whose
// effect a row is, n how many it stands for (without n each row is one), scope
// of which tenant. Its parameters are :ids, :keys and :run; lists are expanded,
// so write: where order_id in (:ids). It only reads, holds no lock or
// transaction between reads, and gives a query 5 s. Safe for many goroutines.
type SQL struct {
	db    *database
	query statement
}

// OpenSQL reads the URL (postgres://user@host/db, mysql://user@host/db, sqlite:./file.db)
// and the query, and fails on a mistake in either; it connects at the first
// Read. A query without parameters sees everyone's effects and so needs
// exclusive: nobody else uses the system. Errors never show a password.
func OpenSQL(url, query string, exclusive bool) (*SQL, error) {
	db, err := open(url, false)
	if err != nil {
		return nil, err
	}
	db.pool.SetMaxOpenConns(4) // the connections belong to the system under test
	s := &SQL{db: db, query: statement{dialect: db.dialect}}
	if s.query.chunks, err = scan(query, db.dialect); err != nil {
		db.pool.Close()
		return nil, err
	}
	if !exclusive && !s.query.uses(":ids") && !s.query.uses(":keys") && !s.query.uses(":run") {
		db.pool.Close()
		return nil, errors.New("query: it has none of the parameters :ids :keys :run and so would count the effects of others; add for instance  where order_id in (:ids), or say exclusive: true")
	}
	return s, nil
}

// Close drops the connections.
func (s *SQL) Close() error { return s.db.pool.Close() }

// Read implements Observer.
func (s *SQL) Read(ctx context.Context, q Query) ([]Count, error) {
	total := newTally()
	for _, part := range s.query.batches(q) {
		text, args := s.query.bind(part)
		if err := s.db.each(ctx, text, args, total.start, total.row); err != nil {
			return nil, err
		}
	}
	return total.counts(), nil
}

// By asks the database for nobody's effects and says whether the query reports
// an "id" or a "key". It fails as Read would: no connection, wrong columns.
func (s *SQL) By(ctx context.Context) (string, error) {
	text, args := s.query.bind(Query{Run: nobody})
	t := newTally()
	if err := s.db.each(ctx, text, args, t.start, t.row); err != nil {
		return "", err
	}
	return t.by(), nil
}

// each runs one query and hands over its rows. The rows are read to the end and
// closed before it returns, whatever start and row say.
func (d *database) each(ctx context.Context, query string, args []any, start func(columns []string) error, row func(values []any) error) error {
	if err := d.ready(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no result within %s", patience))
	defer cancel()
	err := d.rows(ctx, query, args, start, row)
	var bad *resultError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		return err
	case ctx.Err() != nil:
		return d.wrap(context.Cause(ctx))
	}
	return d.wrap(err)
}

// reader is a *sql.DB or *sql.Tx.
type reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (d *database) rows(ctx context.Context, query string, args []any, start func([]string) error, row func([]any) error) error {
	var from reader = d.pool
	if d.dialect != sqlite { // its read-only transactions do write, so it gets query_only instead
		tx, err := d.pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		defer tx.Rollback() // nothing to keep
		from = tx
	}
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	if err := start(columns); err != nil {
		return err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
