package config

import (
	"slices"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/observe"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// Age is how deduplication records are made older. Kind says which fields are set.
type Age struct {
	Kind  string // sql, redis, http, command or wait
	URL   string // sql, redis
	Execs []string
	Keys  []template.Text
	HTTP  HTTP
	Body  target.Body // of the request
	Argv  []string
	By    time.Duration // what one ageing makes of it, whatever is asked for; 0: it does what is asked
}

// ageFields are the fields of age:, by kind.
var ageFields = map[string][]string{
	"sql":     {"sql", "exec", "by"},
	"redis":   {"redis", "keys"},
	"http":    {"http", "headers", "body", "by"},
	"command": {"command", "by"},
	"wait":    {"wait"},
}

var ageKinds = []string{"sql", "redis", "http", "command", "wait"}

func (r *reader) age(v strict.Value) {
	if !v.Exists() {
		return
	}
	a := &Age{Kind: r.oneOf(v, v, "age", ageKinds)}
	if a.Kind == "" {
		return
	}
	v.Fields(ageFields[a.Kind]...)
	if by := v.Field("by"); by.Exists() {
		a.By = by.Duration()
		positive(by, a.By > 0)
	}
	switch a.Kind {
	case "sql":
		r.ageSQL(v, a)
	case "redis":
		r.ageRedis(v, a)
	case "http":
		r.ageHTTP(v, a)
	case "command":
		a.Argv = r.argv(v.Field("command"))
	case "wait":
		if w := v.Field("wait"); !w.Bool() {
			w.Errorf("must be true: then records are aged by waiting for real")
		}
	}
	r.file.Age = a
}

// oneOf is the one field of these that v has, or an error at that names all.
func (r *reader) oneOf(at, v strict.Value, what string, kinds []string) string {
	if v.Kind() != strict.Map {
		v.Fields()
		return ""
	}
	var has []string
	for _, k := range kinds {
		if v.Field(k).Exists() {
			has = append(has, k)
		}
	}
	if len(has) != 1 {
		at.Errorf("%s must have one of %s; it has %s", what, strings.Join(kinds, ", "), orNone(has))
		return ""
	}
	return has[0]
}

// timed holds that an ageing says how far it goes, and only once.
func timed(v strict.Value, told bool, name string) {
	by := v.Field("by")
	switch {
	case told && by.Exists():
		by.Errorf("is for what always ages by the same time; this one uses %s", name)
	case !told && !by.Exists():
		v.Errorf("nothing in it says how far it ages: use %s, or say how far it always goes, as in  by: 25h", name)
	}
}

func (r *reader) ageSQL(v strict.Value, a *Age) {
	a.URL = r.plain(v.Need("sql"), true)
	exec := v.Need("exec")
	texts := []strict.Value{exec}
	if exec.Kind() == strict.List {
		texts = exec.List()
	}
	told := false
	for _, t := range texts {
		text := r.plain(t, true)
		if a.URL == "" || text == "" {
			return
		}
		db, err := observe.OpenAge(a.URL, []string{text}, r.file.Exclusive)
		switch {
		case err == nil:
			told = told || db.Timed()
			db.Close()
		case strings.HasPrefix(err.Error(), "exec"):
			t.Errorf("%v", err)
			return
		default:
			v.Field("sql").Errorf("%v", err)
			return
		}
		a.Execs = append(a.Execs, text)
	}
	r.touchDatabase(v.Field("sql"), a.URL)
	timed(v, told, ":seconds")
}

func (r *reader) ageRedis(v strict.Value, a *Age) {
	a.URL = r.redis(v.Need("redis"))
	keys := v.Need("keys")
	texts := []strict.Value{keys}
	if keys.Kind() == strict.List {
		texts = keys.List()
	}
	for _, t := range texts {
		text, ok := r.text(t)
		if !ok || !t.Exists() {
			continue
		}
		legalNames(t, text, []string{"id", "key", "run", "scope"}, "")
		if id, key := slices.Contains(text.Names(), "id"), slices.Contains(text.Names(), "key"); id == key {
			t.Errorf("want one of ${id} and ${key} in it, as in  idem:${key}")
		}
		a.Keys = append(a.Keys, text)
	}
}

// redis is the URL of a server.
func (r *reader) redis(v strict.Value) string {
	text := r.plain(v, true)
	if text == "" {
		return ""
	}
	host, err := observe.RedisHost(text)
	if err != nil {
		v.Errorf("%v", err)
	} else if host != "" {
		r.touch(v, host)
	}
	return text
}

func (r *reader) ageHTTP(v strict.Value, a *Age) {
	legal := []string{"id", "key", "run", "scope", "seconds"}
	check := func(at strict.Value, t template.Text) { legalNames(at, t, legal, "") }
	a.HTTP.Headers = r.headers(v.Field("headers"), false, check)
	a.Body = r.body(v.Field("body"), check)
	if b := v.Field("body"); b.Exists() && !a.Body.JSON {
		b.Errorf("must be a mapping or a list: it is sent as JSON")
	}
	request := v.Field("http")
	a.HTTP.Method, a.HTTP.URL = r.request(request, legal)
	if a.HTTP.Method == "" {
		return
	}
	names := a.request(nil, "").Uses()
	if !slices.Contains(names, "id") && !slices.Contains(names, "key") && !r.file.Exclusive {
		request.Errorf("it uses none of ${id} and ${key} and so would age the records of others; or say exclusive: true")
	}
	timed(v, slices.Contains(names, "seconds"), "${seconds}")
}

// argv is a program with its arguments.
func (r *reader) argv(v strict.Value) []string {
	var argv []string
	for _, w := range program(v, "[./age.sh]") {
		argv = append(argv, r.plainOf(w.at, w.text, true))
	}
	return argv
}
