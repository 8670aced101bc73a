package observe

import (
	"slices"
	"strconv"
	"strings"
)

// batch is how many ids go into one query.
const batch = 500

// statement is a query with its parameters found.
type statement struct {
	chunks []chunk
	mark   string // what the driver's numbered placeholders begin with: $ or ?
}

func (s statement) uses(param string) bool {
	return slices.ContainsFunc(s.chunks, func(c chunk) bool { return c.param == param })
}

// bind replaces the parameters by the driver's placeholders. A parameter used
// twice is sent once. An empty list becomes NULL, which is in no list.
func (s statement) bind(q Query) (sql string, args []any) {
	var b strings.Builder
	known := map[string]string{}
	for _, c := range s.chunks {
		if c.param == "" {
			b.WriteString(c.text)
			continue
		}
		if _, ok := known[c.param]; !ok {
			var marks []string
			for _, v := range values(q, c.param) {
				args = append(args, v)
				marks = append(marks, s.mark+strconv.Itoa(len(args)))
			}
			if marks == nil {
				marks = []string{"NULL"}
			}
			known[c.param] = strings.Join(marks, ", ")
		}
		b.WriteString(known[c.param])
	}
	return b.String(), args
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
