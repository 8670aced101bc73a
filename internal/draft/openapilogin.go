package draft

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// security adds what the easiest way to log in needs.
func (d *document) security(e *entry) {
	all := d.doc.Security
	if e.op.Security != nil {
		all = *e.op.Security
	}
	if len(all) == 0 || d.doc.Components == nil {
		return
	}
	best := slices.MinFunc(all, func(a, b openapi3.SecurityRequirement) int { return d.effort(a) - d.effort(b) })
	for _, name := range slices.Sorted(maps.Keys(best)) {
		if ref := d.doc.Components.SecuritySchemes[name]; ref != nil && ref.Value != nil {
			d.scheme(e, ref.Value)
		}
	}
}

// effort is how hard a way to log in is to set up; to send nothing comes last,
// since what is allowed without a login is rarely all that a test needs.
func (d *document) effort(way openapi3.SecurityRequirement) (n int) {
	if len(way) == 0 {
		return 99
	}
	for name := range way {
		ref := d.doc.Components.SecuritySchemes[name]
		switch {
		case ref == nil || ref.Value == nil:
			n += 20
		case ref.Value.Type == "http" && strings.EqualFold(ref.Value.Scheme, "bearer"):
			n++
		case ref.Value.Type == "apiKey":
			n += 2
		case ref.Value.Type == "http":
			n += 5
		default:
			n += 6
		}
	}
	return n
}

func (d *document) scheme(e *entry, s *openapi3.SecurityScheme) {
	add := func(name, format, env, use string) {
		if !headerForm.MatchString(name) || slices.ContainsFunc(e.Headers, func(h Header) bool { return strings.EqualFold(h.Name, name) }) {
			return
		}
		e.Headers = append(e.Headers, Header{name, fmt.Sprintf(format, "${"+d.file.secret(env, "", use)+"}")})
	}
	switch {
	case s.Type == "http" && strings.EqualFold(s.Scheme, "basic"):
		add("Authorization", "Basic %s", "BASIC_AUTH", "printf %s NAME:PASSWORD | base64")
	case s.Type == "http", s.Type == "oauth2", s.Type == "openIdConnect":
		add("Authorization", "Bearer %s", "API_TOKEN", "header Authorization")
	case s.Type == "apiKey" && s.In == "header":
		add(s.Name, "%s", envName(s.Name), "header "+s.Name)
	case s.Type == "apiKey" && s.In == "cookie":
		add("Cookie", s.Name+"=%s", envName(s.Name), "cookie "+s.Name)
	case s.Type == "apiKey" && s.In == "query":
		e.Path += "?" + s.Name + "=${" + d.file.secret(envName(s.Name), "", "query parameter "+s.Name) + "}"
	}
}

var headerForm = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
