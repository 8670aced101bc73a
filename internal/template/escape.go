package template

import (
	"fmt"
	"net/url"
	"strings"
)

// URL renders a text that is a whole URL, or a path, which is put below base:
// http://host/api and /charges make http://host/api/charges. Values are
// percent-encoded, so that an id can not leave its place.
func (t Text) URL(base *url.URL, v Vars) (*url.URL, error) {
	text, err := t.Expand(v.escaped())
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	switch {
	case u.IsAbs() && u.Host != "":
		return u, nil
	case !strings.HasPrefix(text, "/") || u.Host != "" || base == nil:
		return nil, fmt.Errorf("%q is neither a path that begins with one / nor a URL with http:// or https://", text)
	}
	below := *base
	below.Path = strings.TrimSuffix(base.Path, "/") + u.Path
	below.RawPath = strings.TrimSuffix(base.EscapedPath(), "/") + u.EscapedPath()
	below.RawQuery = u.RawQuery
	return &below, nil
}

// escaped is v with everything in its values percent-encoded that is not plain
// in any part of a URL.
func (v Vars) escaped() Vars {
	v.ID, v.Key, v.Scope, v.Run = percent(v.ID), percent(v.Key), percent(v.Scope), percent(v.Run)
	taken := make(map[string]string, len(v.Values))
	for name, value := range v.Values {
		taken[name] = percent(value)
	}
	v.Values = taken
	return v
}

// percent encodes all but the unreserved characters of RFC 3986, section 2.3.
func percent(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
