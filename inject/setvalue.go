package inject

import (
	"net/url"
	"strings"
)

// SetJSON puts another JSON text in the place of the value that a JSON pointer
// names. All other bytes stay. ok is false, and body comes back, if body is not
// JSON or has nothing there.
func SetJSON(body []byte, pointer string, text []byte) (changed []byte, ok bool) {
	root := parse(body)
	if root == nil {
		return body, false
	}
	n := root.find(pointer)
	if n == nil || parse(text) == nil {
		return body, false
	}
	return n.replace(body, text), true
}

// SetForm gives the first field of that name in a form body
// (application/x-www-form-urlencoded) another value.
func SetForm(body []byte, name, value string) (changed []byte, ok bool) {
	pairs := strings.Split(string(body), "&")
	for i, p := range pairs {
		raw, _, _ := strings.Cut(p, "=")
		if n, err := url.QueryUnescape(raw); err == nil && n == name {
			pairs[i] = raw + "=" + url.QueryEscape(value)
			return []byte(strings.Join(pairs, "&")), true
		}
	}
	return body, false
}
