package traffic

import (
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/idemcheck/idemcheck/history"
)

const (
	albumBytes  = 32 << 20 // of all examples
	shownBody   = 2 << 10
	shownValue  = 100
	mostDiffers = 12
)

// album keeps examples, redacted, within a limit.
type album struct {
	rec    *history.Recorder
	bytes  int
	recent int // bytes of lines in examples that may be wanted later
}

// clean is a text without its secrets.
func (a *album) clean(body []byte) string {
	if a.rec == nil || len(body) == 0 {
		return ""
	}
	a.rec.Add(history.Event{Kind: history.State}, body)
	if a.rec.Flush() != nil {
		return ""
	}
	h := a.rec.History()
	a.rec.Forget(func(history.Event) bool { return false })
	if len(h.Events) == 0 {
		return ""
	}
	return h.Events[len(h.Events)-1].Body
}

// value is one value of a field without its secrets, if it is short.
func (a *album) value(where, v string) string { return cut(a.whole(where, v), shownValue) }

// whole is one value of a field without its secrets.
func (a *album) whole(where, v string) string {
	if v == "" {
		return ""
	}
	name := last(where)
	body, err := json.Marshal(map[string]string{name: v})
	if err != nil {
		return ""
	}
	var fields map[string]string
	if json.Unmarshal([]byte(a.clean(body)), &fields) != nil {
		return "<hidden>"
	}
	return fields[name]
}

// cut shortens a text; … stands for what was left out.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// example keeps one pair of a group, if there is room. body is how long a body may
// be that stands in the lines.
func (l *Learner) example(r *Repeat, p *pair, body int) *Example {
	if l.album.bytes > albumBytes {
		return nil
	}
	e := &Example{
		At: r.At.UTC(), Fault: r.Fault, Request: r.Method + " " + cut(l.target(r.Target), 300), Key: cut(r.Key, 255), Op: cut(r.Op, 255),
		Body: cut(l.readable(r.Body, r.Header.Get("Content-Type")), shownBody), First: l.shownAnswer(r.First, p.a), Second: l.shownAnswer(r.Second, p.b),
		Curl: l.curl(r, body),
	}
	if x, y := r.First.Status, r.Second.Status; x != y {
		e.Differences = append(e.Differences, Difference{"status", statusWord(r.First), statusWord(r.Second)})
	}
	for _, ds := range [][]Difference{p.ids, p.others} {
		for _, d := range ds {
			if len(e.Differences) < mostDiffers {
				e.Differences = append(e.Differences, Difference{d.Where, l.album.value(d.Where, d.First), l.album.value(d.Where, d.Second)})
			}
		}
	}
	l.album.bytes += len(e.Body) + len(e.First.Body) + len(e.Second.Body) + len(e.Curl) + 500
	return e
}

const (
	mostRecent  = 64
	recentBytes = 8 << 20 // of all lines in them, beyond which they are kept short
	shortBody   = 1500
)

// remember keeps the newest pairs whose effects will be counted: one of them may
// turn out to be the example that is wanted.
func (l *Learner) remember(s *lesson, r *Repeat, p *pair) {
	if r.Op == "" || r.OtherKey {
		return
	}
	bytes, body := l.album.bytes, longBody
	if l.album.recent > recentBytes {
		body = shortBody
	}
	e := l.example(r, p, body)
	l.album.bytes = bytes // it does not stay
	if e == nil {
		return
	}
	if len(s.recent) == mostRecent {
		l.album.recent -= len(s.recent[0].Curl)
		s.recent = s.recent[1:]
	}
	l.album.recent += len(e.Curl)
	s.recent = append(s.recent, e)
}

// of is the newest pair of an operation or a key.
func (s *lesson) of(op string) *Example {
	for _, e := range slices.Backward(s.recent) {
		if e.Op == op || e.Key == op {
			return e
		}
	}
	return nil
}

// target is a path and query without secrets.
func (l *Learner) target(target string) string {
	path, query, ok := strings.Cut(target, "?")
	if !ok {
		return target
	}
	return path + "?" + l.album.clean([]byte(query))
}

func (l *Learner) shownAnswer(a Answer, d document) Shown {
	body := l.readable(d.body, a.Header.Get("Content-Type"))
	return Shown{statusWord(a), cut(body, shownBody), a.Took.Milliseconds()}
}

// readable is a body for people: redacted, and told by its size where it is no text.
func (l *Learner) readable(body []byte, kind string) string {
	switch {
	case len(body) == 0:
		return ""
	case strings.HasPrefix(kind, "application/grpc"), !utf8.Valid(body[:min(len(body), 512)]) && !utf8.Valid(body):
		return fmt.Sprintf("(%d bytes, no text)", len(body))
	}
	if len(body) > 64<<10 {
		body = body[:64<<10]
	}
	return strings.ToValidUTF8(l.album.clean(body), "?")
}

// inShort is an answer in a few words: "201 application/json, 120 bytes".
func inShort(a Answer, d document) string {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	switch {
	case len(d.body) == 0 && len(a.Body) == 0:
		return statusWord(a) + " without a body"
	case kind == "":
		return fmt.Sprintf("%s, %d bytes", statusWord(a), max(len(d.body), len(a.Body)))
	}
	return fmt.Sprintf("%s %s, %d bytes", statusWord(a), cut(kind, 60), max(len(d.body), len(a.Body)))
}

func statusWord(a Answer) string {
	switch {
	case a.Err != "":
		return a.Err
	case a.Status == 0:
		return "no answer"
	}
	s := fmt.Sprint(a.Status)
	if code := a.Trailer.Get("Grpc-Status"); code != "" {
		s += ", grpc-status " + cut(code, 10)
	}
	return s
}
