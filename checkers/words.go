package checkers

import (
	"encoding/json"
	"strings"
)

// noJSON reports whether a body is neither JSON nor base64: XML or a text.
func noJSON(body string) bool {
	text := strings.TrimLeft(body, " \t\r\n")
	if text == "" || strings.IndexByte(`{["`, text[0]) >= 0 || strings.HasPrefix(text, "base64:") {
		return false
	}
	const scalar = 40 // a number or a word of JSON is not longer
	return len(text) > scalar || !json.Valid([]byte(text))
}

// words visits the words of a text that is not JSON, each under the word before
// it: "/id" for ch_1 in <id>ch_1</id>, id="ch_1", "id: ch_1". So the place of a
// value does not depend on how many words come before.
func words(text string, visit func(path []byte, value string, str bool) bool) {
	path := []byte{'/'}
	for i := 0; i < len(text); {
		begin := i
		for i < len(text) && wordByte(text[i]) {
			i++
		}
		word := strings.Trim(text[begin:i], ".-")
		if i == begin {
			i++
		}
		if word == "" {
			continue
		}
		if !visit(path, word, true) {
			return
		}
		path = append(path[:1], word...)
	}
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c >= 0x80
}
