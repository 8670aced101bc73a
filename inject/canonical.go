package inject

import (
	"slices"
	"strconv"
	"strings"
)

// canonical is a text that two bodies share if and only if they mean the same
// JSON. A body that is not JSON stands for itself.
func canonical(body []byte) string {
	root := parse(body)
	if root == nil {
		return string(body)
	}
	return root.canonical()
}

func (n *node) canonical() string {
	switch n.kind {
	case '"':
		return strconv.Quote(unquote(n.raw))
	case '0':
		return canonicalNumber(string(n.raw))
	case '[':
		parts := make([]string, len(n.kids))
		for i, k := range n.kids {
			parts[i] = k.canonical()
		}
		return "[" + strings.Join(parts, ",") + "]"
	case '{':
		last := map[string]string{}
		for i, k := range n.kids {
			last[strconv.Quote(unquote(n.names[i]))] = k.canonical()
		}
		parts := make([]string, 0, len(last))
		for name, v := range last {
			parts = append(parts, name+":"+v)
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return string(n.raw)
}

// canonicalNumber writes a JSON number as its digits and a power of ten. It
// works on text, since a big number with a big exponent would not fit in memory.
func canonicalNumber(s string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "0"
	}
	e, err := strconv.ParseInt(exponent, 10, 32)
	if exponent != "" && err != nil {
		return s // an exponent of ten digits: equal only to itself
	}
	e += int64(len(digits) - len(short) - len(fraction))
	if negative {
		short = "-" + short
	}
	return short + "e" + strconv.FormatInt(e, 10)
}
