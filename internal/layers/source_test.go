package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// source is one Go file of the module.
type source struct {
	path   string // from the module's root, with slashes
	folder string // its package: "checkers/contract"
	syntax *ast.File
	files  *token.FileSet
}

// line is the line of a position.
func (s source) line(p token.Pos) int { return s.files.Position(p).Line }

// sources parses all Go files of the module but tests and those of testdata.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") && file != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		syntax, err := parser.ParseFile(files, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		rel = filepath.ToSlash(rel)
		all = append(all, source{rel, path.Dir(rel), syntax, files})
		return err
	})
	if err != nil {
		t.Fatalf("read the sources of the module: %v", err)
	}
	return all
}

// public says whether users of the library can import a folder.
func public(folder string) bool {
	first, _, _ := strings.Cut(folder, "/")
	switch first {
	case "history", "inject", "checkers", "scenarios", "property":
		return !strings.Contains(folder, "internal")
	}
	return false
}

// symbol is one exported name.
type symbol struct {
	kind, name string // "method", "Recorder.Add"
	pos        token.Pos
	documented bool
}

// exported are the exported names of a file: top level, and methods of exported types.
func (s source) exported() []symbol {
	var all []symbol
	for _, d := range s.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			all = append(all, function(d)...)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				all = append(all, declared(d, spec)...)
			}
		}
	}
	return all
}

func function(d *ast.FuncDecl) []symbol {
	if !d.Name.IsExported() {
		return nil
	}
	if d.Recv == nil {
		return []symbol{{"func", d.Name.Name, d.Pos(), d.Doc != nil}}
	}
	receiver := receiverName(d.Recv.List[0].Type)
	if !ast.IsExported(receiver) {
		return nil
	}
	return []symbol{{"method", receiver + "." + d.Name.Name, d.Pos(), d.Doc != nil || plain(d.Name.Name)}}
}

// plain methods mean what Go says that they mean.
func plain(method string) bool {
	return method == "Error" || method == "String" || method == "Unwrap"
}

func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// declared are the names of one line of a const, var or type declaration. A
// comment on the group, above the line or behind it documents them.
func declared(d *ast.GenDecl, spec ast.Spec) []symbol {
	var all []symbol
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() {
			all = append(all, symbol{"type", spec.Name.Name, spec.Pos(), d.Doc != nil || spec.Doc != nil || spec.Comment != nil})
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() {
				all = append(all, symbol{d.Tok.String(), name.Name, name.Pos(), d.Doc != nil || spec.Doc != nil || spec.Comment != nil})
			}
		}
	}
	return all
}
