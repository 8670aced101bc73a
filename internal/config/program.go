package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// argument is one word of a command, and where it stands in the file.
type argument struct {
	at   strict.Value
	text string // templates and all
}

// program is a program with its arguments: a list, or a text that is split as a
// shell would. Templates are parts of words, whatever their values hold.
func program(v strict.Value, example string) []argument {
	var all []argument
	if v.Kind() != strict.Text {
		for _, item := range v.List() {
			all = append(all, argument{item, item.Text()})
		}
	} else {
		list, err := split(v.Text())
		if err != nil {
			v.Errorf("%v", err)
			return nil
		}
		for _, text := range list {
			all = append(all, argument{v, text})
		}
	}
	if len(all) == 0 && v.Exists() {
		v.Errorf("must name a program, as in  %s", example)
	}
	return all
}

// split is a text as the words that a POSIX shell would make of it. What a
// shell would do beyond that is an error: none is run.
func split(text string) ([]string, error) {
	marked, templates := mark(text)
	if strings.IndexFunc(text, func(c rune) bool { return marks <= c && c <= lastMark }) >= 0 || len(templates) > lastMark-marks {
		return nil, errors.New("holds characters of the private use area, which no command does")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(marked), "")
	if err != nil {
		msg := err.Error()
		if e := (syntax.ParseError{}); errors.As(err, &e) {
			msg = e.Text
		}
		return nil, fmt.Errorf("can not be split into words (%s): write the program and its arguments as a list, as in [./serve, --name, \"it's\"]", msg)
	}
	if len(file.Stmts) == 0 {
		return nil, nil
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if s := file.Stmts[0]; !ok || len(file.Stmts) > 1 || len(s.Redirs)+len(call.Assigns) > 0 || s.Negated || s.Background || s.Semicolon.IsValid() {
		return nil, errShell
	}
	var list []string
	for _, w := range call.Args {
		s, ok := literal(w)
		if !ok {
			return nil, errShell
		}
		list = append(list, unmark(s, templates))
	}
	return list, nil
}

var errShell = errors.New(`there is no shell, so no variables, pipes and patterns: write ${NAME} for a variable of the environment; for the rest name a shell, as in [sh, -c, "..."]`)

// literal is a word without its quotes; ok is false if it does not say all by itself.
func literal(w *syntax.Word) (text string, ok bool) {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(escape.ReplaceAllString(p.Value, ""), "*?[~") {
				return "", false
			}
			text += escape.ReplaceAllString(p.Value, "$1")
		case *syntax.SglQuoted:
			text += p.Value
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				text += escapeInQuotes.ReplaceAllString(lit.Value, "$1")
			}
		default:
			return "", false
		}
	}
	return text, true
}

var (
	escape         = regexp.MustCompile(`(?s)\\(.)`)
	escapeInQuotes = regexp.MustCompile("\\\\([$`\"\\\\])")
)

// marks is where the runes begin that stand for templates while a shell's
// rules are applied; a text can have as many templates as there are of them.
const marks, lastMark = 0xE000, 0xF8FF

var templateForm = regexp.MustCompile(`(?:\$\$)+\{|\$(?:\$\$)*\{[^}]*\}?`)

// mark puts a rune in the place of each template.
func mark(text string) (marked string, templates []string) {
	marked = templateForm.ReplaceAllStringFunc(text, func(s string) string {
		templates = append(templates, s)
		return string(rune(marks + len(templates) - 1))
	})
	return marked, templates
}

// unmark puts the templates back.
func unmark(text string, templates []string) string {
	var b strings.Builder
	for _, c := range text {
		if c >= marks && c < marks+rune(len(templates)) {
			b.WriteString(templates[c-marks])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
