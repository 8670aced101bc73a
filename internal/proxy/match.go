package proxy

import (
	"bytes"
	"strings"
	"sync/atomic"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// heard is a request as rules see it, whichever way it came.
type heard struct {
	method, target []byte
	path           []byte // of the target, without the query
	fields         fields
	start          []byte // of the body
	key            []byte // nil: it has none
	length         int64  // of the body; -1: not known
	all, cut       bool   // start is the whole body; it is less than it could be, since the caller was slow
}

// fields are the headers of a request.
type fields interface {
	Header(name string) ([]byte, bool)
}

// pathOf is a target without its query.
func pathOf(target []byte) []byte {
	if i := bytes.IndexByte(target, '?'); i >= 0 {
		return target[:i]
	}
	return target
}

// rule is one of the file's, ready for use.
type rule struct {
	settings.Rule
	number int
	path   pattern
	seen   atomic.Int64 // requests that matched
}

func newRules(list []settings.Rule, s settings.Settings) (rules []*rule) {
	if len(list) == 0 {
		list = []settings.Rule{{}}
	}
	for i, r := range list {
		if r.Fault.Name == "" {
			r.Fault = s.Fault
		}
		if r.Fault.Arg == "" && (r.Fault.Name == inject.Late.Name || r.Fault.Name == inject.Delay.Name) {
			r.Fault.Arg = settings.Wait(r.Fault).String() // so that it is told
		}
		if r.Share.IsZero() {
			r.Share = s.Share
		}
		rules = append(rules, &rule{Rule: r, number: i, path: newPattern(r.Path)})
	}
	return rules
}

// matches tells whether the rule speaks of a request.
func (r *rule) matches(q *heard) bool {
	if !r.method(q.method) || !r.path.matches(q.path) {
		return false
	}
	if r.Key == settings.KeyPresent && q.key == nil || r.Key == settings.KeyAbsent && q.key != nil {
		return false
	}
	for name, want := range r.Header {
		if got, ok := q.fields.Header(name); !ok || want != "*" && string(got) != want {
			return false
		}
	}
	return r.Type == "" || r.content(q)
}

func (r *rule) method(method []byte) bool {
	if len(r.Methods) == 0 {
		return !safe(method)
	}
	for _, m := range r.Methods {
		if m == string(method) {
			return true
		}
	}
	return false
}

// content compares the content type, without its parameters.
func (r *rule) content(q *heard) bool {
	got, _ := q.fields.Header("Content-Type")
	kind, _, _ := strings.Cut(string(got), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	if family, ok := strings.CutSuffix(strings.ToLower(r.Type), "/*"); ok {
		return strings.HasPrefix(kind, family+"/")
	}
	return kind == strings.ToLower(r.Type)
}

// safe tells whether a method changes nothing, or is no request for the service.
func safe(method []byte) bool {
	switch string(method) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "REPORT", "SEARCH", "QUERY", "PRI":
		return true
	}
	return false
}

// pattern is a path pattern: literal texts with any text but a slash between
// them, and perhaps any end.
type pattern struct {
	all   bool
	parts []string
	open  bool // it ended with /**
}

func newPattern(s string) pattern {
	if s == "" || s == "/**" {
		return pattern{all: true}
	}
	s, open := strings.CutSuffix(s, "/**")
	return pattern{parts: strings.Split(s, "*"), open: open}
}

func (p pattern) matches(path []byte) bool {
	if p.all {
		return true
	}
	rest, ok := bytes.CutPrefix(path, []byte(p.parts[0]))
	return ok && p.after(rest, p.parts[1:])
}

// after matches what follows the first part; each further part comes after a
// text without a slash.
func (p pattern) after(rest []byte, parts []string) bool {
	if len(parts) == 0 {
		return len(rest) == 0 || p.open && rest[0] == '/'
	}
	for i := 0; i <= len(rest); i++ {
		if tail, ok := bytes.CutPrefix(rest[i:], []byte(parts[0])); ok && p.after(tail, parts[1:]) {
			return true
		}
		if i < len(rest) && rest[i] == '/' {
			return false
		}
	}
	return false
}
