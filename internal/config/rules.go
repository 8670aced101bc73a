package config

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/internal/expression"
	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// byOperation finds parameters that a rule on totals has no values for.
var byOperation = regexp.MustCompile(`(?:^|[^:]):(ids|keys)\b`)

// ruleFields are the fields of a rule, by kind; the field of that name says the kind.
var ruleFields = map[string][]string{
	history.RuleEmpty:     {"sql"},
	history.RuleConserved: {"sql"},
	history.RuleBounded:   {"sql", "metrics", "of", "within"},
	history.RuleSame:      {"sql", "of"},
	history.RuleExpr:      {},
	history.RuleEach:      {"of"},
	history.RuleAgree:     {},
	history.RuleCounted:   {"metrics", "headers", "of"},
}

var ruleKinds = []string{history.RuleEmpty, history.RuleExpr, history.RuleEach, history.RuleConserved,
	history.RuleBounded, history.RuleSame, history.RuleAgree, history.RuleCounted}

// rules are those of the user.
func (r *reader) rules(v strict.Value) {
	if !v.Exists() {
		return
	}
	for _, item := range v.List() {
		if rule, ok := r.rule(item); ok {
			r.file.Rules = append(r.file.Rules, rule)
		}
	}
}

func (r *reader) rule(v strict.Value) (rule Rule, ok bool) {
	if v.Kind() != strict.Map {
		v.Fields()
		return rule, false
	}
	var kinds []string
	for _, k := range ruleKinds {
		if v.Field(k).Exists() {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) != 1 {
		v.Fields(slices.Concat([]string{"name", "sql", "of", "within"}, ruleKinds)...)
		v.Errorf("a rule must have one of %s; it has %s", strings.Join(ruleKinds, ", "), orNone(kinds))
		return rule, false
	}
	rule.Kind = kinds[0]
	v.Fields(slices.Concat([]string{"name", rule.Kind}, ruleFields[rule.Kind])...)
	rule.Name = v.Need("name").Text()
	if slices.ContainsFunc(r.file.Rules, func(o Rule) bool { return o.Name == rule.Name }) {
		v.Field("name").Errorf("rule %q is there twice", rule.Name)
	}
	if of := v.Field("of"); of.Exists() {
		rule.Of = r.of(v.Field("name"), v)
	}
	r.readBy(v, &rule)
	return rule, true
}

// readBy reads what is particular to a kind.
func (r *reader) readBy(v strict.Value, rule *Rule) {
	body := v.Field(rule.Kind)
	switch rule.Kind {
	case history.RuleEmpty:
		rule.URL, rule.Query = r.query(v, rule.Kind, false)
	case history.RuleConserved:
		r.alone(body)
		rule.URL, rule.Query = r.query(v, rule.Kind, false)
	case history.RuleBounded:
		r.alone(body)
		rule.URL, rule.Query = r.query(v, rule.Kind, false)
		if w := v.Field("within"); w.Exists() {
			rule.WithinTime = w.Duration()
			positive(w, rule.WithinTime > 0)
			rule.Within = true
		}
		if len(rule.Of) == 0 && r.tested() > 1 {
			body.Errorf("several operations are under test: say whose keys these are, for instance  of: [%s]", r.file.operationNames()[0])
		}
	case history.RuleSame:
		rule.URL, rule.Query = r.query(v, rule.Kind, true)
	case history.RuleAgree:
		r.agree(body, rule)
	case history.RuleCounted:
		r.counted(v, rule)
	default:
		rule.Text = body.Text()
		r.expression(body, rule)
	}
}

func (r *reader) tested() (n int) {
	for _, o := range r.file.Operations {
		if o.Test {
			n++
		}
	}
	return n
}

// alone refuses a total that others may change.
func (r *reader) alone(v strict.Value) {
	if !r.file.Exclusive {
		v.Errorf("a total is spoilt by whoever else uses the system: if nobody does, say  exclusive: true  at the top of the file")
	}
}

// query is a rule's database and query. each: it shows rows by operation.
func (r *reader) query(v strict.Value, field string, each bool) (url, query string) {
	url, query = r.plain(v.Need("sql"), true), r.plain(v.Need(field), true)
	m := byOperation.FindStringSubmatch(query)
	switch {
	case m != nil && !each:
		v.Field(field).ErrorIn(":"+m[1], ":%s has no value here: a rule judges all rows; legal is :run", m[1])
	case m == nil && each && query != "":
		v.Field(field).Errorf("the query shows rows of operations: it needs :ids, as in  where order_id in (:ids)")
	default:
		r.database(v, field, url, query, r.file.Exclusive)
	}
	return url, query
}

// agree compares a total of the system with the effects of a provider.
func (r *reader) agree(v strict.Value, rule *Rule) {
	r.alone(v)
	v.Fields("own", "outside")
	own, outside := v.Need("own"), v.Need("outside")
	own.Fields("sql", "query")
	rule.URL, rule.Query = r.query(own, "query", false)
	outside.Fields("provider", "sum")
	rule.Outside, rule.Sum = outside.Need("provider").Text(), pointer(outside.Field("sum"))
	i := slices.IndexFunc(r.file.Effects, func(e Effect) bool { return e.Name == rule.Outside && e.Provider != nil })
	if i < 0 {
		outside.Field("provider").Errorf("no provider %q is under effects:", rule.Outside)
		return
	}
	if rule.Sum != "" && !slices.Contains(r.file.Effects[i].Provider.Sums, rule.Sum) {
		r.file.Effects[i].Provider.Sums = append(r.file.Effects[i].Provider.Sums, rule.Sum)
	}
}

// counted is a metric that the service publishes.
func (r *reader) counted(v strict.Value, rule *Rule) {
	body := v.Field("counted")
	r.alone(body)
	pages := []strict.Value{v.Need("metrics")}
	if pages[0].Kind() == strict.List {
		pages = pages[0].List()
	}
	if len(pages) == 0 {
		v.Field("metrics").Errorf("must name at least one URL, such as http://127.0.0.1:8080/metrics")
	}
	for _, p := range pages {
		rule.Pages = append(rule.Pages, r.page(p))
	}
	rule.Query = body.Text()
	if _, err := observe.ParseSeries(rule.Query); err != nil && rule.Query != "" {
		body.Errorf("%v", err)
	}
	rule.Headers = r.headers(v.Field("headers"), false, func(at strict.Value, t template.Text) {
		legalNames(at, t, []string{"run"}, "")
	})
}

// page is the URL of metrics.
func (r *reader) page(v strict.Value) string {
	page := r.plain(v, false)
	if u, err := url.Parse(page); page != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		v.Errorf("must be a URL such as http://127.0.0.1:8080/metrics, got %q", hidePassword(page))
	} else if page != "" {
		r.touch(v, u.Hostname())
	}
	return page
}

// expression compiles the text, to say at once where it is wrong.
func (r *reader) expression(v strict.Value, rule *Rule) {
	if rule.Text == "" {
		return
	}
	var observers []history.Observer
	for _, e := range r.file.Effects {
		observers = append(observers, e.Observer)
	}
	var e *expression.Error
	if err := expression.Check(rule.Kind, rule.Text, observers); errors.As(err, &e) {
		v.ErrorIn(from(rule.Text, e.Line, e.Column), "expression: %s", e.Message)
	}
}

// from is the rest of a line of the text, from a column on.
func from(text string, line, column int) string {
	lines := strings.Split(text, "\n")
	if line > len(lines) {
		return ""
	}
	rs := []rune(lines[line-1])
	return string(rs[min(max(0, column-1), len(rs)):])
}
