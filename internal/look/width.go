package look

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Columns is the width that text is wrapped at.
const Columns = 100

// Clean makes text from the network safe to print on one line: control and
// direction characters, which could move the cursor or hide text, are spelled out.
func Clean(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r) && r != ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// wide are the ranges of runes that terminals draw two columns wide.
var wide = [][2]rune{
	{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
	{0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
}

// runeWidth is the number of columns that a rune takes.
func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	for _, w := range wide {
		if w[0] <= r && r <= w[1] {
			return 2
		}
	}
	return 1
}

// Width is the number of columns that clean text takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// Pad fills clean text with spaces up to n columns.
func Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-Width(s)))
}

// Fit shortens clean text to n columns; … stands for what was left out.
func Fit(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	head, _ := Cut(s, n-1)
	return head + "…"
}

// Middle shortens clean text to n columns by what stands in its middle: the
// beginning and the end tell more.
func Middle(s string, n int) string {
	if Width(s) <= n {
		return s
	}
	head, _ := Cut(s, (n-1)/2)
	tail := []rune(s)
	for Width(string(tail)) > n-1-Width(head) {
		tail = tail[1:]
	}
	return head + "…" + string(tail)
}

// Cut splits clean text after n columns, but after one rune at least.
func Cut(s string, n int) (head, tail string) {
	used := 0
	for i, r := range s {
		used += runeWidth(r)
		if used > n && i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}
