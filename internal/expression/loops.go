package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
)

// loops refuses what could make an expression run for ever: ranges.
type loops struct{ err error }

// Visit implements ast.Visitor.
func (l *loops) Visit(n *ast.Node) {
	if b, ok := (*n).(*ast.BinaryNode); ok && b.Operator == ".." && l.err == nil {
		l.err = &file.Error{Location: b.Location(), Line: 1, Column: b.Location().From, Message: "ranges (..) are not part of these expressions"}
	}
}

// depth is how deep loops (all, filter, map ...) lie within each other.
func depth(n ast.Node) int {
	d := deepest{}
	d.walk(n, 0)
	return d.most
}

type deepest struct{ most int }

// walk goes down by hand, since a visitor is not told when it leaves a node.
func (d *deepest) walk(n ast.Node, in int) {
	if p, ok := n.(*ast.PredicateNode); ok {
		in++
		d.most = max(d.most, in)
		d.walk(p.Node, in)
		return
	}
	for _, child := range children(n) {
		if child != nil {
			d.walk(child, in)
		}
	}
}

func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		return []ast.Node{n.Node}
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	case *ast.MemberNode:
		return []ast.Node{n.Node, n.Property}
	case *ast.SliceNode:
		return []ast.Node{n.Node, n.From, n.To}
	case *ast.CallNode:
		return append([]ast.Node{n.Callee}, n.Arguments...)
	case *ast.BuiltinNode:
		return append(n.Arguments[:len(n.Arguments):len(n.Arguments)], n.Map)
	case *ast.VariableDeclaratorNode:
		return []ast.Node{n.Value, n.Expr}
	case *ast.SequenceNode:
		return n.Nodes
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.MapNode:
		return n.Pairs
	case *ast.PairNode:
		return []ast.Node{n.Key, n.Value}
	}
	return nil
}

// mostSteps bounds loops: with n things to look at, loops of depth d take n to
// the power of d steps.
const mostSteps = 20_000_000

// tooLong says why an expression over n things is not run.
func (p program) tooLong(n int) string {
	steps := 1.0
	for range p.depth {
		steps *= float64(max(1, n))
	}
	if steps > mostSteps {
		return fmt.Sprintf("The expression has loops within loops, %d deep, which is too much for %d operations and attempts.", p.depth, n)
	}
	return ""
}
