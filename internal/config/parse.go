package config

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
)

// Load reads the file of that name with the process's environment.
func Load(name string) (*File, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return Parse(name, b, os.LookupEnv)
}

// Parse reads the text of a file; lookup is os.LookupEnv. The error is a
// *strict.Error, or several joined.
func Parse(name string, b []byte, lookup func(string) (string, bool)) (*File, error) {
	r := &reader{file: &File{Name: name}, lookup: lookup}
	if err := strict.Parse(name, b, r.read); err != nil {
		return nil, err
	}
	return r.file, nil
}

// reader fills a File and knows what must be checked once all is read.
type reader struct {
	file   *File
	lookup func(string) (string, bool)
	names  []use    // of templates in operations
	shown  []string // texts that are shown to people
	places map[string]strict.Value
}

// use is a name in a template of an operation.
type use struct {
	operation, name string
	at              strict.Value
}

var topFields = []string{"target", "protocol", "operations", "contract", "scopes", "effects", "links", "workers", "age", "rules", "settle", "limits", "redact", "exclusive", "allow", "accept", "proxy"}

func (r *reader) read(v strict.Value) {
	v.Fields(topFields...)
	f := r.file
	if e := v.Field("exclusive"); e.Exists() {
		f.Exclusive = e.Bool()
	}
	f.Allow = r.allow(v.Field("allow"))
	f.Contract = r.contract(v.Field("contract"))
	need := v.Need
	if v.Field("proxy").Exists() {
		need = v.Field // what the proxy alone is for needs neither
	}
	if t := need("target"); t.Exists() {
		r.targets(t)
	}
	f.Protocol = r.protocol(v.Field("protocol"))
	if o := need("operations"); o.Exists() {
		r.operations(o)
	}
	r.scopes(v.Field("scopes"))
	r.effects(v.Field("effects"))
	r.links(v.Field("links"))
	r.workers(v.Field("workers"))
	r.linked(v.Field("links"))
	r.age(v.Field("age"))
	r.rules(v.Field("rules"))
	r.limits(v)
	r.redact(v.Field("redact"))
	r.accept(v.Field("accept"))
	r.proxy(v.Field("proxy"))
	r.show()
}

// notBuilt says of fields that the design knows and this version does not.
func notBuilt(v strict.Value, names ...string) {
	if v.Kind() != strict.Map {
		return
	}
	for _, f := range v.Fields() {
		if slices.Contains(names, f.Name) {
			f.Key.Errorf("%s is not built yet in this version", f.Name)
		}
	}
}

// targets is one URL, or a list: the addresses of several replicas.
func (r *reader) targets(v strict.Value) {
	if v.Kind() != strict.List {
		r.file.Target = r.target(v)
		return
	}
	for i, item := range v.List() {
		switch u := r.target(item); {
		case i == 0:
			r.file.Target = u
		case u == r.file.Target || slices.Contains(r.file.Replicas, u):
			item.Errorf("%s is there twice: each replica has an address of its own", u)
		default:
			r.file.Replicas = append(r.file.Replicas, u)
		}
	}
	if len(v.List()) == 0 {
		v.Errorf("must name at least one URL, such as http://127.0.0.1:8080")
	}
}

// protocolH2 is HTTP/2 in the file.
const protocolH2 = "h2"

// protocol is that of the target.
func (r *reader) protocol(v strict.Value) string {
	if !v.Exists() {
		return ""
	}
	switch s := v.Text(); s {
	case protocolH2:
		return s
	case "http/1.1":
		return ""
	default:
		v.Errorf("must be http/1.1 or h2, got %q", s)
		return ""
	}
}

func (r *reader) target(v strict.Value) string {
	s := r.plain(v, false)
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		v.Errorf("must be a URL such as http://127.0.0.1:8080, got %q", hidePassword(s))
	case u.User != nil:
		v.Errorf("a name or password can not be in the URL: put it in headers, Authorization")
	case u.RawQuery != "" || u.Fragment != "":
		v.Errorf("must be a URL without ? and #, got %q", s)
	case r.touch(v, u.Hostname()):
		if !isLoopback(u.Hostname()) {
			r.file.Limits.Rate = defaultRate
		}
		return strings.TrimSuffix(u.String(), "/")
	}
	return ""
}

// hidePassword is a URL for people, also one that can not be parsed.
func hidePassword(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		return "...@" + s[at+1:]
	}
	return s
}

// scopes are the tenants in the order of the file.
func (r *reader) scopes(v strict.Value) {
	if !v.Exists() {
		return
	}
	for _, f := range v.Fields() {
		if !named(f.Key, f.Name) {
			continue
		}
		if len(f.Name) == 1 && '0' <= f.Name[0] && f.Name[0] <= '9' {
			f.Key.Errorf("scope %q can not be a digit: plans write a@2 for the second scope", f.Name)
		}
		f.Value.Fields("headers")
		s := Scope{Name: f.Name}
		s.Headers = r.headers(f.Value.Need("headers"), false, func(at strict.Value, t template.Text) {
			legalNames(at, t, template.Ours, "")
		})
		r.file.Scopes = append(r.file.Scopes, s)
	}
}

// named tells whether a name can be written in plans and on the command line.
func named(at strict.Value, name string) bool {
	bad := strings.IndexFunc(name, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.')
	})
	if name == "" || bad >= 0 {
		at.Errorf("name %q: only letters, digits, _ - . are legal in a name", name)
		return false
	}
	return true
}
