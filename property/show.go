package property

import (
	"fmt"
	"strings"
	"unicode"
)

// shown is how much of a value one line shows, in characters.
const shown = 40

// show is a value for one line of text.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case string:
		return cut(fmt.Sprintf("%q", v))
	case fmt.Stringer, error:
		return cut(fmt.Sprintf("%v", v))
	}
	return cut(fmt.Sprintf("%+v", v))
}

// cut shortens a text and keeps it on one line.
func cut(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > shown {
			return b.String() + "…"
		}
		if unicode.IsSpace(r) {
			r = ' '
		} else if !unicode.IsPrint(r) {
			r = unicode.ReplacementChar
		}
		b.WriteRune(r)
	}
	return b.String()
}
