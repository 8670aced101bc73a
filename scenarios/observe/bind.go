package observe

import (
	"slices"
	"strings"
)

// batch is how many ids go into one query.
const batch = 500

// statement is a query with its parameters found.
type statement struct {
	chunks  []chunk
	dialect dialect
	seconds string // of :seconds, a number that is written out: so it fits columns and functions of any type
}

func (s statement) uses(param string) bool {
	return slices.ContainsFunc(s.chunks, func(c chunk) bool { return c.param == param })
}

// bind replaces the parameters by the driver's placeholders. A parameter used
// twice is sent once where placeholders have numbers. An empty list becomes
// NULL, which is in no list.
func (s statement) bind(q Query) (sql string, args []any) {
	var b strings.Builder
	known := map[string]string{}
	for _, c := range s.chunks {
		switch c.param {
		case "":
			b.WriteString(c.text)
			continue
		case seconds:
			b.WriteString(s.seconds)
			continue
		}
		if _, ok := known[c.param]; !ok || s.dialect == mysql {
			known[c.param], args = s.place(values(q, c.param), args)
		}
		b.WriteString(known[c.param])
	}
	return b.String(), args
}

// place appends values to the arguments, and gives their placeholders.
func (s statement) place(values []string, args []any) (string, []any) {
	var marks []string
	for _, v := range values {
		args = append(args, v)
		marks = append(marks, s.dialect.mark(len(args)))
	}
	if marks == nil {
		return "NULL", args
	}
	return strings.Join(marks, ", "), args
}

func values(q Query, param string) []string {
	switch param {
	case ":ids":
		return q.IDs
	case ":keys":
		return q.Keys
	}
	return []string{q.Run}
}

// batches cuts what is asked for into queries of a size that every database
// takes. The results can be added up since no id is in two of them. A query
// with both lists is not cut: which rows it finds depends on both at once.
func (s statement) batches(q Query) []Query {
	ids, keys := s.uses(":ids"), s.uses(":keys")
	q.IDs, q.Keys = distinct(q.IDs), distinct(q.Keys)
	var out []Query
	switch {
	case ids && !keys:
		for part := range slices.Chunk(q.IDs, batch) {
			out = append(out, Query{IDs: part, Run: q.Run})
		}
	case keys && !ids:
		for part := range slices.Chunk(q.Keys, batch) {
			out = append(out, Query{Keys: part, Run: q.Run})
		}
	case ids && len(q.IDs)+len(q.Keys) == 0:
	default:
		out = []Query{q}
	}
	return out
}

// distinct drops empty and repeated names and keeps the order.
func distinct(names []string) []string {
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool {
		defer func() { seen[s] = true }()
		return seen[s]
	})
}
