package observe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// AgeSQL ages by statements that change the records: update ... set
// created_at = created_at - make_interval(secs => :seconds) where key in
// (:keys). Parameters are :ids, :keys, :run and :seconds, which is written out
// as a number. It gives all together 5 s, in one transaction.
type AgeSQL struct {
	db    *database
	execs []statement
}

// OpenAge reads the URL, as OpenSQL does, and the statements; it connects at
// the first use. exclusive allows statements without :ids, :keys and :run. An
// error that begins with "exec" is one of a statement.
func OpenAge(url string, execs []string, exclusive bool) (*AgeSQL, error) {
	a := &AgeSQL{}
	var err error
	if a.db, err = open(url, true); err != nil {
		return nil, err
	}
	a.db.pool.SetMaxOpenConns(1)
	for _, text := range execs {
		s := statement{dialect: a.db.dialect}
		if s.chunks, err = scan(text, s.dialect, seconds); err != nil {
			a.Close()
			return nil, errors.New("exec" + strings.TrimPrefix(err.Error(), "query"))
		}
		if !exclusive && !slices.ContainsFunc(legal, s.uses) {
			a.Close()
			return nil, errors.New("exec: it has none of the parameters :ids :keys :run and so would age the records of others; add for instance  where key in (:keys), or say exclusive: true")
		}
		a.execs = append(a.execs, s)
	}
	return a, nil
}

// Timed tells whether a statement uses :seconds, so that it ages by what it is asked for.
func (a *AgeSQL) Timed() bool {
	return slices.ContainsFunc(a.execs, func(s statement) bool { return s.uses(seconds) })
}

// Close drops the connection.
func (a *AgeSQL) Close() error { return a.db.pool.Close() }

// Age carries the statements out. That they changed no row is an error.
func (a *AgeSQL) Age(ctx context.Context, q Query, by time.Duration) error {
	n, err := a.run(ctx, q, by, true)
	if err == nil && n == 0 {
		err = fmt.Errorf("age: sql: %s: exec changed no row, so nothing was aged (asked for %s)", a.db.shown, whom(q))
	}
	return err
}

// Check carries the statements out for nobody and takes them back: a wrong
// column or table is found before the run.
func (a *AgeSQL) Check(ctx context.Context) error {
	_, err := a.run(ctx, Query{IDs: []string{nobody}, Keys: []string{nobody}, Run: nobody}, time.Second, false)
	return err
}

func (a *AgeSQL) run(ctx context.Context, q Query, by time.Duration, keep bool) (n int64, err error) {
	if err := a.db.ready(); err != nil {
		return 0, fmt.Errorf("age: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not done within %s", patience))
	defer cancel()
	tx, err := a.db.pool.BeginTx(ctx, nil)
	if err == nil {
		defer tx.Rollback() // nothing after a commit
		n, err = a.execute(ctx, tx, q, by)
	}
	if err == nil && keep {
		err = tx.Commit()
	}
	switch {
	case err == nil:
		return n, nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return 0, fmt.Errorf("age: %w", a.db.wrap(err))
}

func (a *AgeSQL) execute(ctx context.Context, tx *sql.Tx, q Query, by time.Duration) (total int64, err error) {
	for _, s := range a.execs {
		s.seconds = inSeconds(by)
		for _, part := range s.batches(q) {
			text, args := s.bind(part)
			result, err := tx.ExecContext(ctx, text, args...)
			if err != nil {
				return 0, err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return 0, err
			}
			total += n
		}
	}
	return total, nil
}

// whom are the ids and keys of a question, for an error.
func whom(q Query) string {
	names := append(distinct(q.IDs), distinct(q.Keys)...)
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
