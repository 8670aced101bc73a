package expression

import (
	"encoding/json"
	"strconv"

	"github.com/expr-lang/expr/types"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// attempt is what an expression sees of one delivery.
var attempt = types.Map{
	"n": types.Int, "key": types.String, "outcome": types.String, "status": types.Int, "word": types.String,
	"answer": types.Any, "fault": types.String, "variant": types.String, "version": types.Int, "at": types.Float64, "took": types.Float64,
}

// environment are the names that an expression may use, with their types: what
// is not there is a mistake when the file is read, not a zero when it is judged.
func environment(kind string, observers []history.Observer) types.Map {
	effects := types.Map{}
	for _, o := range observers {
		effects[o.Name] = types.Int
	}
	op := types.Map{
		"id": types.String, "name": types.String, "scope": types.String, "case": types.String,
		"accepted": types.Bool, "refused": types.Bool, "attempts": types.Array(attempt), "effects": effects,
	}
	if kind == history.RuleEach {
		return op
	}
	return types.Map{"operations": types.Array(op)}
}

// valueOf is an operation of a group. An observer that does not count for it
// shows 0; one that cannot be relied on is left out, so that an expression which
// asks for it breaks.
func valueOf(g *checkers.Group, op *history.Operation, observers []history.Observer) map[string]any {
	v := map[string]any{
		"id": op.ID, "name": op.Name, "scope": op.Scope, "case": op.Case,
		"accepted": false, "refused": true, "attempts": attempts(op), "effects": effects(g, op, observers),
	}
	for _, a := range op.Attempts {
		v["accepted"] = v["accepted"] == true || a.Outcome() == history.OK
		v["refused"] = v["refused"] == true && a.Outcome() == history.Refused
	}
	return v
}

func attempts(op *history.Operation) (all []any) {
	for i, a := range op.Attempts {
		v := map[string]any{
			"n": i + 1, "key": a.Begin.Key, "outcome": string(a.Outcome()), "status": 0, "word": "", "answer": nil,
			"fault": a.Begin.Attrs[history.AttrFault], "variant": a.Begin.Attrs[history.AttrVariant],
			"version": number(a.Begin.Attrs[history.AttrVersion]), "at": float64(a.Begin.At) / 1e9, "took": 0.0,
		}
		if e := a.End; e != nil {
			v["status"], v["word"] = number(e.Status), e.Status
			v["took"] = float64(e.At-a.Begin.At) / 1e9
			var answer any
			if json.Unmarshal([]byte(e.Body), &answer) == nil {
				v["answer"] = answer
			}
		}
		all = append(all, v)
	}
	return all
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func effects(g *checkers.Group, op *history.Operation, observers []history.Observer) map[string]any {
	all := map[string]any{}
	for i := range observers {
		if o := &observers[i]; !o.Counts(op.Name) {
			all[o.Name] = 0
		}
	}
	for i := range g.Observers {
		if o := &g.Observers[i]; o.Counts(op.Name) {
			all[o.Name] = count(o, op)
		}
	}
	return all
}

// count is the last count of an observer, added up over the keys and scopes
// that it reports.
func count(o *history.Observer, op *history.Operation) (n int) {
	last := map[[2]string]int{}
	for _, e := range op.Effects {
		if e.Name != o.Name || e.Scope != "" && e.Scope != op.Scope && o.By != "key" {
			continue
		}
		tag := [2]string{e.Scope, ""}
		if o.By == "key" {
			tag[1] = e.Key
		}
		n += e.Count - last[tag]
		last[tag] = e.Count
	}
	return n
}
