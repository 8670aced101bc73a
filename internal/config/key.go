package config

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

const wantKey = `header NAME, body /pointer, query NAME, graphql, derived, none, a list of these, or a mapping such as {header: NAME, value: "${key}"}`

// key is where an operation carries its key. Where the file says nothing it is
// as the contract says, else the header Idempotency-Key; GET and the like carry
// none, since they need none.
func (r *reader) key(op strict.Value, o *Operation, check func(strict.Value, template.Text)) {
	v := op.Field("key")
	switch v.Kind() {
	case strict.None:
		r.usualKey(op.Field("send"), o)
	case strict.Map:
		r.keyMapping(v, &o.Key, check)
		checkKey(v, o.Key, *o)
	case strict.List:
		r.keyList(v, o)
	default:
		o.Key = r.keyText(v, o)
	}
	if o.Derived && v.Exists() {
		checkDerived(v, *o)
	}
}

// usualKey is that of an operation of which the file does not speak.
func (r *reader) usualKey(place strict.Value, o *Operation) {
	if !slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, o.Method) {
		return
	}
	s := r.carrier()
	if o.Derived = s == "derived" && o.Identified() && !o.PerAttempt(); carried(&o.Key, s) {
		checkKey(place, o.Key, *o)
	}
}

// keyText is "header NAME" and the like.
func (r *reader) keyText(v strict.Value, o *Operation) (k target.Carrier) {
	switch s := r.plain(v, true); {
	case s == "derived":
		o.Derived = true
	case s == "" || s == "none":
	case !carried(&k, s):
		v.Errorf("must be %s; got %q", wantKey, s)
	default:
		checkKey(v, k, *o)
	}
	return k
}

// keyList is several places at once.
func (r *reader) keyList(v strict.Value, o *Operation) {
	var all []target.Carrier
	for _, item := range v.List() {
		k := r.keyText(item, o)
		switch {
		case k.In == "" && slices.Contains([]string{"none", "derived"}, item.Text()):
			item.Errorf("in a list each is a place where the key travels; got %q", item.Text())
		case k.In != "" && slices.ContainsFunc(all, func(o target.Carrier) bool { return o.String() == k.String() }):
			item.Errorf("%s is there twice", k)
		case k.In != "":
			all = append(all, k)
		}
	}
	switch {
	case len(v.List()) == 0:
		v.Errorf("must be %s", wantKey)
	case len(all) > 0:
		o.Key, o.More, o.Derived = all[0], all[1:], false
	}
}

// checkDerived: a payload that is the identity must be one.
func checkDerived(v strict.Value, o Operation) {
	switch {
	case !o.Identified():
		v.Errorf("the payload is the identity, so it must name the operation: put ${id} into the body or the path")
	case o.PerAttempt():
		v.Errorf("the payload is the identity, so nothing of it can be made anew for each attempt (per_attempt)")
	}
}

// carrier is the contract's, or the usual one.
func (r *reader) carrier() string {
	if c := r.file.Contract.Carrier.Values; len(c) > 0 {
		return c[0]
	}
	return "header Idempotency-Key"
}

// carried reads "header NAME" and the like.
func carried(k *target.Carrier, s string) bool {
	if s == target.InText {
		k.In = s
		return true
	}
	in, name, ok := strings.Cut(s, " ")
	if !ok || !slices.Contains([]string{target.InHeader, target.InBody, target.InQuery}, in) {
		return false
	}
	k.In, k.Name = in, strings.TrimSpace(name)
	return k.Name != ""
}

func (r *reader) keyMapping(v strict.Value, k *target.Carrier, check func(strict.Value, template.Text)) {
	for _, f := range v.Fields("header", "body", "query", "value") {
		if f.Name == "value" {
			if t, ok := r.text(f.Value); ok {
				check(f.Value, t)
				k.Value = t
			}
			continue
		}
		if k.In != "" {
			f.Key.Errorf("a key has one place: %s or %s", k.In, f.Name)
		}
		k.In, k.Name = f.Name, r.plain(f.Value, true)
	}
	if k.In == "" {
		v.Errorf("must be %s", wantKey)
	}
}

// checkKey says whether the operation has that place.
func checkKey(v strict.Value, k target.Carrier, o Operation) {
	switch {
	case k.In == target.InHeader && !headerName.MatchString(k.Name):
		v.Errorf("%q can not be the name of a header", k.Name)
	case k.In == target.InHeader && slices.ContainsFunc(o.Headers, func(h target.Header) bool { return strings.EqualFold(h.Name, k.Name) }):
		v.Errorf("header %s carries the key and is under headers too: give it once, as in  key: {header: %s, value: ...}", k.Name, k.Name)
	case k.In == target.InQuery && strings.ContainsAny(k.Name, " &=#?"):
		v.Errorf("%q can not be the name of a query parameter", k.Name)
	case k.In == target.InText && !slices.Contains(o.BodyTemplates(), "key"):
		v.Errorf("the key travels in a text of the body: put ${key} into it, as in @idempotent(key: \"${key}\")")
	case k.In == target.InBody && !strings.HasPrefix(k.Name, "/"):
		v.Errorf("must be a JSON pointer, which begins with /, as in body /idempotency_key; got %q", k.Name)
	case k.In == target.InBody && o.Body.JSON:
		if _, err := o.Body.Tree.With(k.Name, template.Node{}); err != nil {
			v.Errorf("the key has no place in the body: %v", err)
		}
	case k.In == target.InBody && !slices.Contains(o.Body.Text.Names(), "key"):
		v.Errorf("the key travels in the body (%s): make the body a mapping, or a text with ${key} in it", k.Name)
	}
}
