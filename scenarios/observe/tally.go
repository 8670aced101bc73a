package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// resultError is a result that is not of the form that an observer needs.
type resultError struct{ text string }

func (e *resultError) Error() string { return e.text }

func badResult(format string, args ...any) error {
	return &resultError{"query: " + fmt.Sprintf(format, args...)}
}

// ignored are columns for rules to come.
var ignored = []string{"at", "entity"}

// tally adds up the rows of an observer's queries.
type tally struct {
	name, n, scope, version int // columns; -1: there is none
	isKey                   bool
	sum                     map[Count]int // N of the Count is 0, its Version ""
	versions                map[Count]string
	order                   []Count
}

func newTally() *tally { return &tally{sum: map[Count]int{}, versions: map[Count]string{}} }

// start finds the columns by their names.
func (t *tally) start(columns []string) error {
	find := func(name string) int {
		return slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, name) })
	}
	id, key := find("id"), find("key")
	t.name, t.isKey, t.n, t.scope, t.version = id, false, find("n"), find("scope"), find("version")
	if id < 0 {
		t.name, t.isKey = key, true
	}
	got := strings.Join(columns, ", ")
	switch {
	case t.name < 0:
		return badResult("no column is named id or key, the columns are: %s; write for instance  select order_id as id, count(*) as n", got)
	case id >= 0 && key >= 0:
		return badResult("the columns id and key exclude each other, the columns are: %s; an observer reports one of them", got)
	}
	for i, c := range columns {
		if i != t.name && i != t.n && i != t.scope && i != t.version && !slices.Contains(ignored, strings.ToLower(c)) {
			return badResult("column %q means nothing here, the columns are: %s; legal are id or key, n, scope, version, %s", c, got, strings.Join(ignored, ", "))
		}
	}
	return nil
}

func (t *tally) by() string {
	if t.isKey {
		return "key"
	}
	return "id"
}

func (t *tally) row(values []any) error {
	if values[t.name] == nil {
		return nil // an effect of nobody that we know
	}
	c := Count{ID: asText(values[t.name]), N: 1}
	if t.isKey {
		c.ID, c.Key = "", c.ID
	}
	if t.scope >= 0 && values[t.scope] != nil {
		c.Scope = asText(values[t.scope])
	}
	if t.version >= 0 && values[t.version] != nil {
		c.Version = asText(values[t.version])
	}
	if t.n >= 0 {
		var err error
		if c.N, err = asCount(values[t.n]); err != nil {
			return err
		}
	}
	return t.add(c)
}

// add takes one count. The version of an entity that it shows must be one.
func (t *tally) add(c Count) error {
	n, version := c.N, c.Version
	c.N, c.Version = 0, ""
	if _, ok := t.sum[c]; !ok {
		t.order = append(t.order, c)
	}
	t.sum[c] += n
	if old := t.versions[c]; old != "" && version != "" && old != version {
		return &resultError{fmt.Sprintf("it shows two versions of %s, %s and %s; let it show the one that holds", c.ID+c.Key, old, version)}
	}
	if version != "" {
		t.versions[c] = version
	}
	return nil
}

// counts are the sums in the order in which they were first seen.
func (t *tally) counts() []Count {
	var out []Count
	for _, c := range t.order {
		who := c
		if c.N, c.Version = t.sum[who], t.versions[who]; c.N != 0 {
			out = append(out, c)
		}
	}
	return out
}

// asText is an id as text, whatever type its column has.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

// asCount reads n, which a sum() may give as a decimal ("2", "2.00"), a float or NULL.
func asCount(v any) (int, error) {
	if v == nil {
		return 0, nil
	}
	text := strings.TrimSpace(asText(v))
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || strings.Trim(fraction, "0") != "" || n < 0 {
		return 0, badResult("column n is %q, want a whole number that is not negative", text)
	}
	return n, nil
}
