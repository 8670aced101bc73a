package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
)

// expand is a text with the environment filled in; what is left is ours.
// secret: the values must not reach an artefact.
func (r *reader) expand(v strict.Value, text string, secret bool) (string, bool) {
	s, err := template.Env(text, r.lookup, func(_, value string) {
		if secret && value != "" && !slices.Contains(r.file.Redact.Values, value) {
			r.file.Redact.Values = append(r.file.Redact.Values, value)
		}
	})
	if err != nil {
		wrong(v, text, err)
		return "", false
	}
	return s, true
}

// text is a text with templates.
func (r *reader) text(v strict.Value) (template.Text, bool) { return r.textOf(v, v.Text()) }

// textOf is text of a part of v.
func (r *reader) textOf(v strict.Value, part string) (template.Text, bool) {
	s, ok := r.expand(v, part, true)
	if !ok {
		return template.Text{}, false
	}
	t, err := template.Parse(s)
	if err != nil {
		wrong(v, s, err)
	}
	return t, err == nil
}

// plain is a text in which only the environment may be used.
func (r *reader) plain(v strict.Value, secret bool) string { return r.plainOf(v, v.Text(), secret) }

// plainOf is plain of a part of v.
func (r *reader) plainOf(v strict.Value, part string, secret bool) string {
	s, ok := r.expand(v, part, secret)
	if !ok {
		return ""
	}
	t, err := template.Parse(s)
	if err != nil {
		wrong(v, s, err)
		return ""
	}
	lit, ok := t.Literal()
	if !ok {
		name := t.Names()[0]
		v.ErrorIn("${"+name, "${%s} has no value here: only variables of the environment have, such as ${DATABASE_URL}", name)
		return ""
	}
	if !secret {
		r.shown = append(r.shown, lit)
	}
	if lit == "" && v.Exists() && v.Kind() == strict.Text {
		v.Errorf("is empty")
	}
	return lit
}

// wrong records a template's error where the template stands in the file.
func wrong(v strict.Value, text string, err error) {
	var e *template.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
		v.Errorf("%v", err)
		return
	}
	part := text[e.Offset:]
	if end := strings.IndexByte(part, '}'); end >= 0 {
		part = part[:end+1]
	}
	if line := strings.IndexByte(part, '\n'); line >= 0 {
		part = part[:line]
	}
	v.ErrorIn(part, "%s", e.Msg)
}

// legalNames refuses names that have no value where the text is rendered.
func legalNames(v strict.Value, t template.Text, legal []string, hint string) {
	for _, name := range t.Names() {
		if !slices.Contains(legal, name) {
			v.ErrorIn("${"+name, "unknown name ${%s}%s; legal here: ${%s}%s", name, strict.DidYouMean(name, legal), strings.Join(legal, "}, ${"), hint)
		}
	}
}

// show takes out of the secrets what is part of a text that is shown: an
// address that a worker is told, too, is none.
func (r *reader) show() {
	r.file.Redact.Values = slices.DeleteFunc(r.file.Redact.Values, func(secret string) bool {
		return slices.ContainsFunc(r.shown, func(text string) bool { return strings.Contains(text, secret) })
	})
}
