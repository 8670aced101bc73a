package checkers

import (
	"encoding/json"
	"strconv"
	"strings"
)

// walk visits the scalars of a JSON text with their pointers. It stops quietly
// where the text is no JSON any more: a body may be cut. Values of strings are
// unescaped, others are as written. path is only valid during the visit; the
// walk ends where visit returns false.
//
// Of a text that is no JSON from its beginning the words are visited.
func walk(text string, visit func(path []byte, value string, str bool) bool) {
	if noJSON(text) {
		words(text, visit)
		return
	}
	w := walker{text: text, visit: visit, path: make([]byte, 0, 64)}
	w.value(0)
}

const maxDepth = 200

type walker struct {
	text  string
	at    int
	path  []byte
	visit func(path []byte, value string, str bool) bool
}

func (w *walker) space() {
	for w.at < len(w.text) && w.text[w.at] <= ' ' && strings.IndexByte(" \t\r\n", w.text[w.at]) >= 0 {
		w.at++
	}
}

// next skips white space and reports whether c comes; if so it is taken.
func (w *walker) next(c byte) bool {
	w.space()
	if w.at < len(w.text) && w.text[w.at] == c {
		w.at++
		return true
	}
	return false
}

func (w *walker) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch {
	case w.next('{'):
		return w.object(depth)
	case w.next('['):
		return w.array(depth)
	case w.at < len(w.text) && w.text[w.at] == '"':
		s, ok := w.str()
		return ok && w.visit(w.path, s, true)
	}
	begin := w.at
	for w.at < len(w.text) && strings.IndexByte(",]} \t\r\n", w.text[w.at]) < 0 {
		w.at++
	}
	s := w.text[begin:w.at]
	if s == "" || !json.Valid([]byte(s)) {
		return false
	}
	return w.visit(w.path, s, false)
}

func (w *walker) object(depth int) bool {
	if w.next('}') {
		return true
	}
	for {
		if w.space(); w.at >= len(w.text) || w.text[w.at] != '"' {
			return false
		}
		name, ok := w.str()
		if !ok || !w.next(':') {
			return false
		}
		n := len(w.path)
		w.path = append(w.path, '/')
		w.path = appendToken(w.path, name)
		if !w.value(depth + 1) {
			return false
		}
		w.path = w.path[:n]
		if !w.next(',') {
			return w.next('}')
		}
	}
}

func (w *walker) array(depth int) bool {
	if w.next(']') {
		return true
	}
	for i := 0; ; i++ {
		n := len(w.path)
		w.path = strconv.AppendInt(append(w.path, '/'), int64(i), 10)
		if !w.value(depth + 1) {
			return false
		}
		w.path = w.path[:n]
		if !w.next(',') {
			return w.next(']')
		}
	}
}

// str takes a string; the opening quote is at hand.
func (w *walker) str() (string, bool) {
	for i := w.at + 1; i < len(w.text); i++ {
		switch w.text[i] {
		case '\\':
			i++
		case '"':
			s := w.text[w.at+1 : i]
			quoted := w.text[w.at : i+1]
			w.at = i + 1
			if strings.IndexByte(s, '\\') < 0 {
				return s, true
			}
			return s, json.Unmarshal([]byte(quoted), &s) == nil
		}
	}
	return "", false
}

// appendToken appends one token of a JSON pointer, escaped.
func appendToken(path []byte, name string) []byte {
	for i := range len(name) {
		switch name[i] {
		case '~':
			path = append(path, "~0"...)
		case '/':
			path = append(path, "~1"...)
		default:
			path = append(path, name[i])
		}
	}
	return path
}

// picker takes values out of many bodies with little waste.
type picker struct {
	walker   walker
	pointers []string
	values   []string
	found    int
}

func newPicker() *picker {
	p := &picker{}
	p.walker.visit = func(path []byte, v string, _ bool) bool {
		for i, want := range p.pointers {
			if v != "" && p.values[i] == "" && string(path) == want {
				p.values[i] = v
				p.found++
			}
		}
		return p.found < len(p.pointers)
	}
	return p
}

// pick returns the values at the pointers, "" where there is none, and how many
// were found. The next pick overwrites them.
func (p *picker) pick(body string, pointers []string) (values []string, found int) {
	p.pointers, p.found, p.values = pointers, 0, p.values[:0]
	for range pointers {
		p.values = append(p.values, "")
	}
	switch {
	case len(pointers) == 0 || body == "":
	case noJSON(body):
		words(body, p.walker.visit)
	default:
		p.walker.text, p.walker.at, p.walker.path = body, 0, p.walker.path[:0]
		p.walker.value(0)
	}
	return p.values, p.found
}

func pick(body string, pointers []string) (values []string, found int) {
	return newPicker().pick(body, pointers)
}

// scalar is one value of a JSON text.
type scalar struct {
	pointer, value string
	str            bool
}

func scalars(body string) (all []scalar) {
	walk(body, func(path []byte, v string, str bool) bool {
		all = append(all, scalar{string(path), v, str})
		return true
	})
	return all
}
