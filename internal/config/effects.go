package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// common are the fields of every observer.
var common = []string{"of", "by", "say", "expect", "unique"}

// effects are the observers in the file's order, or none.
func (r *reader) effects(v strict.Value) {
	switch v.Kind() {
	case strict.None:
		return
	case strict.Text:
		if v.Text() != "none" {
			v.Errorf("must be a mapping of observers, or none (then only answers are judged); got %q", v.Text())
		}
		r.file.NoEffects = true
		return
	}
	for _, f := range v.Fields() {
		if named(f.Key, f.Name) {
			r.file.Effects = append(r.file.Effects, r.effect(f.Key, f.Value))
		}
	}
}

func (r *reader) effect(key, v strict.Value) Effect {
	var e Effect
	e.Name = key.Text()
	if v.Kind() == strict.Map {
		r.kind(key, v, &e)
	} else {
		v.Fields()
	}
	e.Of = r.of(key, v)
	if s := v.Field("say"); s.Exists() {
		e.Say = s.Text()
		if t, err := template.Parse(e.Say); err != nil {
			wrong(s, e.Say, err)
		} else {
			legalNames(s, t, []string{"id", "key", "scope"}, "")
		}
	}
	if x := v.Field("expect"); x.Exists() {
		if e.Expect = x.Int(); e.Expect < 1 {
			x.Errorf("must be a whole number above zero")
		}
	}
	if u := v.Field("unique"); u.Exists() {
		if e.Unique = u.Text(); e.Unique != "id" {
			u.Errorf("must be id (one operation has one effect even under several keys), got %q", e.Unique)
		}
	}
	return e
}

// kinds are how an observer can see, each with its fields.
var kinds = []struct {
	name   string
	fields []string
	read   func(r *reader, v strict.Value, e *Effect)
}{
	{"sql", []string{"query"}, (*reader).effectSQL},
	{"http", []string{"count", "version", "headers", "scoped"}, (*reader).effectHTTP},
	{"provider", nil, (*reader).effectProvider},
	{"redis", []string{"count", "field"}, (*reader).effectRedis},
	{"smtp", nil, (*reader).effectSMTP},
	{"command", []string{"scoped"}, (*reader).effectCommand},
}

// kind finds out how an observer sees, by the field that it has.
func (r *reader) kind(key, v strict.Value, e *Effect) {
	notBuilt(v, "topic")
	if m := v.Field("metrics"); m.Exists() {
		m.Errorf("a total has no ids, so it can not count the effects of one operation: put it under  rules: [{name: ..., metrics: ..., counted: ...}]")
		return
	}
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	e.Kind = r.oneOf(key, v, "effect "+e.Name, names)
	if e.Kind == "" {
		return
	}
	for _, k := range kinds {
		if k.name == e.Kind {
			v.Fields(slices.Concat([]string{k.name}, k.fields, common)...)
			k.read(r, v, e)
		}
	}
	e.By = by(v.Field("by"), e.By)
	if e.Unique == "id" && e.By == "key" {
		v.Field("unique").Errorf("unique: id needs an observer that reports ids; this one reports keys")
	}
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " and ")
}

// by is what the file says, which must be what the observer shows, if that is known.
func by(v strict.Value, shown string) string {
	if !v.Exists() {
		return shown
	}
	said := v.Text()
	switch {
	case said != "id" && said != "key":
		v.Errorf("must be id or key, got %q", said)
	case shown != "" && said != shown:
		v.Errorf("this observer reports the %s, not the %s", shown, said)
	}
	return said
}

// of are the operations that an observer counts for.
func (r *reader) of(key, v strict.Value) []string {
	var tested []string
	for _, o := range r.file.Operations {
		if o.Test {
			tested = append(tested, o.Name)
		}
	}
	of := v.Field("of")
	if !of.Exists() {
		if len(tested) > 1 {
			key.Errorf("effect %s must say of which operation: %d are under test; add for instance  of: [%s]", key.Text(), len(tested), tested[0])
		}
		return tested
	}
	list := names(of)
	for _, name := range list {
		switch o := r.file.find(name); {
		case o == nil:
			of.ErrorIn(name, "unknown operation %q%s; the file has %s", name, strict.DidYouMean(name, r.file.operationNames()), strings.Join(r.file.operationNames(), ", "))
		case !o.Test:
			of.ErrorIn(name, "operation %s is not under test, so nothing of it is counted; say  test: true  there", name)
		}
	}
	if len(list) == 0 {
		of.Errorf("must name an operation")
	}
	return list
}

// effectSQL checks all that can be checked without a connection.
func (r *reader) effectSQL(v strict.Value, e *Effect) {
	e.SQL = &SQL{URL: r.plain(v.Need("sql"), true), Query: r.plain(v.Need("query"), true)}
	r.database(v, "query", e.SQL.URL, e.SQL.Query, r.file.Exclusive)
	if !v.Field("by").Exists() {
		e.By = e.SQL.by()
	}
}

var (
	usesKeys = regexp.MustCompile(`(?i)(?:^|[^:]):keys\b|\bas\s+"?key\b`)
	usesIDs  = regexp.MustCompile(`(?i)(?:^|[^:]):ids\b|\bas\s+"?id\b`)
)

// by is what the query seems to report; Ask compares it with what it does.
func (s *SQL) by() string {
	if usesKeys.MatchString(s.Query) && !usesIDs.MatchString(s.Query) {
		return "key"
	}
	return "id"
}

func (r *reader) database(v strict.Value, field, url, query string, exclusive bool) {
	if url == "" || query == "" {
		return
	}
	db, err := observe.OpenSQL(url, query, exclusive)
	switch {
	case err == nil:
		db.Close()
		r.touchDatabase(v.Field("sql"), url)
	case strings.HasPrefix(err.Error(), "query"):
		v.Field(field).Errorf("%v", err)
	default:
		v.Field("sql").Errorf("%v", err)
	}
}

// request is a method and a path on the target, or a URL of its own; these
// names have a value in it. The method is "" if it is wrong.
func (r *reader) request(v strict.Value, legal []string) (method string, u template.Text) {
	s, ok := r.expand(v, v.Text(), true)
	if !ok || v.Kind() != strict.Text {
		return "", u
	}
	if _, err := template.Parse(s); err != nil {
		wrong(v, s, err)
		return "", u
	}
	method, u, err := parseRequest(s)
	if err != nil {
		v.Errorf("%s", strings.TrimPrefix(err.Error(), "http: "))
		return "", u
	}
	legalNames(v, u, legal, "")
	values := map[string]string{}
	for _, name := range u.Names() {
		values[name] = "x"
	}
	example, _ := u.Expand(template.Vars{ID: "x", Key: "x", Run: "x", Scope: "x", Values: values})
	if u, err := url.Parse(example); err != nil {
		v.Errorf("is no URL")
	} else if u.Host != "" {
		r.touch(v, u.Hostname())
	}
	return method, u
}
