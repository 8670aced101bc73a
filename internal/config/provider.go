package config

import (
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
)

// provider is a stand-in that the service calls instead of the real one.
func (r *reader) provider(name string, v strict.Value) *Provider {
	v.Fields("listen", "effect", "id", "version", "one_at_a_time", "contract", "answer")
	if v.Kind() != strict.Map {
		return nil
	}
	p := &Provider{}
	p.Listen = r.plain(v.Need("listen"), false)
	listen(v.Field("listen"), p.Listen)
	p.Effect = r.plain(v.Need("effect"), true)
	p.ID = r.plain(v.Need("id"), true)
	p.Version = r.plain(v.Field("version"), true)
	if c := v.Field("contract"); c.Exists() {
		p.Contract = r.contract(c)
	}
	if a := v.Field("answer"); a.Exists() {
		r.answer(a, p)
	}
	if p.Effect == "" || p.ID == "" {
		return p
	}
	if err := p.standIn(name).Check(); err != nil {
		msg, at := strings.TrimPrefix(err.Error(), "provider "+name+": "), v
		for _, field := range []string{"effect", "id", "version"} {
			if strings.HasPrefix(msg, field) {
				at = v.Field(field)
			}
		}
		at.Errorf("%s", msg)
	}
	return p
}

// answer is what the stand-in says to a call that is an effect.
func (r *reader) answer(v strict.Value, p *Provider) {
	v.Fields("status", "body")
	p.Status = 201
	if s := v.Field("status"); s.Exists() {
		if p.Status = s.Int(); p.Status < 200 || p.Status > 599 {
			s.Errorf("must be an HTTP status from 200 to 599")
		}
	}
	p.Answer = r.body(v.Field("body"), func(at strict.Value, t template.Text) {
		legalNames(at, t, []string{"id", "n"}, "")
	})
}

// standIn is the provider as the library knows it.
func (p *Provider) standIn(name string) *inject.Provider {
	s := &inject.Provider{Name: name, Effect: p.Effect, ID: p.ID, Version: p.Version, Sums: p.Sums, Contract: p.Contract}
	if p.Status != 0 {
		s.Answer = func(c inject.ProviderCall) (int, []byte) {
			// The names were checked when the file was read, so this can not fail.
			body, _ := render(p.Answer, template.Vars{ID: c.ID, N: c.Number})
			return p.Status, body
		}
	}
	return s
}
