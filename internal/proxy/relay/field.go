package relay

import "bytes"

// field is the value of the first field of that name in a head.
func field(head []byte, name string) ([]byte, bool) {
	for {
		end := bytes.IndexByte(head, '\n')
		if end < 0 {
			return nil, false
		}
		head = head[end+1:] // the start line at first, which is no field
		if len(head) > len(name) && head[len(name)] == ':' && equalFold(head[:len(name)], name) {
			value, _, _ := bytes.Cut(head[len(name)+1:], []byte{'\n'})
			return bytes.Trim(value, " \t\r"), true
		}
	}
}

// equalFold compares in ASCII, whatever the case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		if lower(b[i]) != lower(s[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
