package draft

import (
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// A variable of the shell is kept as a mark in its word until the word is made
// a template: what the user wrote as $API_TOKEN stays a variable in the file.
const begin, end = "\uE000", "\uE001"

// most is how long a line may be.
const most = 1 << 20

// words are the words of the curl command in a shell line. Nothing is run:
// command and process substitutions are errors. rest is what else the line
// does, for people.
func words(line string) (list []string, rest string, err error) {
	if len(line) > most {
		return nil, "", fmt.Errorf("a line of %d bytes is too long: at most %d are read", len(line), most)
	}
	if strings.ContainsAny(line, begin+end+"\x00") {
		return nil, "", fmt.Errorf("the line holds characters that no shell line holds (U+0000, U+E000 or U+E001)")
	}
	line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, "", fmt.Errorf("the line can not be read as a shell line: %w", err)
	}
	call, rest, err := only(file)
	if err != nil {
		return nil, "", err
	}
	for _, w := range call.Args {
		text, err := word(w)
		if err != nil {
			return nil, "", err
		}
		list = append(list, text)
	}
	return list, rest, nil
}

// only is the one command of the line; what stands behind a pipe is left out.
func only(file *syntax.File) (*syntax.CallExpr, string, error) {
	if len(file.Stmts) != 1 {
		return nil, "", fmt.Errorf("want one curl command, the line has %d commands", len(file.Stmts))
	}
	stmt, rest := file.Stmts[0], ""
	for {
		if len(stmt.Redirs) > 0 {
			rest = "redirections were left out"
		}
		b, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
			break
		}
		stmt, rest = b.X, "what follows the pipe was left out"
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil, "", fmt.Errorf("want a curl command, such as curl -X POST http://127.0.0.1:8080/charges -d '{...}'")
	}
	return call, rest, nil
}

var envNames = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// word is the text of one word with marks for its variables.
func word(w *syntax.Word) (string, error) {
	bad := ""
	env := expand.FuncEnviron(func(name string) string {
		switch {
		case name == "IFS":
			return " \t\n"
		case !envNames.MatchString(name):
			bad = name
			return ""
		}
		return begin + name + end
	})
	if err := still(w); err != nil {
		return "", err
	}
	text, err := expand.Literal(&expand.Config{Env: env}, w)
	switch {
	case bad != "":
		return "", fmt.Errorf("column %d: the variable $%s can not be kept: only upper-case names can, such as $API_TOKEN; in double quotes your shell would have filled it in", w.Pos().Col(), bad)
	case err != nil:
		return "", fmt.Errorf("column %d: %w", w.Pos().Col(), err)
	}
	return text, nil
}

// still refuses words whose value would have to be computed.
func still(w *syntax.Word) (err error) {
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob:
			err = fmt.Errorf("column %d: nothing is run while the line is read: write the value out", n.Pos().Col())
		}
		return err == nil
	})
	return err
}

var dollars = regexp.MustCompile(`\$+(?:\{|` + begin + `)`)

// template makes a word a text in the syntax of templates: a literal ${ is
// written so that it stays one, a variable becomes one of the environment.
func template(word string) string {
	word = dollars.ReplaceAllStringFunc(word, func(s string) string {
		run := strings.TrimRight(s, "{"+begin)
		return run + s
	})
	return strings.NewReplacer(begin, "${", end, "}").Replace(word)
}

// variable tells whether a word holds a variable of the shell.
func variable(word string) bool { return strings.Contains(word, begin) }
