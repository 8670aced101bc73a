package history

import (
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// asItIs marks the bytes that stand for themselves in a JSON string.
var asItIs = func() (t [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// appendQuoted writes s as a JSON string in its shortest form.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		b := s[i]
		if asItIs[b] {
			i++
			continue
		}
		if b < utf8.RuneSelf {
			dst = appendEscaped(append(dst, s[from:i]...), b)
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(append(dst, s[from:i]...), "\uFFFD"...)
			from = i + 1
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscaped(dst []byte, b byte) []byte {
	switch b {
	case '"', '\\':
		return append(dst, '\\', b)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
}

// unescape reads the escape that s begins with. Half of a surrogate pair is
// returned as the number that it is; n is 0 if s begins with no legal escape.
func unescape(s []byte) (r rune, n int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeHex(s)
	}
	return 0, 0
}

func unescapeHex(s []byte) (r rune, n int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := hex4(s[6:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return both, 12
			}
		}
	}
	return r, 6
}

// hex4 reads \uXXXX.
func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 {
		return 0, false
	}
	for _, b := range s[2:6] {
		switch {
		case isDigit(b):
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}

// appendUnescaped decodes the inside of a JSON string; half of a surrogate pair
// becomes U+FFFD, as in encoding/json.
func appendUnescaped(dst, raw []byte) (_ []byte, ok bool) {
	from := 0
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			i++
			continue
		}
		r, n := unescape(raw[i:])
		if n == 0 {
			return dst, false
		}
		dst = utf8.AppendRune(append(dst, raw[from:i]...), r) // which turns surrogates into U+FFFD
		i += n
		from = i
	}
	return append(dst, raw[from:]...), true
}

// appendCanonicalString writes a JSON string with escapes, given by its inside,
// in one spelling. Half of a surrogate pair stays an escape of its own.
func appendCanonicalString(dst, raw []byte) (_ []byte, ok bool) {
	dst = append(dst, '"')
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		r, n := unescape(raw[i:])
		switch {
		case n == 0:
			return dst, false
		case r < ' ' || r == '"' || r == '\\':
			dst = appendEscaped(dst, byte(r))
		case utf16.IsSurrogate(r):
			dst = append(dst, '\\', 'u', 'd', hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
		i += n
	}
	return append(dst, '"'), true
}
