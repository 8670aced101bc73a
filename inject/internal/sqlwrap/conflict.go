package sqlwrap

//lint:file-ignore SA1019 drivers of old have no other

import (
	"context"
	"database/sql/driver"
	"strings"
)

// conflictError is what a refused COMMIT returns where the database cannot be
// asked for an error of its own.
type conflictError struct{}

func (conflictError) Error() string {
	return "could not serialize access due to concurrent update " + conflictMade
}

// SQLState is the code of the SQL standard for a transaction that must be tried again.
func (conflictError) SQLState() string { return "40001" }

const conflictMade = "(made by the fault refuse)"

// conflict is the error that the driver itself makes of a conflict: the database
// is told to raise one, which ends the transaction as a real one does.
func (c *dbConn) conflict() error {
	how := ""
	switch {
	case c.db.is("pgx", "lib/pq"):
		how = "DO $$BEGIN RAISE EXCEPTION 'could not serialize access due to concurrent update " + conflictMade + "' USING ERRCODE = '40001'; END$$"
	case c.db.is("mysql"):
		how = "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found; try restarting transaction " + conflictMade + "'"
	default:
		return conflictError{}
	}
	if err := c.run(how); err != nil && strings.Contains(err.Error(), conflictMade) {
		return err
	}
	return conflictError{}
}

// run executes a statement of ours.
func (c *dbConn) run(text string) error {
	if x, ok := c.inner.(driver.ExecerContext); ok {
		if _, err := x.ExecContext(context.Background(), text, nil); err != driver.ErrSkip {
			return err
		}
	}
	s, err := c.prepare(context.Background(), text)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if x, ok := s.(driver.StmtExecContext); ok {
		_, err = x.ExecContext(context.Background(), nil)
		return err
	}
	_, err = s.Exec(nil)
	return err
}
