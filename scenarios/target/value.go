package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

// form is one payload at the edge of what a service takes.
type form struct {
	name string // of Attempt.Value
	kind byte   // of the field that can hold it
	text string // without quotes
}

// longText is about 100 kB: more than a column of 64 kB holds, less than what
// servers refuse at sight.
const longText = 100_000

// forms are the values of Attempt.Value. The largest number is the largest that
// every JSON decoder keeps exactly (2^53 - 1): beyond it a repeat may differ for
// a reason that has nothing to do with repeating.
var forms = []form{
	{"zero", template.Number, "0"},
	{"one", template.Number, "1"},
	{"largest", template.Number, "9007199254740991"},
	{"empty-text", template.Letters, ""},
	{"empty-list", template.Listing, "[]"},
	{"long-text", template.Letters, strings.Repeat("idemcheck ", longText/len("idemcheck "))},
}

// Values are the legal values of Attempt.Value.
func Values() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// set puts a value into the first own field of the payload that can hold it.
func (d *draft) set(value string) error {
	if value == "" {
		return nil
	}
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == value })
	if i < 0 {
		return fmt.Errorf("unknown value %q, legal are: %s", value, strings.Join(Values(), ", "))
	}
	at, err := d.holds(forms[i])
	if err != nil {
		return fmt.Errorf("value %s: %w", value, err)
	}
	d.place = at
	var ok bool
	switch f := forms[i]; {
	case d.form():
		d.body, ok = inject.SetForm(d.body, at, f.text)
	case f.kind == template.Letters:
		d.body, ok = inject.SetJSON(d.body, at, []byte(`"`+f.text+`"`))
	default:
		d.body, ok = inject.SetJSON(d.body, at, []byte(f.text))
	}
	if !ok {
		return fmt.Errorf("value %s: the body has nothing at %s that can be set", value, at)
	}
	return nil
}

// holds is the place of the first own field that can hold a form.
func (d *draft) holds(f form) (string, error) {
	own, err := d.owned()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(own, func(l template.Leaf) bool { return l.Kind == f.kind && (!d.form() || f.kind != template.Listing) })
	if i < 0 {
		return "", fmt.Errorf("the body has no field of its own that can hold it: all come from ${id}, ${key} or earlier answers, or are of another type")
	}
	return own[i].Pointer, nil
}
