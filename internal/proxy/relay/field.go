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

// headEnd is the length of a head with its empty line; -1 if that has not come.
// From is where it looks first: no line ends before.
func headEnd(b []byte, from int) int {
	for {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
		switch {
		case len(b) > from && b[from] == '\n':
			return from + 1
		case len(b) > from+1 && b[from] == '\r' && b[from+1] == '\n':
			return from + 2
		}
	}
}

// equalFold compares in ASCII, whatever the case.
func equalFold[T string | []byte](b T, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range len(s) {
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

// decimal reads digits and nothing else, without zeros in front of others.
func decimal(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 18 || len(b) > 1 && b[0] == '0' {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// trim takes white space off both ends of a value.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// Classes of bytes.
const (
	inToken = 1 << iota
	inValue
	inTarget
	inHost
)

var class = classes()

func classes() (t [256]uint8) {
	for c := range 256 {
		if c >= ' ' && c != 0x7f || c == '\t' {
			t[c] |= inValue
		}
		if c > ' ' && c != 0x7f {
			t[c] |= inTarget
		}
		if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' {
			t[c] |= inToken | inHost
		}
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] |= inToken
	}
	for _, c := range "!$%&'()*+,-.:;=[]_~" {
		t[c] |= inHost
	}
	return t
}

// all tells whether each byte is of that class.
func all(b []byte, of uint8) bool {
	for _, c := range b {
		if class[c]&of == 0 {
			return false
		}
	}
	return true
}
