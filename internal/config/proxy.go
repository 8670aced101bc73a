package config

import (
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/strict"
)

var (
	proxyFields    = []string{"listen", "to", "page", "share", "fault", "budget", "breaker", "exclude", "off", "history", "rules"}
	listenFields   = []string{"address", "cert", "key"}
	upstreamFields = []string{"url", "ca", "insecure"}
)

// proxy is the block of the staging proxy.
func (r *reader) proxy(v strict.Value) {
	if !v.Exists() {
		return
	}
	p := &settings.Settings{}
	r.file.Proxy = p
	for _, f := range v.Fields(proxyFields...) {
		switch f.Name {
		case "listen":
			p.Listen = r.doors(f.Value)
		case "to":
			p.To = r.upstreams(f.Value)
		case "page":
			if p.Page = r.plain(f.Value, false); p.Page != "" {
				listen(f.Value, p.Page)
			}
		case "share":
			p.Share = percent(f.Value)
		case "fault":
			p.Fault = proxyFault(f.Value)
		case "budget":
			p.Budget = f.Value.Int()
			positive(f.Value, p.Budget > 0)
		case "breaker":
			if p.NoBreaker = f.Value.Text() == "none"; !p.NoBreaker {
				f.Value.Errorf("must be none (without this line the breaker is there); got %q", f.Value.Text())
			}
		case "exclude":
			p.Exclude = patterns(f.Value)
		case "off":
			p.Off = r.plain(f.Value, false)
		case "history":
			p.History = kept(f.Value)
		case "rules":
			p.Rules = r.proxyRules(f.Value)
		}
	}
	if len(p.To) == 0 {
		p.To = r.ownUpstreams()
	}
}

// items are those of a list, or the value itself.
func items(v strict.Value) []strict.Value {
	if v.Kind() == strict.List {
		if len(v.List()) == 0 {
			v.Errorf("must not be empty")
		}
		return v.List()
	}
	return []strict.Value{v}
}

// doors are where callers come in.
func (r *reader) doors(v strict.Value) (all []settings.Listen) {
	for _, item := range items(v) {
		l, at := settings.Listen{}, item
		if item.Kind() == strict.Map {
			item.Fields(listenFields...)
			at = item.Need("address")
			l.Cert, l.Key = r.plainIf(item.Field("cert")), r.plainIf(item.Field("key"))
			if (l.Cert == "") != (l.Key == "") {
				item.Errorf("TLS needs both: cert and key, files in PEM")
			}
		}
		if l.Address = r.plainIf(at); l.Address == "" {
			continue
		}
		if _, _, err := settings.ParseListen(l.Address); err != nil {
			at.Errorf("%v", err)
		}
		all = append(all, l)
	}
	return all
}

func (r *reader) plainIf(v strict.Value) string {
	if !v.Exists() {
		return ""
	}
	return r.plain(v, false)
}

// upstreams are the service and its replicas.
func (r *reader) upstreams(v strict.Value) (all []settings.Upstream) {
	for _, item := range items(v) {
		u, at := settings.Upstream{}, item
		if item.Kind() == strict.Map {
			item.Fields(upstreamFields...)
			at = item.Need("url")
			u.CA = r.plainIf(item.Field("ca"))
			if f := item.Field("insecure"); f.Exists() {
				u.Insecure = f.Bool()
			}
		}
		if u.URL = r.plainIf(at); u.URL == "" {
			continue
		}
		a, err := settings.ParseAddress(u.URL)
		switch {
		case err != nil:
			at.Errorf("%v", err)
		case (u.CA != "" || u.Insecure) && a.Scheme != "https":
			item.Errorf("ca and insecure are for https: only")
		case a.Network == "unix" || r.touch(at, a.Host):
			all = append(all, u)
		}
	}
	return all
}

// ownUpstreams are the target and its replicas, where the block names none.
func (r *reader) ownUpstreams() (all []settings.Upstream) {
	for _, s := range append([]string{r.file.Target}, r.file.Replicas...) {
		if s == "" {
			continue // it was refused
		}
		scheme, rest, _ := strings.Cut(s, "://")
		host, _, _ := strings.Cut(rest, "/") // operations' paths are below the target's; a caller sends whole ones
		if r.file.Protocol == protocolH2 && scheme == "http" {
			scheme = "h2c"
		}
		all = append(all, settings.Upstream{URL: scheme + "://" + host})
	}
	return all
}

func percent(v strict.Value) settings.Share {
	s, err := settings.ParsePercent(v.Text())
	if err != nil {
		v.Errorf("%v", err)
	}
	return s
}

// patterns are paths.
func patterns(v strict.Value) []string {
	list := names(v)
	for _, s := range list {
		if err := settings.CheckPattern(s); err != nil {
			v.Errorf("%v", err)
		}
	}
	return list
}

// kept is how much of the traffic is kept: none, or a mapping of limits.
func kept(v strict.Value) (h settings.History) {
	if v.Kind() == strict.Text {
		if h.None = v.Text() == "none"; !h.None {
			v.Errorf("must be none, or a mapping such as {limit: 1GiB, file: 64MiB}; got %q", v.Text())
		}
		return h
	}
	for _, f := range v.Fields("limit", "file") {
		n, err := settings.ParseSize(f.Value.Text())
		if err != nil {
			f.Value.Errorf("%v", err)
		}
		if f.Name == "limit" {
			h.Limit = n
		} else {
			h.File = n
		}
	}
	if h.Limit > 0 && h.Limit < 2*max(h.File, 1) {
		v.Errorf("limit must hold two files at least")
	}
	return h
}

// proxyFault is "repeat", "repeat: before-answer", or a mapping from the name to its argument.
func proxyFault(v strict.Value) (f inject.Fault) {
	if v.Kind() == strict.Map {
		fields := v.Fields()
		if len(fields) != 1 {
			v.Errorf("a fault has one name, as in {late: 30s}")
			return f
		}
		f = inject.Fault{Name: fields[0].Name, Arg: fields[0].Value.Text()}
		if err := settings.CheckFault(f); err != nil {
			v.Errorf("%v", err)
		}
		return f
	}
	f, err := settings.ParseFault(v.Text())
	if err != nil {
		v.Errorf("%v", err)
	}
	return f
}

// keyWords are what a rule may ask of the key.
var keyWords = []string{settings.KeyPresent, settings.KeyAbsent, "any"}

func ruleKey(v strict.Value) string {
	s := v.Text()
	if !slices.Contains(keyWords, s) {
		v.Errorf("must be %s; got %q", strings.Join(keyWords, ", "), s)
	}
	if s == "any" {
		return ""
	}
	return s
}
