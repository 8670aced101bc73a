package inject

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// identify finds the operation of a request: the first of path, query, headers
// and body in which ids of the run stand decides. "" is a request that passes.
func (r *Run) identify(q *http.Request, body []byte) (string, error) {
	if r.options.ID != nil {
		return r.options.ID(withBody(q, q.Context(), body)), nil
	}
	switch q.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return "", nil
	}
	line := q.Method + " " + q.URL.Path
	for _, place := range places {
		found := r.find(place(q, body))
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", fmt.Errorf("%s holds the ids of several operations (%s): say by Options.ID which one it is an attempt of", line, some(found))
		}
	}
	return "", fmt.Errorf("%s holds no id of this run: send an id of Run.IDs with it, or say by Options.ID which operation it is an attempt of", line)
}

// places are where an id may stand in a request, the most telling one first.
var places = []func(q *http.Request, body []byte) []string{
	func(q *http.Request, _ []byte) []string { return []string{q.URL.Path} },
	func(q *http.Request, _ []byte) []string {
		if q.URL.RawQuery == "" {
			return nil
		}
		return values(q.URL.Query())
	},
	func(q *http.Request, _ []byte) []string { return values(q.Header) },
	func(_ *http.Request, body []byte) []string { return []string{string(body)} },
}

func values(all map[string][]string) (vs []string) {
	for _, v := range all {
		vs = append(vs, v...)
	}
	return vs
}

// find lists the ids of the run that stand in texts as whole words, each once.
func (r *Run) find(texts []string) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !inWord(c) }) {
			if r.ops[word] != nil && !slices.Contains(found, word) {
				found = append(found, word)
			}
		}
		for _, id := range r.odd {
			if standsIn(text, id) && !slices.Contains(found, id) {
				found = append(found, id)
			}
		}
	}
	return found
}

// inWord reports whether a character may be part of an id that is one word.
func inWord(c rune) bool { return c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// oneWord reports whether an id is one word.
func oneWord(id string) bool {
	return strings.IndexFunc(id, func(c rune) bool { return !inWord(c) }) < 0
}

// standsIn reports whether text holds an id that no word goes on beside.
func standsIn(text, id string) bool {
	for i := 0; ; {
		at := strings.Index(text[i:], id)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i+at])
		after, _ := utf8.DecodeRuneInString(text[i+at+len(id):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		i += at + 1
	}
}

// withBody is a request whose body can be read, once more.
func withBody(q *http.Request, ctx context.Context, body []byte) *http.Request {
	c := q.WithContext(ctx)
	if c.Header = q.Header.Clone(); c.Header == nil {
		c.Header = http.Header{}
	}
	c.Body, c.GetBody, c.ContentLength = once{bytes.NewReader(body)}, nil, int64(len(body))
	return c
}
