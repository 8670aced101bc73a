package expression

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
)

// judge runs one expression.
type judge struct {
	rule      history.UserRule
	program   program
	observers []history.Observer
}

func (j judge) open(reason string) checkers.Violation {
	return checkers.Violation{Rule: j.rule.Name, Verdict: checkers.Inconclusive, Reason: reason}
}

// holds evaluates the expression.
func (j judge) holds(env map[string]any) (bool, error) {
	v, err := expr.Run(j.program.Program, env)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), "\n") // the rest shows the expression again
		return false, fmt.Errorf("the expression broke: %s", text)
	}
	return v == true, nil
}

// each evaluates for each operation: those for which it is false are named.
func (j judge) each(gs []checkers.Group) (vs []checkers.Violation) {
	if why := j.program.tooLong(longest(gs)); why != "" {
		return []checkers.Violation{j.open(why)}
	}
	for i := range gs {
		for k := range gs[i].Operations {
			op := &gs[i].Operations[k]
			ok, err := j.holds(valueOf(&gs[i], op, j.observers))
			if ok {
				continue
			}
			v := checkers.Violation{Rule: j.rule.Name, Verdict: checkers.Fail, Op: op.ID, Scope: op.Scope, Witnesses: witnesses(op),
				Reason: fmt.Sprintf("%s: not true of %s (case %s):   %s", j.rule.Name, name(op), op.Case, j.rule.Text)}
			if err != nil {
				v = j.open(fmt.Sprintf("%s: %v.%s", name(op), err, unreliable(&gs[i], op, j.observers)))
			}
			vs = append(vs, v)
		}
	}
	return vs
}

// whole evaluates once, over all operations.
func (j judge) whole(gs []checkers.Group) []checkers.Violation {
	var all []any
	n := 0
	for i := range gs {
		for k := range gs[i].Operations {
			op := &gs[i].Operations[k]
			all = append(all, valueOf(&gs[i], op, j.observers))
			n++
		}
	}
	if why := j.program.tooLong(max(n, longest(gs))); why != "" {
		return []checkers.Violation{j.open(why)}
	}
	switch ok, err := j.holds(map[string]any{"operations": all}); {
	case err != nil:
		return []checkers.Violation{j.open(fmt.Sprintf("%v.", err))}
	case !ok:
		return []checkers.Violation{{Rule: j.rule.Name, Verdict: checkers.Fail,
			Reason: fmt.Sprintf("%s: not true of the run, of %d operations:   %s", j.rule.Name, n, j.rule.Text)}}
	}
	return nil
}

// unreliable names the observers of an operation that show nothing to rely on:
// asking for one of them is why most expressions break.
func unreliable(g *checkers.Group, op *history.Operation, all []history.Observer) string {
	known := effects(g, op, all)
	var missing []string
	for _, o := range all {
		if _, ok := known[o.Name]; !ok {
			missing = append(missing, o.Name)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return " Not to be relied on here: " + strings.Join(missing, ", ") + "."
}

// longest is the largest number of attempts of an operation.
func longest(gs []checkers.Group) (n int) {
	for i := range gs {
		for k := range gs[i].Operations {
			n = max(n, len(gs[i].Operations[k].Attempts))
		}
	}
	return n
}

func name(op *history.Operation) string {
	text := strings.TrimSpace(op.Name + " " + op.ID)
	if op.Scope != "" {
		text += " of " + op.Scope
	}
	return text
}

// witnesses are the ends of the attempts, and the effects.
func witnesses(op *history.Operation) (seqs []int64) {
	for _, a := range op.Attempts {
		if a.End != nil {
			seqs = append(seqs, a.End.Seq)
		}
	}
	for _, e := range op.Effects {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}
