package target

import (
	"encoding/json"
	"fmt"
	"mime"

	"github.com/idemcheck/idemcheck/internal/template"
)

// renderBody makes the body and, where nothing is said, its type.
func (d *draft) renderBody() (err error) {
	v := d.once
	v.Place = "body"
	switch {
	case d.op.Body.JSON:
		d.body, err = d.tree(v)
	case d.op.Key.In == InBody && d.keyless != "":
		return fmt.Errorf("drop-key: the body is a text, from which the key can not be taken out; write it as a mapping")
	default:
		if err = d.textHoldsKey(); err == nil {
			if d.op.Key.In == InBody {
				v.Key = d.key
			}
			var s string
			s, err = d.op.Body.Text.Expand(v)
			d.body = []byte(s)
		}
	}
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	d.plain = d.body
	if d.header.Get("Content-Type") == "" && json.Valid(d.body) {
		d.header.Set("Content-Type", "application/json")
	}
	return nil
}

func (d *draft) textHoldsKey() error {
	if d.op.Key.In != InBody {
		return nil
	}
	for _, name := range d.op.Body.Text.Names() {
		if name == "key" {
			return nil
		}
	}
	return fmt.Errorf("it is a text: put ${key} where the key %s belongs", d.op.Key.Name)
}

// tree renders a body that is a mapping or list: with the key if it is carried
// there, and with what is rendered anew for each attempt.
func (d *draft) tree(v template.Vars) (b []byte, err error) {
	tree, err := d.versioned(d.op.Body.Tree)
	if err != nil {
		return nil, err
	}
	if d.op.Key.In == InBody {
		if tree, err = d.keyed(tree); err != nil {
			return nil, err
		}
	}
	for pointer, node := range d.op.Body.Anew {
		fresh := d.fresh
		fresh.Place = "body" + pointer
		text, err := node.JSON(fresh)
		if err != nil {
			return nil, err
		}
		if tree, err = tree.With(pointer, template.Node{Literal: string(text)}); err != nil {
			return nil, err
		}
	}
	return tree.JSON(v)
}

func (d *draft) keyed(tree template.Node) (template.Node, error) {
	if d.keyless == "" {
		key, err := json.Marshal(d.key)
		if err != nil {
			return tree, err
		}
		return tree.With(d.op.Key.Name, template.Node{Literal: string(key)})
	}
	if without, err := tree.Without(d.op.Key.Name); err == nil {
		return without, nil
	}
	return tree, nil // the file does not hold it: With would have added it
}

// form tells whether the body is application/x-www-form-urlencoded.
func (d *draft) form() bool {
	t, _, _ := mime.ParseMediaType(d.header.Get("Content-Type"))
	return t == "application/x-www-form-urlencoded"
}
