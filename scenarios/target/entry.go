package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

// through makes the draft one of another entry point for the same operation.
// It finds the operation's payload under ${body.FIELD}, with the value and the
// variant of the attempt: the entry point must carry both.
func (d *draft) through(entry Operation, a Attempt) error {
	own := *d
	if _, err := own.message(a.Value, a.Variant, inject.Fault{}); err != nil {
		return err
	}
	names := entry.names()
	for _, at := range []string{own.place, own.varied} {
		if name := bodyName(at); at != "" && !slices.Contains(names, name) {
			return fmt.Errorf("entry %s does not carry the changed field: write ${%s} into its body", a.Entry, name)
		}
	}
	d.op, d.varied = entry, own.varied
	d.once.Values, d.once.Numbers = own.fields(d.once)
	d.fresh.Values, d.fresh.Numbers = d.once.Values, d.once.Numbers
	return nil
}

// fields are the values of an earlier answer and, as body.FIELD, those of the body.
func (d *draft) fields(v template.Vars) (values map[string]string, raw map[string]bool) {
	values, raw = maps.Clone(v.Values), maps.Clone(v.Numbers)
	if values == nil {
		values = map[string]string{}
	}
	if raw == nil {
		raw = map[string]bool{}
	}
	list := leaves
	if d.form() {
		list = pairs
	}
	for _, l := range list(d.body) {
		if l.Kind != template.Listing {
			values[bodyName(l.Pointer)] = l.value
			raw[bodyName(l.Pointer)] = l.Kind != template.Letters
		}
	}
	return values, raw
}

// bodyName is the name in templates of a field of the body: body.lines.0.sku.
func bodyName(pointer string) string {
	return "body." + strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}

// BodyNames are the names, such as body.amount, under which other entry points
// find the fields of this operation's body.
func (o Operation) BodyNames() []string {
	s, err := o.sample()
	if err != nil {
		return nil
	}
	values, _ := s.fields(template.Vars{})
	return slices.Sorted(maps.Keys(values))
}
