package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/template"
)

// own is the field that the variant "changed" changes: the first number that no
// ${id}, ${key} or earlier answer made, else the first such text.
func (d *draft) own() (where string, ok bool, err error) {
	if d.op.Body.JSON {
		where, ok = d.ownOfTree()
		return where, ok, nil
	}
	return d.ownOfText()
}

func (d *draft) ownOfTree() (string, bool) {
	tree := d.op.Body.Tree
	hide := func(pointer string) {
		if t, err := tree.With(pointer, template.Node{}); err == nil {
			tree = t
		}
	}
	for pointer := range d.op.Body.Anew {
		hide(pointer)
	}
	if d.op.Key.In == InBody {
		hide(d.op.Key.Name)
	}
	return tree.Own()
}

// ownOfText finds it in a text by rendering the text for another operation as
// well: what differs names the operation.
func (d *draft) ownOfText() (string, bool, error) {
	v := another(d.once)
	v.Place = "body"
	other, err := d.op.Body.Text.Expand(v)
	if err != nil {
		return "", false, err
	}
	list := leaves
	if d.form() {
		list = pairs
	}
	mine, theirs := list(d.body), list([]byte(other))
	if len(mine) != len(theirs) {
		return "", false, nil
	}
	for _, number := range []bool{true, false} {
		for i, l := range mine {
			if l.number == number && l == theirs[i] {
				return l.where, true, nil
			}
		}
	}
	return "", false, nil
}

// another is the values of another operation that draws the same ${int}. A
// digit at the end leaves numbers numbers.
func another(v template.Vars) template.Vars {
	v.ID, v.Key, v.Scope, v.Run = v.ID+"1", v.Key+"1", v.Scope+"1", v.Run+"1"
	v.Now = v.Now.Add(time.Hour)
	taken := map[string]string{}
	for name, value := range v.Values {
		taken[name] = value + "1"
	}
	v.Values = taken
	return v
}

// leaf is a number or text in a body.
type leaf struct {
	where, value string
	number       bool
}

// pairs are the fields of a form.
func pairs(body []byte) (ls []leaf) {
	for pair := range strings.SplitSeq(string(body), "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err1 == nil && err2 == nil && n != "" {
			_, err := strconv.ParseFloat(v, 64)
			ls = append(ls, leaf{n, v, err == nil})
		}
	}
	return ls
}

// leaves are the numbers and texts of a JSON value in reading order; none if it
// is not JSON.
func leaves(body []byte) (ls []leaf) {
	if !json.Valid(body) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	collect(d, "", &ls)
	return ls
}

// collect reads one value of text that is known to be valid.
func collect(d *json.Decoder, where string, ls *[]leaf) {
	token, err := d.Token()
	if err != nil {
		return
	}
	switch x := token.(type) {
	case json.Number:
		*ls = append(*ls, leaf{where, x.String(), true})
	case string:
		*ls = append(*ls, leaf{where, x, false})
	case json.Delim:
		for i := 0; d.More(); i++ {
			step := strconv.Itoa(i)
			if x == '{' {
				name, err := d.Token()
				if err != nil {
					return
				}
				step = template.Token(fmt.Sprint(name))
			}
			collect(d, where+"/"+step, ls)
		}
		_, _ = d.Token() // the closing one
	}
}
