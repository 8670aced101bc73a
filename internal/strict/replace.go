package strict

import "slices"

// Replace is a copy of v in which f was applied to every text; names of fields
// stay. A text without quotes that becomes a number is a number.
func (v Value) Replace(f func(string) string) Value {
	if v.n == nil {
		return v
	}
	n := *v.n
	if n.kind == Text {
		if n.text = f(n.text); n.text != v.n.text && !n.quoted && jsonNumber.MatchString(n.text) {
			n.kind = Number
		}
	}
	n.items = slices.Clone(n.items)
	for i, item := range n.items {
		n.items[i] = item.Replace(f)
	}
	n.fields = slices.Clone(n.fields)
	for i, field := range n.fields {
		n.fields[i].Value = field.Value.Replace(f)
	}
	return Value{v.doc, &n}
}
