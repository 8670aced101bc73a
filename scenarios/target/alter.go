package target

import (
	"errors"
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

// changed is the variant in which the first field of the operation's own is changed.
const changed = "changed"

// ofPayload tells whether a fault is carried out in making the message.
func ofPayload(f inject.Fault) bool {
	switch f.Name {
	case inject.ChangePayload.Name, inject.Reencode.Name, inject.ChangeKey.Name, inject.DropKey.Name, inject.MalformKey.Name:
		return true
	}
	return false
}

// alter applies the variant, then a fault of the payload.
func (d *draft) alter(variant string, f inject.Fault) (err error) {
	if variant != "" {
		if d.body, d.varied, err = d.vary(variant); err != nil {
			return fmt.Errorf("variant %s: %w", variant, err)
		}
	}
	switch f.Name {
	case inject.ChangePayload.Name:
		where := f.Arg
		if where == "" {
			where = changed
		}
		if d.body, d.varied, err = d.vary(where); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	case inject.Reencode.Name:
		b, ok := inject.ReencodeJSON(d.body, f.Arg != "")
		if !ok {
			return fmt.Errorf("%s: the body is not JSON, so it can not be written in another way", f.Name)
		}
		d.body = b
	}
	return nil
}

// vary changes one field: "changed", a field's name, or a JSON pointer. It says
// which one it was.
func (d *draft) vary(where string) (body []byte, at string, err error) {
	if len(d.body) == 0 {
		return nil, "", errors.New("the operation has no body, so nothing in it can be changed")
	}
	change := inject.ChangeJSON
	switch {
	case where == changed:
		var ok bool
		if where, ok, err = d.own(); err != nil {
			return nil, "", err
		} else if !ok {
			return nil, "", errors.New("the body has no number and no text that could be changed: all of them come from ${id}, ${key} or earlier answers")
		}
	case !d.form() && !strings.HasPrefix(where, "/"):
		where = "/" + template.Token(where)
	}
	if d.form() {
		change = inject.ChangeForm
		where = strings.TrimPrefix(where, "/")
	}
	b, at, ok := change(d.body, where)
	if !ok {
		return nil, "", fmt.Errorf("the body has no value at %s that can be changed", where)
	}
	return b, at, nil
}
