package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/template"
)

// own is the field that the variant "changed" changes: the first number that no
// ${id}, ${key} or earlier answer made, else the first such text.
func (d *draft) own() (where string, ok bool, err error) {
	own, err := d.owned()
	for _, kind := range []byte{template.Number, template.Letters} {
		gone := func(l template.Leaf) bool { return d.place != "" && strings.HasPrefix(l.Pointer, d.place+"/") } // of an emptied list
		if i := slices.IndexFunc(own, func(l template.Leaf) bool { return l.Kind == kind && !gone(l) }); i >= 0 {
			return own[i].Pointer, true, nil
		}
	}
	return "", false, err
}

// owned are the fields of the body that name no operation; what a version sets
// tells versions apart, so it is not among them.
func (d *draft) owned() ([]template.Leaf, error) {
	if d.op.Body.JSON {
		return d.ownedOfTree(), nil
	}
	return d.ownedOfText()
}

func (d *draft) ownedOfTree() []template.Leaf {
	tree := d.op.Body.Tree
	hide := func(pointer string) {
		if t, err := tree.With(pointer, foreign); err == nil {
			tree = t
		}
	}
	for pointer := range d.op.Body.Anew {
		hide(pointer)
	}
	for _, c := range d.op.carriers() {
		if c.In == InBody {
			hide(c.Name)
		}
	}
	for _, v := range d.op.Versions {
		for _, f := range v.Fields {
			hide(pointerOf(f.Name))
		}
	}
	return tree.Owned()
}

// foreign is a node that is nobody's own.
var foreign = template.Node{Kind: template.String, Text: mustParse("${key}")}

func mustParse(s string) template.Text {
	t, err := template.Parse(s)
	if err != nil {
		panic(err) // a constant
	}
	return t
}

// ownedOfText finds them in a text by rendering the text for another operation
// as well: what differs names the operation.
func (d *draft) ownedOfText() (own []template.Leaf, err error) {
	v := another(d.once)
	v.Place = "body"
	other, err := d.op.Body.Text.Expand(v)
	if err != nil {
		return nil, err
	}
	list := leaves
	if d.form() {
		list = pairs
	}
	mine, theirs := list(d.plain), list([]byte(other))
	if len(mine) != len(theirs) {
		return nil, nil
	}
	for i, l := range mine {
		if l == theirs[i] {
			own = append(own, l.Leaf)
		}
	}
	return own, nil
}

// another is the values of another operation that draws the same ${int}. A
// digit at the end leaves numbers numbers.
func another(v template.Vars) template.Vars {
	v.ID, v.Key, v.Scope, v.Run = v.ID+"1", v.Key+"1", v.Scope+"1", v.Run+"1"
	v.Now, v.Version = v.Now.Add(time.Hour), v.Version+2
	taken := map[string]string{}
	for name, value := range v.Values {
		taken[name] = value + "1"
	}
	v.Values = taken
	return v
}

// leaf is a value in a body and its text.
type leaf struct {
	template.Leaf
	value string
}

// pairs are the fields of a form.
func pairs(body []byte) (ls []leaf) {
	for pair := range strings.SplitSeq(string(body), "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err1 == nil && err2 == nil && n != "" {
			kind := byte(template.Letters)
			if _, err := strconv.ParseFloat(v, 64); err == nil {
				kind = template.Number
			}
			ls = append(ls, leaf{template.Leaf{Pointer: n, Kind: kind}, v})
		}
	}
	return ls
}

// leaves are the numbers, texts, booleans and lists of a JSON value in reading
// order; none if it is not JSON.
func leaves(body []byte) (ls []leaf) {
	if !json.Valid(body) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	collect(d, body, "", &ls)
	return ls
}

// collect reads one value of text that is known to be valid.
func collect(d *json.Decoder, body []byte, where string, ls *[]leaf) {
	token, err := d.Token()
	if err != nil {
		return
	}
	add := func(kind byte, value string) {
		*ls = append(*ls, leaf{template.Leaf{Pointer: where, Kind: kind}, value})
	}
	switch x := token.(type) {
	case json.Number:
		add(template.Number, x.String())
	case string:
		add(template.Letters, x)
	case bool:
		add(template.Truth, strconv.FormatBool(x))
	case json.Delim:
		at, start := len(*ls), d.InputOffset()-1
		if x == '[' {
			add(template.Listing, "")
		}
		within(d, body, where, x == '{', ls)
		_, _ = d.Token() // the closing one
		if x == '[' {
			(*ls)[at].value = string(body[start:d.InputOffset()])
		}
	}
}

// within reads what stands in an object or a list.
func within(d *json.Decoder, body []byte, where string, object bool, ls *[]leaf) {
	for i := 0; d.More(); i++ {
		step := strconv.Itoa(i)
		if object {
			name, err := d.Token()
			if err != nil {
				return
			}
			step = template.Token(fmt.Sprint(name))
		}
		collect(d, body, where+"/"+step, ls)
	}
}
