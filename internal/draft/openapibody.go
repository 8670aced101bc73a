package draft

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// payload drafts the body of an entry.
func (d *document) payload(e *entry) {
	if e.op.RequestBody == nil || e.op.RequestBody.Value == nil {
		return
	}
	kind, media := pick(e.op.RequestBody.Value.Content)
	if media == nil {
		if len(e.op.RequestBody.Value.Content) > 0 {
			e.missing = "its body is " + strings.Join(slices.Sorted(maps.Keys(e.op.RequestBody.Value.Content)), " or ") + ", which is not drafted: write it as a text"
		}
		return
	}
	g := d.generator(e)
	v := g.example(media)
	if v == nil && media.Schema != nil {
		v = g.make(media.Schema, "", 0)
	}
	if v == nil || v.Kind == Literal {
		return
	}
	g.finish(v, media.Schema)
	if s := media.Schema; s != nil && s.Value != nil && len(s.Value.Required)+len(s.Value.AllOf)+len(s.Value.OneOf)+len(s.Value.AnyOf) == 0 {
		e.Notes = append(e.Notes, "The document requires no field of the body: add what the service needs.")
	}
	switch {
	case strings.Contains(kind, "urlencoded"):
		e.Headers = append(e.Headers, Header{"Content-Type", kind})
		e.Form = formOf("", v)
		if len(e.blank) > 0 {
			e.Notes = append(e.Notes, "fill in what stands as text: "+strings.Join(e.blank, " "))
		}
		if name, ok := strings.CutPrefix(e.Key, "body /"); ok {
			e.Form = strings.TrimPrefix(e.Form+"&"+name+"=${key}", "&")
		}
	case v.Kind == Text:
		e.Form = v.Text
	default:
		if kind != "application/json" {
			e.Headers = append(e.Headers, Header{"Content-Type", kind})
		}
		e.Body = v
	}
}

// pick is the kind of body that can be drafted: JSON before forms.
func pick(content openapi3.Content) (string, *openapi3.MediaType) {
	best, at := "", 99
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		rank := 99
		base, _, _ := strings.Cut(kind, ";")
		switch base = strings.TrimSpace(base); {
		case base == "application/json":
			rank = 0
		case strings.HasSuffix(base, "+json") || base == "*/*":
			rank = 1
		case base == "application/x-www-form-urlencoded":
			rank = 2
		}
		if rank < at {
			best, at = kind, rank
		}
	}
	if best == "" {
		return "", nil
	}
	if strings.HasPrefix(best, "*/*") {
		return "application/json", content[best]
	}
	return best, content[best]
}

// formOf is a value as a form, in the usual brackets.
func formOf(name string, v *Value) string {
	var pairs []string
	switch v.Kind {
	case Object:
		for i, n := range v.Names {
			at := n
			if name != "" {
				at = name + "[" + n + "]"
			}
			pairs = append(pairs, formOf(at, v.Items[i]))
		}
	case List:
		for _, item := range v.Items {
			pairs = append(pairs, formOf(name+"[]", item))
		}
	default:
		return name + "=" + inURL(v.Text)
	}
	return strings.Join(slices.DeleteFunc(pairs, func(p string) bool { return p == "" }), "&")
}

// example is the document's own example of a body, nil if there is none.
func (g *generator) example(m *openapi3.MediaType) *Value {
	var v *Value
	if m.Example != nil {
		v = g.value(m.Example)
	} else {
		for _, name := range slices.Sorted(maps.Keys(m.Examples)) {
			if x := m.Examples[name]; x != nil && x.Value != nil && x.Value.Value != nil {
				v = g.value(x.Value.Value)
				break
			}
		}
	}
	if v == nil && m.Schema != nil && m.Schema.Value != nil && m.Schema.Value.Example != nil {
		v = g.value(m.Schema.Value.Example)
	}
	if v == nil || v.Kind != Object || g.invalid(v, m.Schema) != nil {
		return nil
	}
	return v
}

// value is a part of the document as a Value; texts are literal.
func (g *generator) value(x any) *Value {
	b, err := json.Marshal(x)
	if err != nil || len(b) > maxBody {
		return nil
	}
	v, err := decode(newDecoder(string(b)), 0)
	if err != nil {
		return nil
	}
	g.literal(v)
	return v
}

func (g *generator) literal(v *Value) {
	if v.Kind == Text {
		v.Text = template(v.Text)
	}
	for _, item := range v.Items {
		g.literal(item)
	}
}

// finish finds the key, the id and what must exist first in a drafted body, and
// keeps only what the schema allows.
func (g *generator) finish(v *Value, schema *openapi3.SchemaRef) {
	key := g.e.keyField(v)
	g.e.KeyNote = ""
	check := func() error {
		c := v.clone()
		if key != "" {
			c.add(key, &Value{Kind: Text, Text: "${key}"}) // where the key will travel
		}
		return g.invalid(c, schema)
	}
	g.links(v, check)
	g.e.allowed(v, func() bool { return check() == nil }, func() { g.e.bodyID(v) })
	g.metadata(v, schema)
	g.blanks("", v)
	if err := check(); err != nil {
		g.e.Notes = append(g.e.Notes, "check the body, it may not be what the document asks for: "+short(err).Error())
	}
}

// allowed does a change to a body that was valid, and takes it back if the body is not any more.
func (o *Operation) allowed(v *Value, valid func() bool, change func()) {
	if !valid() {
		change()
		return
	}
	before, kept := v.clone(), *o
	if change(); !valid() {
		*v, *o = *before, kept
	}
}

func (v *Value) clone() *Value {
	c := *v
	c.Names = slices.Clone(v.Names)
	c.Items = nil
	for _, item := range v.Items {
		c.Items = append(c.Items, item.clone())
	}
	return &c
}

// links puts into fields such as customer_id what POST /customers answers.
func (g *generator) links(v *Value, check func() error) {
	for i, name := range v.Names {
		item := v.Items[i]
		maker := g.maker(name)
		if item.Kind != Text && item.Kind != Literal || maker == nil {
			continue
		}
		pointer := created(maker, name)
		if pointer == "" {
			continue
		}
		old := *item
		*item = Value{Kind: Text, Text: "${" + takeName(name) + "}", Note: "what " + maker.Name + " answers"}
		if check() != nil {
			*item = old
			continue
		}
		g.d.take(g.e, maker, name, pointer)
	}
}
