package sqlwrap

import (
	"database/sql/driver"
	"io"
	"reflect"
)

// dbRows counts the rows that an INSERT ... RETURNING returns.
type dbRows struct {
	driver.Rows
	c    *dbConn
	d    *dbDeed
	n    int64
	over bool // counted, or failed
}

// Next implements driver.Rows.
func (r *dbRows) Next(to []driver.Value) error {
	err := r.Rows.Next(to)
	switch {
	case err == nil:
		r.n++
	case r.over:
	case err == io.EOF:
		r.over = true
		r.c.happened(r.d, r.n)
	default:
		r.over = true
		_ = r.c.failed(err)
	}
	return err
}

// Close reads what was not asked for: the rows are there all the same.
func (r *dbRows) Close() error {
	if r.c.gone {
		return nil
	}
	var rest []driver.Value
	if !r.over {
		rest = make([]driver.Value, len(r.Columns()))
	}
	for !r.over {
		_ = r.Next(rest)
	}
	return r.Rows.Close()
}

// HasNextResultSet implements driver.RowsNextResultSet.
func (r *dbRows) HasNextResultSet() bool {
	s, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && s.HasNextResultSet()
}

// NextResultSet implements driver.RowsNextResultSet.
func (r *dbRows) NextResultSet() error {
	if s, ok := r.Rows.(driver.RowsNextResultSet); ok {
		return s.NextResultSet()
	}
	return io.EOF
}

// ColumnTypeScanType implements driver.RowsColumnTypeScanType. This and the
// following answer as database/sql does for drivers that have them not.
func (r *dbRows) ColumnTypeScanType(i int) reflect.Type {
	if t, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return t.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *dbRows) ColumnTypeDatabaseTypeName(i int) string {
	if t, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

// ColumnTypeLength implements driver.RowsColumnTypeLength.
func (r *dbRows) ColumnTypeLength(i int) (length int64, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return t.ColumnTypeLength(i)
	}
	return 0, false
}

// ColumnTypeNullable implements driver.RowsColumnTypeNullable.
func (r *dbRows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypeNullable); ok {
		return t.ColumnTypeNullable(i)
	}
	return false, false
}

// ColumnTypePrecisionScale implements driver.RowsColumnTypePrecisionScale.
func (r *dbRows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypePrecisionScale); ok {
		return t.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}
