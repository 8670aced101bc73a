package config

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

const wantKey = `header NAME, body /pointer, query NAME, none, or a mapping such as {header: NAME, value: "${key}"}`

// key is where an operation carries its key. Where the file says nothing it is
// as the contract says, else the header Idempotency-Key; GET and the like carry
// none, since they need none.
func (r *reader) key(op strict.Value, o Operation, check func(strict.Value, template.Text)) target.Carrier {
	v := op.Field("key")
	var k target.Carrier
	switch v.Kind() {
	case strict.None:
		if !slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, o.Method) {
			return target.Carrier{}
		}
		v = op.Field("send") // the place for errors
		if !carried(&k, r.carrier()) {
			return target.Carrier{}
		}
	case strict.Map:
		r.keyMapping(v, &k, check)
	default:
		s := r.plain(v, true)
		if s == "" || s == "none" {
			return target.Carrier{}
		}
		if !carried(&k, s) {
			v.Errorf("must be %s; got %q", wantKey, s)
			return target.Carrier{}
		}
	}
	checkKey(v, k, o)
	return k
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
