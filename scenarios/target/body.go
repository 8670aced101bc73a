package target

import (
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/template"
)

// renderBody makes the body and, where nothing is said, its type.
func (d *draft) renderBody() (err error) {
	v := d.once
	v.Place = "body"
	if d.op.inBody() && len(d.carried) > 0 {
		v.Key = strings.Join(d.carried, ",")
	}
	if d.op.Body.JSON {
		d.body, err = d.tree(v)
	} else if err = d.textHoldsKey(); err == nil {
		var s string
		s, err = d.op.Body.Text.Expand(v)
		d.body = []byte(s)
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
	if !d.op.inBody() || slices.Contains(d.op.Body.Text.Names(), "key") {
		return nil
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
	for _, c := range d.op.carriers() {
		if c.In != InBody {
			continue
		}
		if tree, err = d.keyed(tree, c.Name); err != nil {
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

// keyed is the tree with what stands for the key at a place, or without it.
func (d *draft) keyed(tree template.Node, at string) (template.Node, error) {
	if len(d.carried) == 0 {
		if without, err := tree.Without(at); err == nil {
			return without, nil
		}
		return tree, nil // the file does not hold it: With would have added it
	}
	var what any = d.carried
	if len(d.carried) == 1 {
		what = d.carried[0]
	}
	key, err := json.Marshal(what)
	if err != nil {
		return tree, err
	}
	return tree.With(at, template.Node{Literal: string(key)})
}

// form tells whether the body is application/x-www-form-urlencoded.
func (d *draft) form() bool {
	t, _, _ := mime.ParseMediaType(d.header.Get("Content-Type"))
	return t == "application/x-www-form-urlencoded"
}
