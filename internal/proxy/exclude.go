package proxy

import (
	"bytes"
	"net/url"
	"path"
)

// exclusions are the paths that are never struck.
type exclusions []pattern

func newExclusions(list []string) (x exclusions) {
	for _, s := range list {
		x = append(x, newPattern(s))
	}
	return x
}

// holds tells whether a path is excluded, in whatever spelling: services read
// /%61uth, //auth and /x/../auth as /auth.
func (x exclusions) holds(p []byte) bool {
	if len(x) == 0 {
		return false
	}
	if x.any(p) {
		return true
	}
	plain := p
	if bytes.IndexByte(p, '%') >= 0 {
		decoded, err := url.PathUnescape(string(p))
		if err != nil {
			return true // nobody knows what the service makes of it
		}
		plain = []byte(decoded)
	}
	return x.any(plain) || x.any([]byte(path.Clean(string(plain))))
}

func (x exclusions) any(p []byte) bool {
	for _, pattern := range x {
		if pattern.matches(p) {
			return true
		}
	}
	return false
}
