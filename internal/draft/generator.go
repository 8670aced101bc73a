package draft

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// generator makes values that a schema allows.
type generator struct {
	d   *document
	e   *entry
	way []*openapi3.Schema // from the top to where it is: a schema within itself has no end

	tried int // values
}

func (d *document) generator(e *entry) *generator { return &generator{d: d, e: e} }

func newDecoder(text string) *json.Decoder {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	return dec
}

// deepest is how deep a body is drafted: what goes on below is a circle. Wide
// schemas grow with each level; after so many values the rest is left out.
const (
	deepest   = 8
	mostTried = 3000
)

// make is a value for a schema; nil if there is none, or no end of it.
func (g *generator) make(ref *openapi3.SchemaRef, name string, depth int) *Value {
	if ref == nil || ref.Value == nil || depth > deepest || slices.Contains(g.way, ref.Value) {
		return nil
	}
	if g.tried++; g.tried > mostTried {
		return nil
	}
	s := ref.Value
	g.way = append(g.way, s)
	defer func() { g.way = g.way[:len(g.way)-1] }()
	if v := g.given(ref, name); v != nil {
		return v
	}
	if len(s.AllOf) > 0 {
		return g.all(s, name, depth)
	}
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		for _, sub := range list {
			v := g.make(sub, name, depth+1)
			if v != nil && v.Kind == Object && len(s.Properties) > 0 {
				v = g.properties(v, s, depth)
			}
			if v != nil && g.invalid(v, ref) == nil {
				return v
			}
		}
	}
	switch {
	case s.Type.Includes("object") || s.Type == nil && len(s.Properties) > 0:
		v := &Value{Kind: Object}
		return g.properties(v, s, depth)
	case s.Type.Includes("array"):
		return g.list(s, name, depth)
	case s.Type.Includes("integer"), s.Type.Includes("number"):
		return g.number(s, name)
	case s.Type.Includes("boolean"):
		return &Value{Kind: Literal, Text: "false"}
	case s.Type.Is("null"):
		return &Value{Kind: Literal, Text: "null"}
	}
	return &Value{Kind: Text, Text: g.text(s, name)}
}

// given is a value that the document itself gives.
func (g *generator) given(ref *openapi3.SchemaRef, name string) *Value {
	s := ref.Value
	candidates := []any{s.Const, s.Example}
	if len(s.Examples) > 0 {
		candidates = append(candidates, s.Examples[0])
	}
	candidates = append(candidates, s.Default)
	if len(s.Enum) > 0 {
		candidates = append(candidates, s.Enum[0])
	}
	for _, x := range candidates {
		if x == nil {
			continue
		}
		if v := g.value(x); v != nil && g.invalid(v, ref) == nil {
			if v.Kind == Literal && amount.MatchString(name) && whole.MatchString(v.Text) && g.drawn(s) {
				v = g.price()
			}
			return v
		}
	}
	return nil
}

// all joins the objects of allOf; of other kinds the first is taken.
func (g *generator) all(s *openapi3.Schema, name string, depth int) *Value {
	var joined *Value
	for _, sub := range s.AllOf {
		v := g.make(sub, name, depth+1)
		switch {
		case v == nil:
		case joined == nil:
			joined = v
		case v.Kind == Object && joined.Kind == Object:
			for i, n := range v.Names {
				if joined.field(n) == nil {
					joined.add(n, v.Items[i])
				}
			}
		}
	}
	if joined == nil {
		joined = &Value{Kind: Object}
	}
	if joined.Kind == Object {
		if g.properties(joined, s, depth) == nil {
			return nil
		}
		for _, name := range s.Required {
			for _, sub := range s.AllOf {
				if p := property(sub, name); p != nil && joined.field(name) == nil {
					if v := g.make(p, name, depth+1); v != nil {
						joined.add(name, v)
					}
				}
			}
		}
	}
	return joined
}

func property(ref *openapi3.SchemaRef, name string) *openapi3.SchemaRef {
	if ref == nil || ref.Value == nil {
		return nil
	}
	return ref.Value.Properties[name]
}

// properties adds what is required, what prices the operation, and at the top
// what names it and what carries its key.
func (g *generator) properties(v *Value, s *openapi3.Schema, depth int) *Value {
	for _, name := range slices.Concat(s.Required, g.wanted(s, depth)) {
		p := s.Properties[name]
		if p == nil || v.field(name) != nil || p.Value != nil && p.Value.ReadOnly {
			continue // or required, and described elsewhere
		}
		item := g.make(p, name, depth+1)
		if item == nil && p.Value != nil && (p.Value.Nullable || p.Value.Type.IncludesNull()) {
			item = &Value{Kind: Literal, Text: "null"}
		}
		if item != nil {
			v.add(name, item)
		} else if depth > 0 && slices.Contains(s.Required, name) {
			return nil // it has no end
		}
	}
	return v
}

func (g *generator) list(s *openapi3.Schema, name string, depth int) *Value {
	v := &Value{Kind: List}
	for range min(max(s.MinItems, 1), 20) {
		if item := g.make(s.Items, singular(name), depth+1); item != nil && (s.MaxItems == nil || *s.MaxItems > 0) {
			v.Items = append(v.Items, item)
		}
	}
	return v
}

var (
	amount = regexp.MustCompile(`(?i)amount|total|price|cents|value|quantity`)
	whole  = regexp.MustCompile(`^[0-9]+$`)
)

// draw is what an amount is: another one for each operation.
const draw = "${int 100 999}"

// price is an amount; one that is given back is the least that can have been taken.
func (g *generator) price() *Value {
	if g.e.undoes() {
		return &Value{Kind: Literal, Text: "100"}
	}
	return &Value{Kind: Text, Text: draw}
}

// drawn tells whether the schema takes every whole number from 100 to 999.
func (g *generator) drawn(s *openapi3.Schema) bool {
	low, high := bounds(s)
	return s.MultipleOf == nil && low <= 100 && high >= 999 && len(s.Enum) == 0 && s.Const == nil && (s.Type.Includes("integer") || s.Type.Includes("number"))
}

func bounds(s *openapi3.Schema) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if s.Min != nil {
		if low = *s.Min; s.ExclusiveMin.IsTrue() {
			low++
		}
	}
	if v := s.ExclusiveMin.Value; v != nil {
		low = max(low, *v+1)
	}
	if s.Max != nil {
		if high = *s.Max; s.ExclusiveMax.IsTrue() {
			high--
		}
	}
	if v := s.ExclusiveMax.Value; v != nil {
		high = min(high, *v-1)
	}
	return low, high
}

func (g *generator) number(s *openapi3.Schema, name string) *Value {
	if amount.MatchString(name) && g.drawn(s) {
		return g.price()
	}
	low, high := bounds(s)
	n := min(max(1, math.Ceil(low)), high)
	if m := s.MultipleOf; m != nil && *m > 0 {
		n = math.Ceil(max(n, *m)/(*m)) * *m
	}
	return &Value{Kind: Literal, Text: strconv.FormatFloat(n, 'f', -1, 64)}
}

// invalid is why a schema does not allow a value; templates stand for samples.
func (g *generator) invalid(v *Value, ref *openapi3.SchemaRef) (err error) {
	if ref == nil || ref.Value == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it can not be checked (%v)", p)
		}
	}()
	options := append(g.d.doc.GetSchemaValidationOptions(), openapi3.VisitAsRequest(), openapi3.DisableSchemaErrorDetails())
	if g.d.doc.IsOpenAPI31OrLater() {
		options = append(g.d.doc.GetSchemaValidationOptions(), openapi3.VisitAsRequest())
	}
	return ref.Value.VisitJSON(v.plain(), options...)
}

var samples = strings.NewReplacer("${id}", "r7k2m9-123", "${key}", "0b7f0a3e-3c57-4d5e-9d0c-5a1f8d1f7b11", "$${", "${")

// plain is the value as encoding/json would read it, with samples for templates.
func (v *Value) plain() any {
	switch v.Kind {
	case Object:
		m := map[string]any{}
		for i, n := range v.Names {
			m[n] = v.Items[i].plain()
		}
		return m
	case List:
		list := []any{}
		for _, item := range v.Items {
			list = append(list, item.plain())
		}
		return list
	case Text:
		if v.Text == draw {
			return 123.0
		}
		return samples.Replace(v.Text)
	}
	var x any
	_ = json.Unmarshal([]byte(v.Text), &x) // it is a literal
	return x
}
