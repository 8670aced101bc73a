package config

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// sign is how the bytes of a request are signed.
func (r *reader) sign(v strict.Value, o Operation) (s target.Sign) {
	if !v.Exists() {
		return s
	}
	v.Fields("scheme", "header", "prefix", "secret")
	s.Scheme = r.plain(v.Need("scheme"), false)
	s.Secret = r.plain(v.Need("secret"), true)
	if p := v.Field("prefix"); p.Exists() {
		s.Prefix = r.plain(p, false)
	}
	if h := v.Field("header"); h.Exists() {
		switch s.Header = r.plain(h, false); {
		case s.Header != "" && !headerName.MatchString(s.Header):
			h.Errorf("%q can not be the name of a header", s.Header)
			return target.Sign{}
		case slices.ContainsFunc(o.Headers, func(x target.Header) bool { return strings.EqualFold(x.Name, s.Header) }):
			h.Errorf("header %s is signed and under headers too: give it once", s.Header)
		}
	}
	if s.Scheme == "" || s.Secret == "" {
		return target.Sign{} // what is missing was said
	}
	if err := s.Check(); err != nil {
		v.Errorf("%v", err)
		return target.Sign{}
	}
	return s
}
