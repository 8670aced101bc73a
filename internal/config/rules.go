package config

import (
	"regexp"
	"slices"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// byOperation finds parameters that a rule has no values for.
var byOperation = regexp.MustCompile(`(?:^|[^:]):(ids|keys)\b`)

// rules are the user's queries that must return no rows.
func (r *reader) rules(v strict.Value) {
	if !v.Exists() {
		return
	}
	for _, item := range v.List() {
		item.Fields("name", "sql", "empty")
		rule := Rule{Name: item.Need("name").Text(), URL: r.plain(item.Need("sql"), true), Query: r.plain(item.Need("empty"), true)}
		if slices.ContainsFunc(r.file.Rules, func(o Rule) bool { return o.Name == rule.Name }) {
			item.Field("name").Errorf("rule %q is there twice", rule.Name)
		}
		if m := byOperation.FindStringSubmatch(rule.Query); m != nil {
			item.Field("empty").ErrorIn(":"+m[1], ":%s has no value here: a rule judges all rows; legal is :run", m[1])
		} else {
			r.database(item, "empty", rule.URL, rule.Query, r.file.Exclusive)
		}
		r.file.Rules = append(r.file.Rules, rule)
	}
}

// limits are settle: and limits:.
func (r *reader) limits(v strict.Value) {
	l := &r.file.Limits
	if s := v.Field("settle"); s.Exists() {
		s.Fields("bound")
		l.Settle = s.Need("bound").Duration()
		positive(s.Field("bound"), l.Settle > 0)
	}
	limits := v.Field("limits")
	if !limits.Exists() {
		return
	}
	for _, f := range limits.Fields("attempt", "attempts", "rate", "run") {
		good := false
		switch f.Name {
		case "attempt":
			l.Attempt = f.Value.Duration()
			good = l.Attempt > 0
		case "attempts":
			l.Attempts = f.Value.Int()
			good = l.Attempts > 0
		case "rate":
			l.Rate = f.Value.Float()
			good = l.Rate > 0
		case "run":
			l.Run = f.Value.Duration()
			good = l.Run > 0
		}
		positive(f.Value, good)
	}
}

func positive(v strict.Value, good bool) {
	if !good {
		v.Errorf("must be above zero")
	}
}

// redact are the fields and headers whose values no artefact may hold.
func (r *reader) redact(v strict.Value) {
	if !v.Exists() {
		return
	}
	v.Fields("fields", "headers")
	r.file.Redact.Fields = names(v.Field("fields"))
	r.file.Redact.Headers = names(v.Field("headers"))
}
