package draft

import (
	"maps"
	"regexp"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// prices are fields that an operation about money needs, whatever its document requires.
var prices = regexp.MustCompile(`^(amount|amountmoney|currency)$`)

// wanted are the fields of a schema that are drafted although they may be left
// out: many documents require nothing that their service does require.
func (g *generator) wanted(s *openapi3.Schema, depth int) (names []string) {
	if g.e.Method != "POST" || g.e.undoes() && depth == 0 { // the whole is given back where no amount is said
		return g.named(s, depth)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if prices.MatchString(plain(name)) && depth < 3 {
			names = append(names, name)
		}
	}
	if price := s.Properties["value"]; price != nil && s.Properties["currency"] != nil {
		names = append(names, "value")
	}
	return append(names, g.named(s, depth)...)
}

// named are the fields at the top that carry the key, that name the operation
// for its caller, and that name what a refund and its like are about.
func (g *generator) named(s *openapi3.Schema, depth int) (names []string) {
	if depth > 0 {
		return nil
	}
	best, about := "", ""
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		switch {
		case p == nil || p.Value == nil || p.Value.ReadOnly || !p.Value.Type.Includes("string"):
		case isKeyField(name):
			names = append(names, name)
		case g.e.refers(name) && about == "" && g.maker(name) != nil:
			about = name
		case g.e.idRank(name) >= 0 && g.maker(name) == nil && (best == "" || idRank(name) < idRank(best)):
			best = name
		}
	}
	if about != "" && !slices.ContainsFunc(s.Required, g.e.refers) {
		names = append(names, about)
	}
	if best != "" && !slices.ContainsFunc(s.Required, func(n string) bool { return g.e.idRank(n) >= 0 }) {
		names = append(names, best)
	}
	return names
}

// metadata gives an operation that has no field for the caller's own id one in
// its metadata, where the service keeps what it is given.
func (g *generator) metadata(v *Value, schema *openapi3.SchemaRef) {
	p := property(schema, "metadata")
	if v.Kind != Object || p == nil || g.e.ID != "" || v.field("metadata") != nil && len(v.field("metadata").Items) > 0 {
		return
	}
	filled := &Value{Kind: Object}
	filled.add("order", &Value{Kind: Text, Text: "${id}", Note: "the id of the business operation, for observers to find it"})
	if g.invalid(filled, p) != nil {
		return
	}
	if old := v.field("metadata"); old != nil {
		*old = *filled
	} else {
		v.add("metadata", filled)
	}
	g.e.ID = "body /metadata/order"
}

// blanks lists the values that stand in for what the document does not say.
func (g *generator) blanks(at string, v *Value) {
	for i, item := range v.Items {
		path := at + "/*"
		if v.Kind == Object {
			path = at + pointer(v.Names[i])
		}
		if item.Note == "" && (item.Kind == Text && blank.MatchString(item.Text) || item.Kind == Object && len(item.Items) == 0) {
			item.Note = toFill
			g.e.blank = append(g.e.blank, path)
		}
		g.blanks(path, item)
	}
}

const toFill = "fill in"

// blank are texts that only a person can replace: our own stand-in, and what documents write in place of a value.
var blank = regexp.MustCompile(`^(textx*|(?i:your)_.*|<[^>]*>|(?i:x{3,}|string))$`)
