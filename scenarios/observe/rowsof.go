package observe

import (
	"context"
	"slices"
	"strings"
)

// mostRows bounds what a query of rows may return in all.
const mostRows = 100_000

// RowsOf runs a query that shows the rows of operations (its columns are id and
// any others) and gives them as JSON objects by id, without the column id. It
// takes :ids, :keys and :run.
func (s *SQL) RowsOf(ctx context.Context, q Query) (map[string][]string, error) {
	all := map[string][]string{}
	total := 0
	for _, part := range s.query.batches(q) {
		text, args := s.query.bind(part)
		var columns []string
		id := -1
		start := func(c []string) error {
			columns = c
			if id = slices.IndexFunc(c, func(c string) bool { return strings.EqualFold(c, "id") }); id < 0 {
				return badResult("no column is named id, the columns are: %s; write for instance  select order_id as id, amount, status", strings.Join(c, ", "))
			}
			return nil
		}
		err := s.db.each(ctx, text, args, start, func(values []any) error {
			if total++; total > mostRows {
				return badResult("more than %d rows", mostRows)
			}
			if whose := asText(values[id]); values[id] != nil {
				all[whose] = append(all[whose], object(slices.Delete(slices.Clone(columns), id, id+1), slices.Delete(slices.Clone(values), id, id+1)))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
