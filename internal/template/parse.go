package template

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Text is a parsed text. The zero Text is empty.
type Text struct{ parts []part }

// part is a literal, or an expression if name is set.
type part struct {
	lit, name string
	low, high int64 // of int
}

// Parse reads a text whose environment names have been resolved by Env. The
// error is an *Error.
func Parse(s string) (Text, error) {
	pieces, err := split(s)
	if err != nil {
		return Text{}, err
	}
	var t Text
	for _, p := range pieces {
		if !p.isExpr {
			t.parts = append(t.parts, part{lit: p.text})
			continue
		}
		x, err := expression(p)
		if err != nil {
			return Text{}, err
		}
		t.parts = append(t.parts, x)
	}
	return t, nil
}

func expression(p piece) (part, error) {
	words := strings.Fields(p.text)
	if len(words) == 0 {
		return part{}, fail(p.at, "empty ${}, want a name such as ${id}; write $${ for a literal ${")
	}
	name := words[0]
	switch {
	case isEnv(name):
		return part{}, fail(p.at, "${%s} is of the environment, which is not read here; ours are in lower case: %s", name, list(Ours))
	case !isOurs(name):
		return part{}, fail(p.at, "%q is no name: ours begin with a lower-case letter, the environment's are all upper case; write $${ for a literal ${", name)
	case name == "int":
		return integer(p.at, words[1:])
	case len(words) > 1:
		return part{}, fail(p.at, "unknown argument %q: ${%s} takes none", words[1], name)
	}
	return part{name: name}, nil
}

func integer(at int, args []string) (part, error) {
	const want = "int takes two whole numbers, low and high: ${int 100 999}"
	if len(args) != 2 {
		return part{}, fail(at, want)
	}
	low, err1 := strconv.ParseInt(args[0], 10, 64)
	high, err2 := strconv.ParseInt(args[1], 10, 64)
	if err1 != nil || err2 != nil {
		return part{}, fail(at, want)
	}
	if low > high {
		return part{}, fail(at, "%s; %d is more than %d", want, low, high)
	}
	return part{name: "int", low: low, high: high}, nil
}

// isEnv tells whether a name is one of the environment: upper case, digits, _.
func isEnv(name string) bool {
	return name != "" && !isDigit(rune(name[0])) && strings.IndexFunc(name, func(r rune) bool {
		return !(r == '_' || 'A' <= r && r <= 'Z' || isDigit(r))
	}) < 0
}

func isOurs(name string) bool {
	return 'a' <= name[0] && name[0] <= 'z' && strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || isDigit(r) || strings.ContainsRune("_.-", r))
	}) < 0
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// Names are the names that a text uses, each once, in order: "id", "int", "customer".
func (t Text) Names() []string {
	var names []string
	for _, p := range t.parts {
		if p.name != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Alone tells whether the text is one expression and nothing else. It then
// keeps its type in a body: ${int 1 9} and ${n} are numbers.
func (t Text) Alone() bool { return len(t.parts) == 1 && t.parts[0].name != "" }

// Literal is the text if it has no expression.
func (t Text) Literal() (s string, ok bool) {
	for _, p := range t.parts {
		if p.name != "" {
			return "", false
		}
		s += p.lit
	}
	return s, true
}

// String is the text as it was parsed.
func (t Text) String() string {
	var ps []piece
	for _, p := range t.parts {
		switch p.name {
		case "":
			ps = append(ps, piece{text: p.lit})
		case "int":
			ps = append(ps, piece{text: fmt.Sprintf("int %d %d", p.low, p.high), isExpr: true})
		default:
			ps = append(ps, piece{text: p.name, isExpr: true})
		}
	}
	return join(ps)
}

// number tells whether the text is a JSON number in a body.
func (t Text) number(v Vars) bool {
	if !t.Alone() {
		return false
	}
	name := t.parts[0].name
	return name == "int" || name == "n" || name == "version" || v.Numbers[name]
}

func list(names []string) string { return "${" + strings.Join(names, "}, ${") + "}" }
