package strict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrors is how many errors of one file are reported.
const maxErrors = 10

// Error is one mistake in a file.
type Error struct {
	File         string
	Line, Column int // from 1; 0 if the mistake is the whole file
	Msg          string
	Excerpt      string // the line, the one before it and a mark, with a newline before each
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.File, e.Line, e.Column, e.Msg, e.Excerpt)
}

// document is a file with what was found wrong in it.
type document struct {
	file   string
	lines  []string
	errors []*Error
}

// errorAt records an error. Only the first at each place is kept: what follows
// there is mostly a consequence.
func (d *document) errorAt(line, column int, msg string) {
	if slices.ContainsFunc(d.errors, func(e *Error) bool { return e.Line == line && e.Column == column }) {
		return
	}
	d.errors = append(d.errors, &Error{d.file, line, column, msg, d.excerpt(line, column)})
}

// err is all errors in the order of the file.
func (d *document) err() error {
	slices.SortStableFunc(d.errors, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	var all []error
	for i, e := range d.errors {
		if i == maxErrors {
			all = append(all, fmt.Errorf("%s: and %d more", d.file, len(d.errors)-i))
			break
		}
		all = append(all, e)
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// Errorf records an error at the value. At a value that is not in the file it
// records nothing: report a missing field at what should have it.
func (v Value) Errorf(format string, args ...any) {
	if v.n == nil || v.n.bad {
		return
	}
	v.doc.errorAt(v.n.line, v.n.column, fmt.Sprintf(format, args...))
}

// ErrorIn is Errorf at the place where part of a text stands, for instance
// "${id}" within a longer line. Where part can not be found it is Errorf.
func (v Value) ErrorIn(part, format string, args ...any) {
	if v.n == nil || v.n.bad {
		return
	}
	line, column := v.n.line, v.n.column
	for i := line - 1; part != "" && i < min(len(v.doc.lines), line+strings.Count(v.n.text, "\n")+1); i++ {
		from := 0
		if i == line-1 {
			from = bytesOf(v.doc.lines[i], column-1)
		}
		if at := strings.Index(v.doc.lines[i][from:], part); at >= 0 {
			line, column = i+1, utf8.RuneCountInString(v.doc.lines[i][:from+at])+1
			break
		}
	}
	v.doc.errorAt(line, column, fmt.Sprintf(format, args...))
}

// bytesOf is the length of the first n characters of s.
func bytesOf(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}

// width is how much of a long line an excerpt shows.
const width = 100

// excerpt shows a line, the one before it, and a mark under the column.
func (d *document) excerpt(line, column int) string {
	if line < 1 || line > len(d.lines) {
		return ""
	}
	skip := 0
	if column > width-10 {
		skip = column - width/2
	}
	var b strings.Builder
	if line > 1 && strings.TrimSpace(d.lines[line-2]) != "" {
		fmt.Fprintf(&b, "\n%6d | %s", line-1, shown(d.lines[line-2], skip))
	}
	fmt.Fprintf(&b, "\n%6d | %s", line, shown(d.lines[line-1], skip))
	fmt.Fprintf(&b, "\n%6s | %s^", "", strings.Repeat(" ", max(0, column-1-skip)))
	return b.String()
}

// shown is a part of a line that is safe on a terminal, one cell a character.
func shown(s string, skip int) string {
	rs := []rune(s)
	rs = rs[min(skip, len(rs)):]
	rs = rs[:min(width, len(rs))]
	for i, r := range rs {
		if r == '\t' {
			rs[i] = ' '
		} else if !unicode.IsPrint(r) {
			rs[i] = '·'
		}
	}
	return strings.TrimRight(string(rs), " ")
}
