package draft

import "strings"

// thing is what an operation makes, from its path: payment for POST
// /v1/payments, and for POST /payment/create, as some vendors write it.
func (e *entry) thing() string { return thingOf(e.path) }

func thingOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	thing := ""
	for part := range strings.SplitSeq(path, "/") {
		if pathWord.MatchString(part) && !version.MatchString(part) && part != "create" {
			thing = singular(part)
		}
	}
	return thing
}

// maker is the POST that makes what a field names: customer and customer_id are
// what POST /customers makes. It is nil for what the operation itself makes, and
// where the maker needs the operation first.
func (g *generator) maker(field string) *entry {
	thing := plain(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(field, "Id"), "_id"), "ID"))
	for _, e := range g.d.ops {
		if e.Method == "POST" && !strings.Contains(e.path, "{") && plain(e.thing()) == thing {
			if e == g.e || g.d.leans(e, g.e.path, 0) {
				return nil
			}
			return e
		}
	}
	return nil
}

// leans tells whether an operation needs another first, at some remove.
func (d *document) leans(e *entry, on string, depth int) bool {
	for _, path := range e.needs {
		if path == on {
			return true
		}
		if next := d.find("POST", path); next != nil && depth < deepest && d.leans(next, on, depth+1) {
			return true
		}
	}
	return false
}
