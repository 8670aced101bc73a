package sqlwrap

//lint:file-ignore SA1019 drivers of old have no other

import (
	"context"
	"database/sql/driver"
	"errors"
)

// dbExecer is the fast way of a driver to execute.
type dbExecer struct{ c *dbConn }

// ExecContext implements driver.ExecerContext.
func (e dbExecer) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return e.c.exec(ctx, e.c.db.statement(query), args, func() (driver.Result, error) {
		if x, ok := e.c.inner.(driver.ExecerContext); ok {
			return x.ExecContext(ctx, query, args)
		}
		plain, err := plainValues(ctx, args)
		if err != nil {
			return nil, err
		}
		return e.c.inner.(driver.Execer).Exec(query, plain)
	})
}

// dbQueryer is the fast way of a driver to query.
type dbQueryer struct{ c *dbConn }

// QueryContext implements driver.QueryerContext.
func (q dbQueryer) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return q.c.query(ctx, q.c.db.statement(query), args, func() (driver.Rows, error) {
		if x, ok := q.c.inner.(driver.QueryerContext); ok {
			return x.QueryContext(ctx, query, args)
		}
		plain, err := plainValues(ctx, args)
		if err != nil {
			return nil, err
		}
		return q.c.inner.(driver.Queryer).Query(query, plain)
	})
}

// plainValues are arguments for drivers that know neither names nor contexts.
func plainValues(ctx context.Context, args []driver.NamedValue) ([]driver.Value, error) {
	plain := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("sql: driver does not support the use of Named Parameters")
		}
		plain[i] = a.Value
	}
	return plain, ctx.Err()
}

// dbStmt is a prepared statement.
type dbStmt struct {
	c     *dbConn
	inner driver.Stmt
	query string
	read  *statement
}

// dbConverting is a prepared statement of a driver that converts by column.
type dbConverting struct {
	*dbStmt
	inner driver.ColumnConverter
}

// ColumnConverter implements driver.ColumnConverter.
func (s dbConverting) ColumnConverter(i int) driver.ValueConverter { return s.inner.ColumnConverter(i) }

// Close implements driver.Stmt.
func (s *dbStmt) Close() error {
	if s.c.gone {
		return nil // its connection is another's
	}
	return s.inner.Close()
}

// NumInput implements driver.Stmt.
func (s *dbStmt) NumInput() int { return s.inner.NumInput() }

// CheckNamedValue implements driver.NamedValueChecker, for the statement or its connection.
func (s *dbStmt) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := s.inner.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return s.c.CheckNamedValue(v)
}

// Exec implements driver.Stmt; nobody calls it.
func (s *dbStmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), inOrder(args))
}

// Query implements driver.Stmt; nobody calls it.
func (s *dbStmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), inOrder(args))
}

func inOrder(args []driver.Value) (all []driver.NamedValue) {
	for i, a := range args {
		all = append(all, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return all
}

// ExecContext implements driver.StmtExecContext.
func (s *dbStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.c.exec(ctx, s.read, args, func() (driver.Result, error) {
		if x, ok := s.inner.(driver.StmtExecContext); ok {
			return x.ExecContext(ctx, args)
		}
		plain, err := plainValues(ctx, args)
		if err != nil {
			return nil, err
		}
		return s.inner.Exec(plain)
	})
}

// QueryContext implements driver.StmtQueryContext.
func (s *dbStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.c.query(ctx, s.read, args, func() (driver.Rows, error) {
		if x, ok := s.inner.(driver.StmtQueryContext); ok {
			return x.QueryContext(ctx, args)
		}
		plain, err := plainValues(ctx, args)
		if err != nil {
			return nil, err
		}
		return s.inner.Query(plain)
	})
}
