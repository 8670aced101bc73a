package strict_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idemcheck/idemcheck/internal/strict"
)

// TestPlaces: what stands at the place of a name, and of a plain value, is it,
// after all that moves lines and columns.
func TestPlaces(t *testing.T) {
	const file = `# first

one: plain   # comment
"two é": 'quo''ted'
three: |
  block
   deeper

  end
four: >-

  folded
  text
five:

  # between
  six: [a, b,
    c, {seven: d,
      eight: "e"}]
  nine: plain text
    over two lines
  ten: "quoted
    over two lines"
eleven:
- twelve: x
  thirteen: é ${y} z

- {fourteen: 1.5, fifteen: true, sixteen: -3}
-   - seventeen: last
seventeen: 24h
`
	lines := strings.Split(file, "\n")
	seen := 0
	var check func(v strict.Value)
	at := func(v strict.Value, what string) {
		seen++
		line := lines[v.Line()-1]
		from := strings.TrimLeft(string([]rune(line)[v.Column()-1:]), `"'`)
		first := strings.SplitN(what, " ", 2)[0]
		if !strings.HasPrefix(from, first) {
			t.Errorf("%q: line %d, column %d is %q", what, v.Line(), v.Column(), from)
		}
	}
	check = func(v strict.Value) {
		switch v.Kind() {
		case strict.Map:
			for _, f := range v.Fields() {
				at(f.Key, f.Name)
				check(f.Value)
			}
		case strict.List:
			for _, item := range v.List() {
				check(item)
			}
		default:
			if s := v.Text(); !strings.Contains(s, "\n") && !strings.HasPrefix(s, "folded") && utf8.ValidString(s) {
				at(v, strings.ReplaceAll(s, "'", "''"))
			}
		}
	}
	if err := strict.Parse("f", []byte(file), check); err != nil {
		t.Error(err)
	}
	if seen < 30 {
		t.Errorf("only %d places", seen)
	}
}
