package target

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/template"
)

// draft is a message in the making.
type draft struct {
	op          Operation
	scope       Scope
	base        *url.URL
	quoted      bool
	once, fresh template.Vars // of the operation; of the attempt

	key, keyless string
	carried      []string // in the place of the key; none if it is left out
	unquoted     bool     // it must not be quoted
	longest      int      // what the contract allows for a key; 0: nothing is said
	header       http.Header
	body, plain  []byte // as it goes out; before it was altered
	place        string // where a value was set
	varied       string // what was changed in the payload
}

// message makes the parts in an order in which each may use those before it.
func (d *draft) message(value, variant string, f inject.Fault) (m Message, err error) {
	if err := d.pickKey(f); err != nil {
		return m, err
	}
	if err := d.headers(); err != nil {
		return m, err
	}
	if err := d.renderBody(); err != nil {
		return m, err
	}
	if err := d.set(value); err != nil {
		return m, err
	}
	if err := d.alter(variant, f); err != nil {
		return m, err
	}
	if err := d.sign(); err != nil {
		return m, err
	}
	u, err := d.url()
	if err != nil {
		return m, err
	}
	return Message{
		Line: d.op.Method + " " + u.EscapedPath(), Key: d.key, Keyless: d.keyless, Variant: d.varied,
		Fault: f, Header: d.header, URL: u.String(), Method: d.op.Method, Body: d.body,
	}, nil
}

// pickKey decides which key the attempt carries, if any.
func (d *draft) pickKey(f inject.Fault) (err error) {
	ofKey := f.Name == inject.ChangeKey.Name || f.Name == inject.DropKey.Name || f.Name == inject.MalformKey.Name
	if d.op.Key.In == "" {
		d.keyless = "none"
		if d.op.Derived {
			d.keyless = "derived"
		}
		if ofKey {
			return fmt.Errorf("%s: the operation carries no key (key: %s)", f.Name, d.keyless)
		}
		return nil
	}
	if f.Name == inject.DropKey.Name {
		d.keyless = "dropped"
		return d.op.droppable()
	}
	first, err := d.keyOf(d.once.Key)
	if err != nil {
		return err
	}
	d.key = first
	if f.Name == inject.ChangeKey.Name || f.Arg == "doubled" {
		if d.key, err = d.keyOf(Key(d.once.Key)); d.key == first { // a key that is not made from ours
			d.key += "-2"
		}
	}
	d.carried = []string{d.key}
	if f.Name == inject.MalformKey.Name {
		d.malform(f.Arg, first)
	}
	return err
}

// keyOf is what is carried for a key.
func (d *draft) keyOf(key string) (string, error) {
	v := d.once
	v.Key, v.Place = key, "key"
	if s, ok := d.op.Key.Value.Literal(); !ok || s != "" {
		s, err := d.op.Key.Value.Expand(v)
		if err != nil {
			return "", fmt.Errorf("key: %w", err)
		}
		key = s
	}
	if key == "" {
		return "", fmt.Errorf("key: it is empty")
	}
	return key, nil
}

// headers are the operation's, then the scope's, then the key.
func (d *draft) headers() error {
	d.header = http.Header{}
	for _, hs := range [][]Header{d.op.Headers, d.scope.Headers} {
		for _, h := range hs {
			v := d.once
			if h.Anew {
				v = d.fresh
			}
			v.Place = "header " + http.CanonicalHeaderKey(h.Name)
			s, err := h.Value.Expand(v)
			if err != nil {
				return fmt.Errorf("header %s: %w", h.Name, err)
			}
			d.header.Set(h.Name, s)
		}
	}
	for _, c := range d.op.carriers() {
		if c.In != InHeader {
			continue
		}
		d.header.Del(c.Name)
		for _, key := range d.carried {
			if d.quoted && !d.unquoted {
				key = quote(key)
			}
			d.header.Add(c.Name, key)
		}
	}
	return nil
}

// url is the operation's path below the base, with the key if it is carried there.
func (d *draft) url() (*url.URL, error) {
	v := d.once
	v.Place = "path"
	u, err := d.op.Path.URL(d.base, v)
	if err != nil {
		return nil, fmt.Errorf("path: %w", err)
	}
	if u.Host != d.base.Host || u.Scheme != d.base.Scheme {
		return nil, fmt.Errorf("path: %s is not on the target %s", u.Redacted(), d.base.Redacted())
	}
	for _, c := range d.op.carriers() {
		for _, key := range d.carried {
			if c.In == InQuery {
				u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+url.QueryEscape(c.Name)+"="+url.QueryEscape(key), "&")
			}
		}
	}
	return u, nil
}
