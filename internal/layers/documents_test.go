package layers

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// TestPackageCommentsAreShort holds the comment of each public package to what
// fits on a screen.
func TestPackageCommentsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if s.syntax.Doc == nil || !public(s.folder) {
			continue
		}
		if n := strings.Count(strings.TrimSpace(s.syntax.Doc.Text()), "\n") + 1; n > 40 {
			t.Errorf("%s: the comment of the package has %d lines: at most 40, the rest belongs to the names or to docs/", s.path, n)
		}
	}
}

// TestFieldsAreDocumented wants a word on each exported field and interface
// method of the public packages: at it, or in the comment of its type. A field
// that has the name of its type is explained there, and so is a TB: its methods
// are those of testing.
func TestFieldsAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if !public(s.folder) {
			continue
		}
		for _, d := range s.syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok || !typ.Name.IsExported() || typ.Name.Name == "TB" {
					continue
				}
				about := g.Doc.Text() + typ.Doc.Text() + typ.Comment.Text()
				for _, name := range unexplained(typ.Type, about) {
					t.Errorf("%s:%d: the field %s.%s is not explained, neither at it nor in the comment of %[3]s", s.path, s.line(name.Pos()), typ.Name.Name, name.Name)
				}
			}
		}
	}
}

// unexplained are the exported fields of a struct or methods of an interface
// that have no comment and no mention in the text.
func unexplained(e ast.Expr, about string) (names []*ast.Ident) {
	var fields *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		fields = e.Fields
	case *ast.InterfaceType:
		fields = e.Methods
	default:
		return nil
	}
	for _, f := range fields.List {
		if strings.TrimSpace(f.Doc.Text()+f.Comment.Text()) != "" {
			continue
		}
		for _, name := range f.Names {
			if named(f.Type, name.Name) {
				continue
			}
			mentioned := regexp.MustCompile(`(?i)\b` + name.Name + `s?\b`).MatchString(about)
			if name.IsExported() && !mentioned {
				names = append(names, name)
			}
		}
	}
	return names
}

// named reports whether a type has the name of its field: Sign Sign,
// Windows []Window.
func named(e ast.Expr, field string) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return named(e.X, field)
	case *ast.ArrayType:
		return named(e.Elt, field)
	case *ast.SelectorExpr:
		return named(e.Sel, field)
	case *ast.Ident:
		return e.IsExported() && strings.TrimSuffix(field, "s") == e.Name
	}
	return false
}
