package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// made is the answer of an operation that works: of the first status that means
// so, as its schema wants it, with an id of its own.
func (s *stub) made(op *openapi3.Operation) answer {
	for _, status := range op.Responses.Keys() {
		code := 0
		if _, err := fmt.Sscan(status, &code); err != nil || code < 200 || code > 299 {
			continue
		}
		r := op.Responses.Value(status).Value
		media := r.Content["application/json"]
		if media == nil || media.Schema == nil {
			return answer{status: code}
		}
		s.n++
		v := s.example(media.Schema, "", nil)
		if err := media.Schema.Value.VisitJSON(v, append(s.doc.GetSchemaValidationOptions(), openapi3.VisitAsResponse())...); err != nil {
			return refuse(500, "the stub's own answer is not what the document promises: %v", err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			return refuse(500, "%v", err)
		}
		return answer{status: code, body: b}
	}
	return refuse(500, "the document promises no answer")
}

// example is a small value of a schema; nil if it has no end.
func (s *stub) example(ref *openapi3.SchemaRef, name string, way []*openapi3.Schema) any {
	if ref == nil || ref.Value == nil || len(way) > 8 || slices.Contains(way, ref.Value) {
		return nil
	}
	sc := ref.Value
	way = append(slices.Clone(way), sc)
	switch {
	case sc.Const != nil:
		return sc.Const
	case len(sc.Enum) > 0:
		return sc.Enum[0]
	case len(sc.AllOf) > 0:
		return s.joined(sc, name, way)
	case len(sc.OneOf)+len(sc.AnyOf) > 0:
		for _, sub := range slices.Concat(sc.OneOf, sc.AnyOf) {
			if v := s.example(sub, name, way); v != nil {
				return v
			}
		}
		return nil
	case sc.Type.Includes("object"), sc.Type == nil && len(sc.Properties) > 0:
		return s.object(sc, way)
	case sc.Type.Includes("array"):
		return []any{}
	case sc.Type.Includes("integer"), sc.Type.Includes("number"):
		if sc.Min != nil {
			return *sc.Min
		}
		return 1.0
	case sc.Type.Includes("boolean"):
		return false
	}
	return s.text(sc, name)
}

// joined is an object of all the parts of allOf.
func (s *stub) joined(sc *openapi3.Schema, name string, way []*openapi3.Schema) any {
	all := map[string]any{}
	for _, sub := range sc.AllOf {
		v := s.example(sub, name, way)
		if part, ok := v.(map[string]any); ok {
			maps.Copy(all, part)
		} else if v != nil {
			return v
		}
	}
	maps.Copy(all, s.object(sc, way))
	return all
}

// object has what is required, what names it, and at the top all that is no error.
func (s *stub) object(sc *openapi3.Schema, way []*openapi3.Schema) map[string]any {
	v := map[string]any{}
	for name, p := range sc.Properties {
		top := len(way) < 2 && !strings.Contains(name, "error") && !strings.Contains(name, "warning")
		if top || name == "id" || slices.Contains(sc.Required, name) {
			if x := s.example(p, name, way); x != nil {
				v[name] = x
			} else if p.Value != nil && p.Value.Nullable {
				v[name] = nil
			}
		}
	}
	return v
}

func (s *stub) text(sc *openapi3.Schema, name string) any {
	samples := map[string]string{"date": "2030-01-02", "date-time": "2030-01-02T03:04:05Z", "uuid": "5b0c8c1e-58f5-4d55-9c3e-0c8a4b6f7d21", "uri": "https://shop.example/"}
	if text := samples[sc.Format]; text != "" {
		return text
	}
	text := "text"
	if strings.HasSuffix(strings.ToLower(name), "id") || strings.HasSuffix(name, "token") {
		text = fmt.Sprintf("%s_%d", name, s.n)
	} else if sc.Example != nil {
		return sc.Example
	}
	for len(text) < int(sc.MinLength) {
		text += "_"
	}
	if sc.MaxLength != nil && len(text) > int(*sc.MaxLength) {
		text = text[:*sc.MaxLength]
	}
	return text
}
