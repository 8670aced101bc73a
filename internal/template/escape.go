package template

import "strings"

// Escaped is v with everything in its values percent-encoded that is not plain
// in any part of a URL, so that an id can not leave its place in a path or query.
func (v Vars) Escaped() Vars {
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
