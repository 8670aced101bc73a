package wire

import (
	"bytes"
	"regexp"
	"strings"
)

// newCall is what a request asks for. Nobody needs its name where nobody looks.
func (h *httpConn) newCall(first []byte) httpCall {
	method, rest, _ := bytes.Cut(first, []byte(" "))
	x := httpCall{head: string(method) == "HEAD", connect: string(method) == "CONNECT"}
	if x.connect || !h.watched() {
		return x
	}
	target, _, _ := bytes.Cut(rest, []byte(" "))
	path := pathOf(string(target))
	x.step = Step{Name: string(method) + " " + stablePath(path), Text: string(method) + " " + path, Call: h.call()}
	return x
}

// pathOf is a request's target without host and query.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	if _, rest, absolute := strings.Cut(path, "://"); absolute && path[0] != '/' {
		_, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	return path
}

// stablePath has a * for each part that would be another with the next
// operation: a number, a UUID, an id.
func stablePath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if varies(part) {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// version is what has digits and stays: "v1", "v1beta2".
var version = regexp.MustCompile(`^v[0-9]{1,3}(\.[0-9]+)*((alpha|beta|rc)[0-9]*)?$`)

// varies takes for an id what holds a digit and is no version, and what is long
// and of mixed case as no word is. To take a word for an id does less harm than
// the reverse: steps of one name are counted, steps of changing names are lost.
func varies(part string) bool {
	if strings.ContainsAny(part, "0123456789@") {
		return !version.MatchString(part)
	}
	upper := 0
	for _, c := range part {
		if c >= 'A' && c <= 'Z' {
			upper++
		}
	}
	return len(part) >= 16 && upper > len(part)/3 && upper < len(part)*3/4
}
