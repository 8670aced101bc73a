package config

import (
	"regexp"
	"strings"

	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/strict"
)

var (
	proxyRuleFields = []string{"match", "fault", "share", "first", "every", "id"}
	matchFields     = []string{"method", "path", "header", "key", "type"}
)

// proxyRules are those of the staging proxy.
func (r *reader) proxyRules(v strict.Value) (all []settings.Rule) {
	for _, item := range v.List() {
		item.Fields(proxyRuleFields...)
		rule := r.match(item.Field("match"))
		if f := item.Field("fault"); f.Exists() {
			rule.Fault = proxyFault(f)
		}
		rule.Share = ruleShare(item)
		if f := item.Field("id"); f.Exists() {
			rule.ID = idPlace(f)
		}
		all = append(all, rule)
	}
	return all
}

// ruleShare is one of share, first, every, or nothing.
func ruleShare(v strict.Value) (s settings.Share) {
	said := 0
	for _, name := range []string{"share", "first", "every"} {
		f := v.Field(name)
		if !f.Exists() {
			continue
		}
		said++
		switch name {
		case "share":
			s = percent(f)
		case "first":
			s.First = f.Int()
			positive(f, s.First > 0)
		default:
			s.Every = f.Int()
			positive(f, s.Every > 0)
		}
	}
	if said > 1 {
		v.Errorf("a rule has one of share, first, every")
		return settings.Share{}
	}
	return s
}

// match is "POST /charges", or a mapping of what must be so.
func (r *reader) match(v strict.Value) (rule settings.Rule) {
	switch v.Kind() {
	case strict.None:
		return rule
	case strict.Map:
	default:
		rule, err := settings.ParseMatch(v.Text())
		if err != nil {
			v.Errorf("%v", err)
		}
		return rule
	}
	for _, f := range v.Fields(matchFields...) {
		switch f.Name {
		case "method":
			rule.Methods = methods(f.Value)
		case "path":
			rule.Path = f.Value.Text()
			if err := settings.CheckPattern(rule.Path); err != nil {
				f.Value.Errorf("%v", err)
			}
		case "header":
			rule.Header = r.wantedHeaders(f.Value)
		case "key":
			rule.Key = ruleKey(f.Value)
		case "type":
			rule.Type = f.Value.Text()
		}
	}
	return rule
}

func methods(v strict.Value) []string {
	list := names(v)
	for _, m := range list {
		if m == "" || m != strings.ToUpper(m) || m == "CONNECT" {
			v.Errorf("must be methods such as POST, in capitals and no CONNECT; got %q", m)
		}
	}
	return list
}

func (r *reader) wantedHeaders(v strict.Value) map[string]string {
	m := map[string]string{}
	for _, f := range v.Fields() {
		if !headerName.MatchString(f.Name) {
			f.Key.Errorf("%q can not be the name of a header", f.Name)
		}
		m[f.Name] = r.plain(f.Value, true)
	}
	return m
}

var placeForm = regexp.MustCompile(`^(body /.*|header [!#$%&'*+.^_|~0-9A-Za-z-]+|query [^ &=#?]+|path [1-9][0-9]*)$`)

// idPlace is where a request holds the id of its operation.
func idPlace(v strict.Value) string {
	s := v.Text()
	if !placeForm.MatchString(s) {
		v.Errorf("must be where the id stands: body /pointer, header NAME, query NAME, or path 2 (the second part of the path); got %q", s)
	}
	return s
}
