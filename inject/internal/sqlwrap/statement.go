package sqlwrap

import "strings"

// statement is what the wrapper must know of one text of SQL.
type statement struct {
	control string   // "begin", "commit", "rollback", "savepoint", "release", "back": of a transaction; else ""
	point   string   // the savepoint of the last three
	writes  bool     // perhaps it changes something
	insert  *inserts // into a table that the user named; nil: none
	deletes string   // the table that the user named of which rows are deleted; "": none
}

// inserts is an INSERT into a table whose new rows are effects.
type inserts struct {
	of   Inserts
	rows [][]sqlToken // for each row of VALUES what may be its id; nil: they come from elsewhere
	sure bool         // it is what stands in the column of the id
	why  string       // why its new rows cannot be told from its result; "": they can
}

// reader reads one statement.
type reader struct {
	tokens []sqlToken
	at     int
	of     []Inserts
}

// readStatement finds what matters in a text of SQL. of are the tables to look for.
func readStatement(text string, mysql bool, of []Inserts) statement {
	r := &reader{tokens: sqlTokens(text, mysql), of: of}
	s := statement{writes: r.writes()}
	if s.control, s.point = r.control(); s.control != "" {
		return s
	}
	s.deletes = r.deletes()
	s.insert = r.inserts()
	return s
}

func (r *reader) peek(n int) sqlToken {
	if r.at+n < len(r.tokens) {
		return r.tokens[r.at+n]
	}
	return sqlToken{}
}

// take goes on if the next token is the word.
func (r *reader) take(words ...string) bool {
	for _, w := range words {
		if r.peek(0).is(w) || w == r.peek(0).text && len(w) == 1 && r.peek(0).kind == w[0] {
			r.at++
			return true
		}
	}
	return false
}

func (r *reader) writes() bool {
	for _, w := range []string{"SELECT", "SHOW", "SET", "EXPLAIN", "PRAGMA", "VALUES", "TABLE", "DESCRIBE"} {
		if r.peek(0).is(w) {
			return false
		}
	}
	return len(r.tokens) > 0
}

// control reads BEGIN, COMMIT and their like.
func (r *reader) control() (control, point string) {
	savepoint := func(control string) (string, string) {
		r.take("SAVEPOINT")
		return control, strings.ToLower(r.peek(0).text)
	}
	switch {
	case r.take("BEGIN"):
		return "begin", ""
	case r.peek(0).is("START") && r.peek(1).is("TRANSACTION"):
		return "begin", ""
	case r.take("COMMIT", "END"):
		if r.take("PREPARED") {
			return "", ""
		}
		return "commit", ""
	case r.take("SAVEPOINT"):
		return savepoint("savepoint")
	case r.take("RELEASE"):
		return savepoint("release")
	case r.take("ROLLBACK", "ABORT"):
		r.take("TRANSACTION", "WORK")
		if r.take("TO") {
			return savepoint("back")
		}
		return "rollback", ""
	}
	return "", ""
}

// deletes is the table of "DELETE FROM table", if it is one of those.
func (r *reader) deletes() string {
	from := r.at
	defer func() { r.at = from }()
	if !r.take("DELETE") {
		return ""
	}
	for r.take("LOW_PRIORITY", "QUICK", "IGNORE", "FROM", "ONLY") {
	}
	of, _ := r.table()
	return of.Table
}

// inserts finds an INSERT into one of the tables, and what it may insert.
func (r *reader) inserts() *inserts {
	if r.peek(0).is("CREATE") || r.peek(0).is("EXPLAIN") { // a trigger's INSERT is not done yet
		return nil
	}
	depth, found := 0, (*inserts)(nil)
	for ; r.at < len(r.tokens); r.at++ {
		switch t := r.peek(0); {
		case t.kind == '(':
			depth++
		case t.kind == ')':
			depth--
		case t.is("INSERT"), t.is("REPLACE") && (r.peek(1).is("INTO") || r.at == 0):
			first := r.at == 0 || r.tokens[0].is("WITH") && depth == 0
			in := r.insert()
			if in == nil {
				continue
			}
			if !first || found != nil {
				in.why = "it stands within another statement"
			}
			found = in
			r.at-- // the loop goes on behind
		case t.kind == ';' && found != nil && r.at+1 < len(r.tokens):
			found.why = "the text has several statements"
		}
	}
	return found
}

// insert reads from the word INSERT to the end of what it inserts; nil: it is
// another table's, and then nothing was read.
func (r *reader) insert() *inserts {
	from := r.at
	replaces := r.take("REPLACE")
	if r.take("INSERT") && r.take("OR") {
		replaces = r.peek(0).is("REPLACE")
		r.at++ // or IGNORE, ABORT, FAIL
	}
	for r.take("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INTO") {
	}
	of, found := r.table()
	if !found {
		r.at = from
		return nil
	}
	in := &inserts{of: of}
	if replaces {
		in.why = "it replaces rows that were there"
	}
	r.body(in)
	r.conflict(in)
	return in
}

// table reads the name of the table, with its schema, and looks for it.
func (r *reader) table() (Inserts, bool) {
	name := ""
	for r.peek(0).name() {
		name += "." + r.peek(0).text
		r.at++
		if !r.take(".") {
			break
		}
	}
	if r.take("AS") || r.peek(0).kind == 'w' && r.peek(1).kind == '(' && !r.peek(0).is("VALUES") && !r.peek(0).is("VALUE") {
		r.at++ // its other name
	}
	for _, of := range r.of {
		if strings.HasSuffix(strings.ToLower(name), strings.ToLower("."+of.Table)) {
			return of, true
		}
	}
	return Inserts{}, false
}

// body reads the columns and the rows.
func (r *reader) body(in *inserts) {
	column := -1
	if r.peek(0).kind == '(' && !r.peek(1).is("SELECT") && !r.peek(1).is("WITH") {
		for i, c := range r.list() {
			if in.of.ID != "" && len(c) == 1 && strings.EqualFold(c[0].text, in.of.ID) {
				column = i
			}
		}
	}
	in.sure = column >= 0
	if r.take("OVERRIDING") {
		r.at += 2
	}
	switch {
	case r.take("VALUES", "VALUE"):
		for r.peek(0).kind == '(' || r.peek(0).is("ROW") {
			r.take("ROW")
			in.rows = append(in.rows, candidates(r.list(), column))
			if !r.take(",") {
				break
			}
		}
	case r.take("SET"):
		in.rows = [][]sqlToken{r.assigned(in.of.ID)}
		in.sure = in.of.ID != "" && len(in.rows[0]) > 0
	}
}

// list reads "(a, b, f(c))" as its parts.
func (r *reader) list() (parts [][]sqlToken) {
	depth := 0
	for ; r.at < len(r.tokens); r.at++ {
		t := r.peek(0)
		switch {
		case t.kind == '(':
			if depth++; depth == 1 {
				parts = append(parts, nil)
				continue
			}
		case t.kind == ')':
			if depth--; depth == 0 {
				r.at++
				return parts
			}
		case t.kind == ',' && depth == 1:
			parts = append(parts, nil)
			continue
		}
		parts[len(parts)-1] = append(parts[len(parts)-1], t)
	}
	return parts
}

// assigned reads "a = ?, id = ?" up to the end, and returns what may be the id.
func (r *reader) assigned(id string) (values []sqlToken) {
	column := ""
	for ; r.at < len(r.tokens) && !r.peek(0).is("ON") && r.peek(0).kind != ';'; r.at++ {
		if r.peek(0).name() && r.peek(1).kind == '=' {
			column = r.peek(0).text
			continue
		}
		if id == "" || strings.EqualFold(column, id) {
			values = append(values, candidates([][]sqlToken{{r.peek(0)}}, -1)...)
		}
	}
	return values
}

// candidates are the values and placeholders of a row that may be its id: those
// of its column, where that is known.
func candidates(row [][]sqlToken, column int) (all []sqlToken) {
	all = []sqlToken{}
	for i, part := range row {
		for _, t := range part {
			if (column < 0 || i == column) && (t.kind == 's' || t.kind == '#' || t.kind == '?') {
				all = append(all, t)
			}
		}
	}
	return all
}

// conflict looks for what makes an INSERT change rows that are there.
func (r *reader) conflict(in *inserts) {
	for i := r.at; i < len(r.tokens) && r.tokens[i].kind != ';'; i++ {
		if i > 0 && r.tokens[i].is("UPDATE") && (r.tokens[i-1].is("DO") || r.tokens[i-1].is("KEY")) {
			in.why = "it changes a row that is there, and its result does not say whether it did"
		}
	}
}
