package config

import (
	"slices"

	"github.com/idemcheck/idemcheck/internal/strict"
	"github.com/idemcheck/idemcheck/internal/template"
	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// effectHTTP is a request for each id or key, to the target or to a URL of its own.
func (r *reader) effectHTTP(v strict.Value, e *Effect) {
	legal := []string{"id", "key", "run", "scope"}
	h := &HTTP{Count: pointer(v.Field("count")), Version: pointer(v.Field("version"))}
	e.HTTP = h
	e.Scoped = scoped(v)
	h.Headers = r.headers(v.Field("headers"), false, func(at strict.Value, t template.Text) {
		legalNames(at, t, legal, "")
		e.Scoped = e.Scoped || slices.Contains(t.Names(), "scope")
	})
	request := v.Field("http")
	h.Method, h.URL = r.request(request, legal)
	if h.Method == "" {
		return
	}
	e.Scoped = e.Scoped || slices.Contains(h.URL.Names(), "scope")
	e.By = oneName(request, h.URL, request.Text())
}

// oneName holds that a template names an operation in one way, and says which.
func oneName(v strict.Value, t template.Text, shown string) string {
	id, key := slices.Contains(t.Names(), "id"), slices.Contains(t.Names(), "key")
	if id == key {
		v.Errorf("%q: want one of ${id} and ${key} in it, so that each answer counts one operation", shown)
	}
	if key {
		return "key"
	}
	return "id"
}

// scoped tells whether an observer is asked for each scope by itself.
func scoped(v strict.Value) bool {
	s := v.Field("scoped")
	return s.Exists() && s.Bool()
}

func (r *reader) effectProvider(v strict.Value, e *Effect) {
	p := v.Field("provider")
	e.Provider, e.By = r.provider(e.Name, p), "id"
	e.OneAtATime = p.Field("one_at_a_time").Bool()
}

// effectRedis counts what stands under a key.
func (r *reader) effectRedis(v strict.Value, e *Effect) {
	e.Redis = &Redis{URL: r.redis(v.Field("redis")), Field: r.plain(v.Field("field"), true)}
	count := v.Need("count")
	key, ok := r.text(count)
	if !ok || !count.Exists() {
		return
	}
	legalNames(count, key, []string{"id", "key", "run", "scope"}, "")
	e.By = oneName(count, key, count.Text())
	e.Scoped = slices.Contains(key.Names(), "scope")
	e.Redis.Key = key
}

// effectSMTP is a mail server that the service sends to.
func (r *reader) effectSMTP(v strict.Value, e *Effect) {
	e.By = "id"
	m := v.Field("smtp")
	m.Fields("listen", "id", "per")
	if m.Kind() != strict.Map {
		return
	}
	e.SMTP = &SMTP{Listen: r.plain(m.Need("listen"), false)}
	listen(m.Field("listen"), e.SMTP.Listen)
	id := m.Need("id")
	if text := r.plain(id, true); text != "" {
		var err error
		if e.SMTP.ID, err = observe.ParseMailPlace(text); err != nil {
			id.Errorf("%q: %v", text, err)
		}
	}
	if per := m.Field("per"); per.Exists() {
		if e.SMTP.PerRecipient = per.Text() == "recipient"; !e.SMTP.PerRecipient {
			per.Errorf("must be recipient (a mail counts once for each of its recipients), got %q", per.Text())
		}
	}
}

// effectCommand is a program that counts.
func (r *reader) effectCommand(v strict.Value, e *Effect) {
	e.Command = r.argv(v.Field("command"))
	e.Scoped = scoped(v)
	if e.By = "id"; v.Field("by").Exists() {
		e.By = "" // as the file says
	}
}
