package sqlwrap

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// ids are the operations of the new rows of an INSERT, a row each, of which n
// are there. other is the operation to which a row belongs that names none; ""
// takes the row for foreign, and leaves it out. ok is false where n does not say
// which rows are there.
func (in *inserts) ids(args []driver.NamedValue, n int64, known func(string) bool, other string) (ids []string, ok bool) {
	rows := in.rows
	if rows == nil {
		rows = [][]sqlToken{nil}
	}
	distinct := map[string]bool{}
	for _, row := range rows {
		id := in.id(row, args, known, other)
		distinct[id] = true
		ids = append(ids, id)
	}
	switch {
	case n == 0:
		return nil, true
	case len(distinct) == 1:
		ids = repeated(ids[0], n)
	case n != int64(len(ids)):
		return nil, false
	}
	kept := ids[:0]
	for _, id := range ids {
		if id != "" {
			kept = append(kept, id)
		}
	}
	return kept, true
}

func repeated(id string, n int64) (ids []string) {
	for range n {
		ids = append(ids, id)
	}
	return ids
}

// id is the operation that one row names.
func (in *inserts) id(row []sqlToken, args []driver.NamedValue, known func(string) bool, other string) string {
	for _, t := range row {
		if text, ok := t.value(args); ok && known(text) {
			return text
		}
	}
	if row == nil {
		if id := idAmong(args, known); id != "" {
			return id
		}
	} else if in.sure && len(row) == 1 {
		if _, ok := row[0].value(args); ok {
			return "" // its column says that it is another's
		}
	}
	return other
}

// idAmong is the first argument that is the id of an operation; "": none is.
func idAmong(args []driver.NamedValue, known func(string) bool) string {
	for _, a := range args {
		if text, ok := textOf(a.Value); ok && known(text) {
			return text
		}
	}
	return ""
}

// value is what a token stands for.
func (t sqlToken) value(args []driver.NamedValue) (string, bool) {
	if t.kind != '?' {
		return t.text, true
	}
	nth := t.nth
	if t.text != "" {
		nth, _ = strconv.Atoi(strings.TrimLeft(t.text, "pP"))
	}
	for _, a := range args {
		if a.Name != "" && a.Name == t.text || a.Name == "" && a.Ordinal == nth {
			return textOf(a.Value)
		}
	}
	return "", false
}

// textOf is an argument as text. Some drivers take values of any type.
func textOf(v driver.Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	case driver.Valuer:
		if reflect.ValueOf(v).Kind() == reflect.Pointer && reflect.ValueOf(v).IsNil() {
			return "", false
		}
		value, err := v.Value()
		if _, again := value.(driver.Valuer); err != nil || again {
			return "", false
		}
		return textOf(value)
	case fmt.Stringer:
		if reflect.ValueOf(v).Kind() != reflect.Pointer {
			return v.String(), true
		}
		return "", false
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return r.String(), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(r.Int(), 10), true
	case reflect.Pointer:
		if !r.IsNil() && r.CanInterface() {
			return textOf(r.Elem().Interface())
		}
	}
	return "", false
}
