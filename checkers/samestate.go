package checkers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// same: an operation that was repeated has the same rows as one that was sent
// once. Columns in which operations that were sent once differ are left out, and
// the operation's own id and key.
func (u *userCase) same() {
	reading := map[string]*history.Event{}
	for _, e := range u.states {
		if e.Op != "" {
			reading[e.Op] = e
		}
	}
	ops, _ := u.mine()
	type kind struct{ name, scope string } // rows of another tenant may differ
	alike := map[kind][]*history.Operation{}
	var kinds []kind
	for i := range ops {
		op := &ops[i]
		if reading[op.ID] == nil || !plainly(op) || len(u.judge.x.byID[op.ID]) > 1 {
			continue
		}
		k := kind{op.Name, op.Scope}
		if alike[k] == nil {
			kinds = append(kinds, k)
		}
		alike[k] = append(alike[k], op)
	}
	judged := 0
	for _, k := range kinds {
		judged += u.sameOf(alike[k], reading)
	}
	if judged == 0 && len(u.Violations) == 0 && len(u.errors) == 0 {
		u.open("No rows were compared: that takes an operation that was accepted and repeated under one key, and one of its name and scope that was sent once.")
	}
}

// plainly reports whether what an operation leaves must be that of a single
// delivery: it was accepted in the end, always under one key and with one payload.
func plainly(op *history.Operation) bool {
	first := op.Attempts[0].Begin
	return op.Attempts[len(op.Attempts)-1].Outcome() == history.OK && !slices.ContainsFunc(op.Attempts, func(a history.Attempt) bool {
		return variant(a) != "" || keyOf(op, a) != keyOf(op, op.Attempts[0]) || a.Begin.Payload != first.Payload ||
			a.Begin.Attrs[history.AttrVersion] != "" || a.Begin.Attrs[history.AttrEntry] != "" || a.Begin.Attrs[history.AttrValue] != ""
	}) && !slices.ContainsFunc(op.Marks, func(m *history.Event) bool { return m.Name == history.MarkAged })
}

// sameOf compares the operations of one name and scope and returns how many it judged.
func (u *userCase) sameOf(ops []*history.Operation, reading map[string]*history.Event) (judged int) {
	m := mask{}
	var model string
	var from *history.Operation
	for _, op := range ops {
		if len(op.Attempts) == 1 {
			m.learn(op, reading[op.ID])
		}
	}
	for _, op := range ops {
		if len(op.Attempts) == 1 && from == nil {
			from, model = op, m.apply(op, reading[op.ID])
		}
	}
	if from == nil {
		return 0
	}
	if reading[from.ID].Count == 0 {
		u.open(fmt.Sprintf("%s has no rows: does the query look in the right place?", called(from)))
		return 0
	}
	for _, op := range ops {
		if len(op.Attempts) == 1 {
			continue
		}
		judged++
		if got := m.apply(op, reading[op.ID]); got != model {
			u.Violations = append(u.Violations, Violation{Rule: u.rule.Name, Verdict: Fail, Op: op.ID, Scope: op.Scope,
				Witnesses: []int64{reading[from.ID].Seq, reading[op.ID].Seq},
				Reason: fmt.Sprintf("%s was repeated and has other rows than %s, which was sent once: %s instead of %s.",
					called(op), called(from), shownRows(got), shownRows(model))})
		}
	}
	return judged
}

// mask knows by column the set of values that each operation sent once shows.
type mask map[string]string

const masked = "\x00"

func (m mask) learn(op *history.Operation, e *history.Event) {
	columns := map[string][]string{}
	for _, row := range rowsOf(op, e) {
		for _, s := range row {
			columns[s.pointer] = append(columns[s.pointer], s.value)
		}
	}
	for c, values := range columns {
		slices.Sort(values)
		set := strings.Join(slices.Compact(values), "\x01")
		if was, known := m[c]; known && was != set {
			set = masked
		}
		m[c] = set
	}
}

// apply is the rows of an operation as text, without order and what is masked.
func (m mask) apply(op *history.Operation, e *history.Event) string {
	var lines []string
	for _, row := range rowsOf(op, e) {
		var line []string
		for _, s := range row {
			if m[s.pointer] != masked {
				line = append(line, strings.TrimPrefix(s.pointer, "/")+" "+s.value)
			}
		}
		lines = append(lines, strings.Join(line, ", "))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// rowsOf are the rows of a reading, with the operation's own id and key named.
func rowsOf(op *history.Operation, e *history.Event) (rows [][]scalar) {
	own := []string{op.ID, "${id}"}
	if k := op.Attempts[0].Begin.Key; k != "" {
		own = append(own, k, "${key}")
	}
	names := strings.NewReplacer(own...)
	for line := range strings.Lines(e.Body) {
		row := scalars(line)
		for i := range row {
			row[i].value = names.Replace(row[i].value)
		}
		rows = append(rows, row)
	}
	return rows
}

func shownRows(text string) string {
	if text == "" {
		return "none"
	}
	lines := strings.Split(text, "\n")
	n := len(lines)
	shown := "[" + strings.Join(lines[:min(n, 3)], "] [") + "]"
	if n > 3 {
		shown += fmt.Sprintf(" and %d more", n-3)
	}
	return shown
}
