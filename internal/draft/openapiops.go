package draft

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// draft fills one entry.
func (d *document) draft(e *entry) {
	e.Path, _, _ = strings.Cut(e.path, "#") // some tell operations of one path apart by it; it is not sent
	e.Path = strings.ReplaceAll(e.Path, " ", "%20")
	d.security(e)
	d.parameters(e)
	d.payload(e)
	if text := strings.TrimSpace(firstLine(e.op.Summary)); text != "" {
		e.Notes = append([]string{text}, e.Notes...)
	}
}

func firstLine(s string) string { line, _, _ := strings.Cut(s, "\n"); return line }

// parameters puts those of the path, the query and the headers in their places.
func (d *document) parameters(e *entry) {
	all := slices.Concat(e.item.Parameters, e.op.Parameters)
	done := map[string]bool{}
	var query []string
	for _, ref := range slices.Backward(all) { // those of the operation come before those of the path
		p := ref.Value
		if p == nil || done[p.In+" "+p.Name] {
			continue
		}
		done[p.In+" "+p.Name] = true
		switch p.In {
		case "path":
			e.Path = strings.ReplaceAll(e.Path, "{"+p.Name+"}", d.inPath(e, p))
		case "query":
			if p.Required {
				query = append([]string{p.Name + "=" + d.sample(e, p)}, query...)
			}
		case "header":
			d.header(e, p)
		}
	}
	if left := regexp.MustCompile(`[^$]\{[^}]*\}`).FindString(e.Path); left != "" && e.missing == "" {
		e.missing = "the path's " + left[1:] + " is not described"
	}
	if len(query) > 0 {
		join := "?"
		if strings.Contains(e.Path, "?") {
			join = "&"
		}
		e.Path += join + strings.Join(query, "&")
	}
}

// inPath is a path parameter: taken from the operation that makes the thing,
// else the caller's own id for PUT.
func (d *document) inPath(e *entry, p *openapi3.Parameter) string {
	before, _, _ := strings.Cut(e.path, "/{"+p.Name+"}")
	if maker := d.find("POST", before); maker != nil && maker != e {
		if pointer := created(maker, p.Name); pointer != "" {
			return d.take(e, maker, p.Name, pointer)
		}
	}
	if e.Method == "PUT" && strings.HasSuffix(e.path, "{"+p.Name+"}") && e.ID == "" {
		e.ID = "path " + p.Name
		e.Notes = append(e.Notes, "guessed: the caller chooses "+p.Name)
		return "${id}"
	}
	if s := d.sample(e, p); s != "" && (p.Example != nil || p.Schema != nil && p.Schema.Value != nil && (p.Schema.Value.Example != nil || p.Schema.Value.Enum != nil)) {
		e.Notes = append(e.Notes, p.Name+" in the path is the document's example")
		return s
	}
	e.missing = "put a value for {" + p.Name + "} into the path"
	return "{" + p.Name + "}"
}

// take makes e run after maker, and is the template of the value.
func (d *document) take(e, maker *entry, name, pointer string) string {
	name = takeName(name)
	if !slices.Contains(e.needs, maker.path) {
		e.needs = append(e.needs, maker.path)
		e.Before = append(e.Before, maker.Name)
	}
	if !slices.ContainsFunc(maker.Take, func(t Take) bool { return t.Name == name }) {
		maker.Take = append(maker.Take, Take{name, pointer})
	}
	return "${" + name + "}"
}

// meaning are the names of templates that have one.
var meaning = []string{"id", "key", "scope", "n", "int", "now", "run", "version"}

// takeName is a name that a template may have and that has no other meaning.
func takeName(name string) string {
	name = illegal.ReplaceAllString(name, "_")
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "a" + name
	}
	if slices.Contains(meaning, name) {
		name = "taken_" + name
	}
	return name
}

func (d *document) find(method, path string) *entry {
	for _, e := range d.ops {
		if e.Method == method && strings.TrimSuffix(e.path, "/") == strings.TrimSuffix(path, "/") {
			return e
		}
	}
	return nil
}

// created is where the answer of a POST has the id of what it made, "" if
// nowhere that is known.
func created(maker *entry, name string) string {
	op := maker.op
	if op.Responses == nil {
		return ""
	}
	for _, status := range op.Responses.Keys() {
		r := op.Responses.Value(status)
		if !strings.HasPrefix(status, "2") || r == nil || r.Value == nil {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(r.Value.Content)) {
			media := r.Value.Content[kind]
			if media == nil || media.Schema == nil {
				continue
			}
			for _, field := range []string{name, "id", "data/id", maker.thing() + "/id", "uuid", "token"} {
				if has(media.Schema, strings.Split(field, "/"), 0) {
					return "/" + field
				}
			}
		}
	}
	return ""
}

// has tells whether a schema has a field, at most a few levels of allOf deep.
func has(ref *openapi3.SchemaRef, path []string, depth int) bool {
	if ref == nil || ref.Value == nil || depth > 5 {
		return false
	}
	if p := ref.Value.Properties[path[0]]; p != nil {
		return len(path) == 1 && p.Value != nil && !p.Value.Type.Includes("object") || len(path) > 1 && has(p, path[1:], depth+1)
	}
	for _, sub := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		if has(sub, path, depth+1) {
			return true
		}
	}
	return false
}

// header is a header parameter: the key, a secret, or what else is required.
func (d *document) header(e *entry, p *openapi3.Parameter) {
	have := func(h Header) bool { return strings.EqualFold(h.Name, p.Name) }
	switch {
	case isKeyHeader(p.Name):
		e.Key = "header " + p.Name
	case !p.Required || slices.ContainsFunc(e.Headers, have) || slices.ContainsFunc([]string{"Accept", "Content-Type", "Authorization"}, func(s string) bool { return strings.EqualFold(s, p.Name) }):
	case secretHeader.MatchString(p.Name):
		e.Headers = append(e.Headers, Header{p.Name, "${" + d.file.secret(envName(p.Name), "", "header "+p.Name) + "}"})
	default:
		e.Headers = append(e.Headers, Header{p.Name, d.sample(e, p)})
	}
}

// sample is a value for a parameter as text.
func (d *document) sample(e *entry, p *openapi3.Parameter) string {
	g := d.generator(e)
	if p.Example != nil {
		if v := g.value(p.Example); v != nil && v.Kind != Object && v.Kind != List {
			return inURL(v.Text)
		}
	}
	if p.Schema == nil {
		return "x"
	}
	v := g.make(p.Schema, p.Name, 0)
	if v == nil || v.Kind == Object || v.Kind == List {
		return "x"
	}
	return inURL(v.Text)
}

var expression = regexp.MustCompile(`\$\{[^}]*\}`)

// inURL leaves templates alone and encodes what a path or a form can not hold.
func inURL(s string) string {
	var b strings.Builder
	for at := expression.FindStringIndex(s); at != nil; at = expression.FindStringIndex(s) {
		b.WriteString(encode.Replace(s[:at[0]]) + s[at[0]:at[1]])
		s = s[at[1]:]
	}
	return b.String() + encode.Replace(s)
}

var encode = strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", "?", "%3F", "&", "%26", "/", "%2F", "+", "%2B", "=", "%3D")
