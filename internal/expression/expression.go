// Package expression compiles the user's rules that are expressions
// (github.com/expr-lang/expr) into rules that checkers can run. An expression
// sees operations as plain values and nothing else: no clock, no side effect.
//
//	operations | all(.effects["charge-row"] <= 1)     kind expr: true or false of the run
//	accepted ? effects.receipt == 1 : true            kind each: true or false of each operation
package expression

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// Error is a mistake in an expression.
type Error struct {
	Line, Column int // from 1
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Check compiles an expression of kind history.RuleExpr or RuleEach, in which
// effects have the names of the observers. A mistake is an *Error.
func Check(kind, text string, observers []history.Observer) error {
	_, err := compile(kind, text, observers)
	return err
}

// Judge judges a history by its plans, and by the expressions in its header.
func Judge(h history.History, c contract.Contract) checkers.Report {
	return checkers.JudgeOwn(h, c, Rules(h.Header))
}

// Rules are the expressions in a header as rules.
func Rules(h history.Header) (rules []checkers.Rule) {
	for _, r := range h.Rules {
		if r.Kind == history.RuleExpr || r.Kind == history.RuleEach {
			rules = append(rules, rule(r, h.Observers))
		}
	}
	return rules
}

func rule(r history.UserRule, observers []history.Observer) checkers.Rule {
	p, err := compile(r.Kind, r.Text, observers)
	j := judge{rule: r, program: p, observers: observers}
	run := j.each
	if r.Kind == history.RuleExpr {
		run = j.whole
	}
	if err != nil {
		run = func([]checkers.Group) []checkers.Violation {
			return []checkers.Violation{j.open("The expression does not compile: " + err.Error())}
		}
	}
	return checkers.Rule{Name: r.Name, Doc: r.Text, History: run}
}

// program is a compiled expression.
type program struct {
	*vm.Program
	depth int // of loops within loops
}

func compile(kind, text string, observers []history.Observer) (program, error) {
	l := &loops{}
	p, err := expr.Compile(text, expr.Env(environment(kind, observers)), expr.AsBool(), expr.WarnOnAny(),
		expr.MaxNodes(1000), expr.DisableBuiltin("now"), expr.Patch(l))
	if err == nil {
		err = l.err
	}
	if err != nil {
		return program{}, mistake(err)
	}
	return program{p, depth(p.Node())}, nil
}

func mistake(err error) error {
	var f *file.Error
	if !errors.As(err, &f) {
		return &Error{1, 1, err.Error()}
	}
	return &Error{max(1, f.Line), f.Column + 1, f.Message}
}
