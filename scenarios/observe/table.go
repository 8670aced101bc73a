package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"
)

// shownRows is how many rows of a rule's result are kept.
const shownRows = 20

// Rows runs the query of a user rule, one that must return no rows, and gives
// the first 20 rows as JSON objects, columns in their order, and how many there
// were in all. Of the parameters only :run has a value here.
func (s *SQL) Rows(ctx context.Context, run string) (rows []string, total int, err error) {
	if s.query.uses(":ids") || s.query.uses(":keys") {
		return nil, 0, errors.New("query: a rule judges all rows, :ids and :keys have no value in it; legal is :run")
	}
	text, args := s.query.bind(Query{Run: run})
	var columns []string
	start := func(c []string) error { columns = c; return nil }
	err = s.db.each(ctx, text, args, start, func(values []any) error {
		if total++; total <= shownRows {
			rows = append(rows, object(columns, values))
		}
		return nil
	})
	return rows, total, err
}

// object is a row as a JSON object.
func object(columns []string, values []any) string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(scalar(c))
		b.WriteByte(':')
		b.Write(scalar(values[i]))
	}
	b.WriteByte('}')
	return b.String()
}

func scalar(v any) []byte {
	switch x := v.(type) {
	case time.Time:
		v = x.UTC().Format(time.RFC3339Nano)
	case []byte:
		if utf8.Valid(x) {
			v = string(x)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // NaN, infinities
		return scalar(asText(v))
	}
	return bytes.TrimSpace(b.Bytes())
}
