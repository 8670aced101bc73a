package layers

import (
	"go/ast"
	"testing"
)

// Upper bounds; the design aims at 100 and 10.
const (
	fileLines     = 300
	functionLines = 60
)

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.line(s.syntax.FileEnd - 1); n > fileLines {
			t.Errorf("%s has %d lines, %d at most: give its second idea a file of its own", s.path, n, fileLines)
		}
		for _, d := range s.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > functionLines {
				t.Errorf("%s:%d: %s has %d lines, %d at most: split it by what it does", s.path, s.line(f.Pos()), f.Name.Name, n, functionLines)
			}
		}
	}
}
