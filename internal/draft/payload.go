package draft

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// payload makes the body of the operation, and finds key and id in it.
func (c *curl) payload(f *File, o *Operation) {
	if len(c.data) == 0 {
		o.query()
		return
	}
	text := strings.Join(c.data, "&")
	if v, ok := readJSON(text); ok {
		f.object(o, v)
	} else {
		c.form(f, o, text)
	}
	kind := c.value("Content-Type")
	switch {
	case kind == "" && o.Body == nil && !c.json:
		o.Headers = append(o.Headers, Header{"Content-Type", "application/x-www-form-urlencoded"})
	case kind == "" && !c.json:
		f.Notes = append(f.Notes, "curl would call this body a form; it is JSON, and is sent as JSON")
	case c.json && c.value("Accept") == "":
		o.Headers = append(o.Headers, Header{"Accept", "application/json"})
	}
}

// object makes a JSON body.
func (f *File) object(o *Operation, v *Value) {
	f.texts(v)
	o.Body = v
	o.keyField(v)
	o.bodyID(v)
}

// texts makes all texts below v templates, and hides secrets.
func (f *File) texts(v *Value) {
	for i, item := range v.Items {
		if v.Kind == Object {
			v.Names[i] = strings.NewReplacer(begin, "$", end, "").Replace(v.Names[i])
		}
		if v.Kind == Object && item.Kind == Text && secretField.MatchString(v.Names[i]) && !variable(item.Text) && item.Text != "" {
			item.Text = "${" + f.secret(envName(v.Names[i]), item.Text, "field "+v.Names[i]+" of the body") + "}"
			continue
		}
		f.texts(item)
	}
	if v.Kind == Text {
		v.Text = template(v.Text)
	}
}

// keyField takes the key's field out of the body: key: puts it there. It is the field's name.
func (o *Operation) keyField(v *Value) string {
	for i, name := range v.Names {
		if isKeyField(name) && v.Items[i].Kind == Text {
			o.Key, o.KeyNote = "body "+pointer(name), "the line's own value is not used: each operation has a key of its own"
			v.Names = append(v.Names[:i], v.Names[i+1:]...)
			v.Items = append(v.Items[:i], v.Items[i+1:]...)
			return name
		}
	}
	return ""
}

func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// found is a field that may be the business id.
type found struct {
	at   *Value
	path string
	rank int
}

// bodyID makes the field that looks most like a business id ${id}: the one
// nearest to the top, among those by the order of idNames.
func (o *Operation) bodyID(v *Value) {
	level := []found{{v, "", 0}}
	for depth := 0; len(level) > 0 && depth < 4; depth++ {
		var next []found
		best := found{rank: -1}
		for _, l := range level {
			for i, item := range l.at.Items {
				if l.at.Kind != Object {
					continue // a list names several things, none of them the operation
				}
				name := l.at.Names[i]
				at := found{item, l.path + pointer(name), o.idRank(name)}
				next = append(next, at)
				if o.refers(name) && item.Note == "" {
					item.Note = "names what must exist already"
				}
				if item.Kind == Text && at.rank >= 0 && !ours.MatchString(item.Text) && (best.rank < 0 || at.rank < best.rank) {
					best = at
				}
			}
		}
		if best.rank >= 0 {
			o.identify(best)
			return
		}
		level = next
	}
}

// ours are the values that stand for themselves: an id that another operation answered.
var ours = regexp.MustCompile(`^\$\{[a-z]`)

// identify makes a field the id; where a UUID is wanted it carries the key, which is one.
func (o *Operation) identify(b found) {
	if !uuid.MatchString(b.at.Text) {
		b.at.Text, b.at.Note = "${id}", "guessed: it names the business operation"
		o.ID = "body " + b.path
		return
	}
	if o.Key == "" {
		o.Key, o.KeyNote = "body "+b.path, "guessed: it names the business operation, and wants a UUID"
	}
	b.at.Text, b.at.Note = "${key}", "a UUID is wanted here: ${id} is none, ${key} is one"
}

// form makes a body that is no JSON; only forms are searched for key and id.
func (c *curl) form(f *File, o *Operation, text string) {
	o.Form = template(text)
	kind := c.value("Content-Type")
	if kind != "" && !strings.Contains(kind, "urlencoded") || c.json {
		if json.Valid([]byte(text)) {
			return
		}
		o.Notes = append(o.Notes, "The body is sent as it is: write ${id} where the order's number stands.")
		return
	}
	pairs, key, id := strings.Split(text, "&"), -1, -1
	for i, p := range pairs {
		name, value, _ := strings.Cut(p, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		switch rank := o.idRank(name); {
		case isKeyField(name):
			key = i
		case rank >= 0 && (id < 0 || rank < idRank(head(pairs[id]))):
			id = i
		case secretField.MatchString(name) && !variable(value) && value != "":
			pairs[i] = head(p) + "=" + begin + f.secret(envName(name), value, "field "+name+" of the body") + end
		}
	}
	o.Form = o.fill(pairs, key, id)
}

// fill writes ${key} and ${id} into the pairs of a form or a query.
func (o *Operation) fill(pairs []string, key, id int) string {
	for i, p := range pairs {
		pairs[i] = template(p)
	}
	if key >= 0 {
		o.Key = "body " + pointer(head(pairs[key]))
		pairs[key] = head(pairs[key]) + "=${key}"
	}
	if id >= 0 {
		o.ID = head(pairs[id])
		pairs[id] = head(pairs[id]) + "=${id}"
	}
	return strings.Join(pairs, "&")
}

func head(pair string) string { name, _, _ := strings.Cut(pair, "="); return name }

// query finds the id in the query, where there is no body.
func (o *Operation) query() {
	path, query, ok := strings.Cut(o.Path, "?")
	if !ok {
		return
	}
	pairs := strings.Split(query, "&")
	for i, p := range pairs {
		if o.idRank(head(p)) >= 0 {
			pairs[i] = head(p) + "=${id}"
			o.ID = "query " + head(p)
			break
		}
	}
	o.Path = path + "?" + strings.Join(pairs, "&")
}

// identity says how operations are told apart, where the text had no key.
func (o *Operation) identity() {
	switch {
	case o.Key != "":
	case o.Method != "POST" && o.Method != "PATCH":
		o.Key, o.KeyNote = "none", "no idempotency key was seen; if there is one: header Idempotency-Key"
	case o.ID != "":
		o.Key, o.KeyNote = "none", "no idempotency key was seen, so "+o.ID+" alone tells repeats from new operations; if there is a key: header Idempotency-Key"
	default:
		o.Key = "header Idempotency-Key"
		o.KeyNote = "guessed: without a key or an id nothing tells a repeat from a new operation"
	}
	if o.ID == "" && !strings.HasPrefix(o.KeyNote, "guessed: it names") {
		o.Notes = append(o.Notes, "No field looks like the id of the business operation. If one is, write ${id} there.")
	}
}
