package look

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"a\x1b[2J": `a\x1b[2J`, "a\u202eb": `a\u202eb`, "\xff": `\xff`, "a\tb\n": "a b ", "注文": "注文"} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestStyleLoadsNothing(t *testing.T) {
	if !strings.Contains(Style, "--paper") || strings.Contains(Style, "url(") || strings.Contains(Style, "@import") {
		t.Error("the style sheet is not whole, or loads something")
	}
}
