package inject_test

import (
	"context"
	"database/sql/driver"
	"errors"
)

// noDatabase is a driver whose statements all add one row to nothing.
type noDatabase struct{}

var errNoQuery = errors.New("there is nothing to query")

func (noDatabase) Connect(context.Context) (driver.Conn, error) { return noDatabase{}, nil }
func (noDatabase) Driver() driver.Driver                        { return noDatabase{} }
func (noDatabase) Open(string) (driver.Conn, error)             { return noDatabase{}, nil }
func (noDatabase) Prepare(string) (driver.Stmt, error)          { return noDatabase{}, nil }
func (noDatabase) Begin() (driver.Tx, error)                    { return noDatabase{}, nil }
func (noDatabase) Commit() error                                { return nil }
func (noDatabase) Rollback() error                              { return nil }
func (noDatabase) Close() error                                 { return nil }
func (noDatabase) NumInput() int                                { return -1 }
func (noDatabase) Exec([]driver.Value) (driver.Result, error)   { return driver.RowsAffected(1), nil }
func (noDatabase) Query([]driver.Value) (driver.Rows, error)    { return nil, errNoQuery }
