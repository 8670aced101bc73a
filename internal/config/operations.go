package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

var operationFields = []string{"send", "key", "headers", "body", "per_attempt", "before", "take", "test", "find", "versions", "entry_of", "sign"}

// operations reads all, then checks what they say of one another.
func (r *reader) operations(v strict.Value) {
	if v.Kind() == strict.Map && len(v.Fields()) == 0 {
		v.Errorf("must name at least one operation, as in  charge: {send: POST /charges}")
	}
	r.places = map[string]strict.Value{}
	for _, f := range v.Fields() {
		if !named(f.Key, f.Name) {
			continue
		}
		r.places[f.Name] = f.Value
		r.file.Operations = append(r.file.Operations, r.operation(f.Key, f.Value))
	}
	if r.order() && r.entries() {
		r.taken()
		r.underTest()
	}
}

func (r *reader) operation(key, v strict.Value) Operation {
	o := Operation{Name: key.Text(), Line: key.Line()}
	v.Fields(operationFields...)
	check := func(at strict.Value, t template.Text) {
		for _, name := range t.Names() {
			r.names = append(r.names, use{o.Name, name, at})
		}
	}
	o.Method, o.Path = r.send(v.Need("send"), check)
	o.Headers = r.headers(v.Field("headers"), false, check)
	if p := v.Field("per_attempt"); p.Exists() {
		p.Fields("headers", "body")
		o.Headers = append(o.Headers, r.headers(p.Field("headers"), true, check)...)
	}
	o.Body = r.body(v.Field("body"), check)
	o.Body.Anew = r.anew(v.Field("per_attempt").Field("body"), o.Body, check)
	r.key(v, &o, check)
	o.Versions = r.versions(v.Field("versions"), o.Body, check)
	o.Sign = r.sign(v.Field("sign"), o)
	o.Find = r.find(v.Field("find"), check)
	if e := v.Field("entry_of"); e.Exists() {
		o.EntryOf = e.Text()
	}
	o.Before = names(v.Field("before"))
	o.Take = take(v.Field("take"))
	if t := v.Field("test"); t.Exists() {
		o.Test = t.Bool()
	}
	return o
}

var requestLine = regexp.MustCompile(`^([A-Z]+) +(/[^ #]*)$`)

// send is "POST /charges"; the path is one of the target and may hold templates.
func (r *reader) send(v strict.Value, check func(strict.Value, template.Text)) (method string, path template.Text) {
	if !v.Exists() {
		return
	}
	s, ok := r.expand(v, v.Text(), true)
	if !ok {
		return
	}
	method, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	// What stands between ${ and } may hold blanks, the path itself may not.
	if !requestLine.MatchString(method + " " + inner.ReplaceAllString(rest, "x")) {
		v.Errorf("must be a method and a path on the target, as in POST /charges; got %q", v.Text())
		return
	}
	path, err := template.Parse(rest)
	if err != nil {
		wrong(v, rest, err)
		return
	}
	check(v, path)
	return method, path
}

var inner = regexp.MustCompile(`\$\{[^}]*\}`)

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headers are those of a mapping, in the file's order.
func (r *reader) headers(v strict.Value, anew bool, check func(strict.Value, template.Text)) []target.Header {
	var hs []target.Header
	if !v.Exists() {
		return nil
	}
	for _, f := range v.Fields() {
		same := func(h target.Header) bool { return strings.EqualFold(h.Name, f.Name) }
		switch {
		case !headerName.MatchString(f.Name):
			f.Key.Errorf("%q can not be the name of a header", f.Name)
			continue
		case slices.ContainsFunc(hs, same):
			f.Key.Errorf("header %s is there twice", f.Name)
			continue
		}
		t, ok := r.text(f.Value)
		if !ok {
			continue
		}
		if lit, _ := t.Literal(); strings.ContainsAny(lit, "\r\n\x00") {
			f.Value.Errorf("a header must be one line")
		}
		check(f.Value, t)
		hs = append(hs, target.Header{Name: f.Name, Value: t, Anew: anew})
	}
	return hs
}

// names is a list of names, or one.
func names(v strict.Value) []string {
	switch v.Kind() {
	case strict.None:
		return nil
	case strict.Text:
		return []string{v.Text()}
	}
	var list []string
	for _, item := range v.List() {
		if s := item.Text(); slices.Contains(list, s) {
			item.Errorf("%q is there twice", s)
		} else {
			list = append(list, s)
		}
	}
	return list
}

var takenName = regexp.MustCompile(`^[a-z][A-Za-z0-9_.-]*$`)

// take is name to JSON pointer, or to "header NAME".
func take(v strict.Value) map[string]string {
	if !v.Exists() {
		return nil
	}
	m := map[string]string{}
	for _, f := range v.Fields() {
		switch {
		case !takenName.MatchString(f.Name):
			f.Key.Errorf("%q can not be a name in ${...}: it begins with a lower-case letter, then letters, digits, _ - .", f.Name)
		case slices.Contains(template.Ours, f.Name):
			f.Key.Errorf("${%s} has a meaning of its own: take the value under another name", f.Name)
		default:
			m[f.Name] = place(f.Value)
		}
	}
	return m
}

// place is where in an answer a value is: "header ETag", or a JSON pointer.
func place(v strict.Value) string {
	s := v.Text()
	if s == "" || strings.HasPrefix(s, "/") {
		return s
	}
	name, ok := strings.CutPrefix(s, "header ")
	if name = strings.TrimSpace(name); !ok || !headerName.MatchString(name) {
		v.Errorf("must be a JSON pointer, which begins with /, as in /data/id, or a header, as in  header ETag; got %q", s)
	}
	return "header " + name
}
