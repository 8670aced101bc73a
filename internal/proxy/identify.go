package proxy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// identified is a kind of request whose operation has an id that can be read.
type identified struct {
	name   string // of the operation; "" where a rule says it
	method string
	path   *regexp.Regexp // with a group where the id stands, if it does
	places []place
	key    place // of the key, where it is not in a header; in is "" if it is
	rule   *rule // instead of method and path
}

// known is what a request says of its operation.
type known struct {
	name, id, key string
	ok            bool
	inBody        bool // what was looked for is in the body, which was not whole
}

// place is where an id stands: in the field of a form or query, a header, a JSON
// pointer of the body, or a part of the path.
type place struct {
	in, name string
	form     *regexp.Regexp // with a group for the id; nil: all of it
}

const (
	inBody   = "body"
	inForm   = "form"
	inHeader = "header"
	inQuery  = "query"
	inPath   = "path"
)

// newIdentified reads the file's operations and the rules.
func newIdentified(base string, ops []Operation, rules []*rule) (all []identified) {
	for _, r := range rules {
		if in, name, ok := strings.Cut(r.ID, " "); ok {
			all = append(all, identified{rule: r, places: []place{{in: in, name: strings.TrimSpace(name)}}})
		}
	}
	for _, o := range ops {
		path, query, _ := strings.Cut(o.Path.String(), "?")
		x := identified{name: o.Name, method: o.Method, path: regexp.MustCompile("^" + regexp.QuoteMeta(strings.TrimSuffix(base, "/")) + formOf(path, `[^/?]+`) + "$")}
		x.places = append(formPlaces(inQuery, query), x.places...)
		for _, h := range o.Headers {
			x.places = appendPlace(x.places, inHeader, h.Name, h.Value)
		}
		if o.Body.JSON {
			x.places = treePlaces(x.places, "", o.Body.Tree)
		} else {
			x.places = append(x.places, formPlaces(inForm, o.Body.Text.String())...)
		}
		if o.Key.In == inBody || o.Key.In == inQuery {
			x.key = place{in: o.Key.In, name: o.Key.Name}
		}
		all = append(all, x)
	}
	return all
}

var expression = regexp.MustCompile(`\$\{[^}]*\}`)

// formOf is a template as a regular expression; ${id} is the group "id".
func formOf(text, any string) string {
	var b strings.Builder
	last, named := 0, false
	for _, at := range expression.FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[last:at[0]]))
		if text[at[0]:at[1]] == "${id}" && !named {
			b.WriteString("(?P<id>" + any + ")")
			named = true
		} else {
			b.WriteString(any)
		}
		last = at[1]
	}
	b.WriteString(regexp.QuoteMeta(text[last:]))
	return b.String()
}

func appendPlace(ps []place, in, name string, t template.Text) []place {
	if slices.Contains(t.Names(), "id") {
		ps = append(ps, place{in, name, regexp.MustCompile("^" + formOf(t.String(), ".+") + "$")})
	}
	return ps
}

func treePlaces(ps []place, at string, n template.Node) []place {
	switch n.Kind {
	case template.String:
		return appendPlace(ps, inBody, at, n.Text)
	case template.Mapping:
		for _, f := range n.Fields {
			ps = treePlaces(ps, at+"/"+template.Token(f.Name), f.Node)
		}
	case template.List:
		for i, item := range n.Items {
			ps = treePlaces(ps, at+"/"+strconv.Itoa(i), item)
		}
	}
	return ps
}

// formPlaces are those of a form or a query.
func formPlaces(in, text string) (ps []place) {
	for _, pair := range strings.Split(text, "&") {
		name, value, ok := strings.Cut(pair, "=")
		if t, err := template.Parse(value); ok && err == nil {
			ps = appendPlace(ps, in, name, t)
		}
	}
	return ps
}

// idOf is what a request says of its operation. Where it holds no id, the key is it.
func idOf(all []identified, q *heard) known {
	for i := range all {
		x := &all[i]
		if x.rule != nil {
			if k := x.known(q, x.places[0].find(q)); x.rule.matches(q) && (k.ok || k.inBody) {
				return k
			}
			continue
		}
		if x.method != string(q.method) {
			continue
		}
		m := x.path.FindSubmatch(q.path)
		if m == nil {
			continue
		}
		if g := x.path.SubexpIndex("id"); g > 0 {
			return x.known(q, unescaped(string(m[g])))
		}
		id := ""
		for n := 0; id == "" && n < len(x.places); n++ {
			id = x.places[n].find(q)
		}
		return x.known(q, id)
	}
	return known{}
}

// known is what a request of this kind says, with the id that was found.
func (x *identified) known(q *heard, id string) known {
	k := known{name: x.name, id: id, key: string(q.key)}
	if k.key == "" && x.key.in != "" {
		k.key = x.key.find(q)
	}
	if k.id == "" && !q.all && (slices.ContainsFunc(x.places, place.body) || x.key.body()) {
		k.inBody = true
		return k
	}
	if k.id == "" && len(x.places) == 0 {
		k.id = k.key
	}
	k.ok = k.id != ""
	return k
}

func (p place) body() bool { return p.in == inBody || p.in == inForm }

func unescaped(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

// find is the id at a place; "" if there is none.
func (p place) find(q *heard) string {
	text := ""
	switch p.in {
	case inHeader:
		b, _ := q.fields.Header(p.name)
		text = string(b)
	case inQuery:
		_, query, _ := bytes.Cut(q.target, []byte("?"))
		v, _ := url.ParseQuery(string(query)) // what could be read of it
		text = v.Get(p.name)
	case inForm:
		if q.all {
			v, _ := url.ParseQuery(string(q.plain()))
			text = v.Get(p.name)
		}
	case inPath:
		n, _ := strconv.Atoi(p.name) // the file's reader holds the form
		if parts := strings.Split(strings.Trim(string(q.path), "/"), "/"); n >= 1 && n <= len(parts) {
			text = unescaped(parts[n-1])
		}
	case inBody:
		if q.all {
			text = pointed(q.plain(), p.name)
		}
	}
	if p.form == nil || text == "" {
		return text
	}
	m := p.form.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[p.form.SubexpIndex("id")]
}

// pointed is the text or number at a JSON pointer; "" if there is none.
func pointed(body []byte, pointer string) string {
	raw := json.RawMessage(body)
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		var fields map[string]json.RawMessage
		var items []json.RawMessage
		if json.Unmarshal(raw, &fields) == nil {
			raw = fields[step]
		} else if i, err := strconv.Atoi(step); err == nil && json.Unmarshal(raw, &items) == nil && i >= 0 && i < len(items) {
			raw = items[i]
		} else {
			return ""
		}
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// patternOf is the path of an operation as the learner has it: {} for a template.
func patternOf(base string, o Operation) string {
	path, _, _ := strings.Cut(o.Path.String(), "?")
	return strings.TrimSuffix(base, "/") + expression.ReplaceAllString(path, "{}")
}

// plain is the body without its encoding, where that is gzip.
func (q *heard) plain() []byte {
	if e, ok := q.fields.Header("Content-Encoding"); !ok || string(e) != "gzip" {
		return q.start
	}
	z, err := gzip.NewReader(bytes.NewReader(q.start))
	if err != nil {
		return nil
	}
	b, _ := io.ReadAll(io.LimitReader(z, lateBody)) // what can not be read holds no id
	return b
}
