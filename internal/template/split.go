package template

import "strings"

// piece is a stretch of literal text (dollars already undoubled) or, if isExpr,
// what stands between ${ and }.
type piece struct {
	text   string
	isExpr bool
	at     int // offset of the piece in the source
}

// split cuts a text into pieces; neighbouring literals are one.
func split(s string) ([]piece, error) {
	var ps []piece
	for i := 0; i < len(s); {
		lit, next := literal(s, i)
		if lit != "" {
			ps = append(ps, piece{text: lit, at: i})
		}
		if i = next; i == len(s) {
			break
		}
		inner, _, found := strings.Cut(s[i+2:], "}")
		if !found || strings.Contains(inner, "${") {
			return nil, fail(i, "unclosed ${")
		}
		ps = append(ps, piece{text: inner, isExpr: true, at: i})
		i += len("${") + len(inner) + len("}")
	}
	return ps, nil
}

// literal reads from i up to the next expression, whose offset it returns, or
// to the end.
func literal(s string, i int) (lit string, next int) {
	var b strings.Builder
	for i < len(s) {
		n := dollars(s[i:])
		switch {
		case n == 0:
			b.WriteByte(s[i])
			i++
		case !strings.HasPrefix(s[i+n:], "{"):
			b.WriteString(s[i : i+n])
			i += n
		case n%2 == 1:
			b.WriteString(s[i : i+n/2])
			return b.String(), i + n - 1
		default:
			b.WriteString(s[i:i+n/2] + "{")
			i += n + 1
		}
	}
	return b.String(), i
}

func dollars(s string) int { return len(s) - len(strings.TrimLeft(s, "$")) }

// join is the inverse of split: dollars that would begin an expression are doubled.
func join(ps []piece) string {
	var b strings.Builder
	for i, p := range ps {
		if p.isExpr {
			b.WriteString("${" + p.text + "}")
			continue
		}
		text, mark := p.text, ""
		if i+1 < len(ps) { // the next one is an expression: dollars at the end stand before its brace
			mark = "{"
		}
		b.WriteString(strings.TrimSuffix(double(text+mark), mark))
	}
	return b.String()
}

func double(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := dollars(s[i:])
		b.WriteString(s[i : i+n])
		if i += n; i < len(s) {
			if s[i] == '{' {
				b.WriteString(s[i-n : i])
			}
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// merge makes neighbouring literals one.
func merge(ps []piece) []piece {
	var out []piece
	for _, p := range ps {
		if k := len(out) - 1; k >= 0 && !p.isExpr && !out[k].isExpr {
			out[k].text += p.text
			continue
		}
		out = append(out, p)
	}
	return out
}
