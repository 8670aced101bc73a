package scenarios

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// likeness is one way in which two keys or ids look the same to a store that
// is not exact. Real services merged such pairs: a column's collation that
// takes no notice of case, a column that cuts a long text, a trimmed or
// normalised text, a key that is read as a number.
type likeness struct {
	name string
	body bool // survives only in a body or query: in a header it is no other text
	pair func(s string) (first, second string, ok bool)
}

var likenesses = []likeness{
	{"case", false, otherCase},
	{"blank", true, func(s string) (string, string, bool) { return s, s + " ", s != "" }},
	{"prefix-64", false, samePrefix(64)},
	{"prefix-128", false, samePrefix(128)},
	{"prefix-190", false, samePrefix(190)},
	{"prefix-255", false, samePrefix(255)},
	{"nfc", true, func(s string) (string, string, bool) { return s + "-\u00e9", s + "-e\u0301", true }},
	{"zero", false, func(s string) (string, string, bool) { d := digitsOf(s); return d, "0" + d, true }},
	{"plus", false, func(s string) (string, string, bool) { d := digitsOf(s); return d, "+" + d, true }},
	{"decimal", false, func(s string) (string, string, bool) { d := digitsOf(s); return d, d + ".0", true }},
	{"digits", false, longDigits},
	{"wide", true, func(s string) (string, string, bool) { return s + "-A", s + "-\uff21", true }},
	{"accent", true, func(s string) (string, string, bool) { return s + "-o", s + "-\u00f6", true }},
}

// likenessNames are the legal values of Alike.How.
func likenessNames() (names []string) {
	for _, l := range likenesses {
		names = append(names, l.name)
	}
	return names
}

// alikePair makes of a key or id a pair that looks the same to a store that is not
// exact, each a text of its own for one that is. Both are made from s alone and
// as unique as it. ok is false if s has no such pair, or how is not one of likenessNames.
func alikePair(s, how string) (first, second string, ok bool) {
	i := slices.IndexFunc(likenesses, func(l likeness) bool { return l.name == how })
	if i < 0 {
		return "", "", false
	}
	if first, second, ok = likenesses[i].pair(s); !ok {
		return "", "", false
	}
	return first, second, true
}

// likeInHeader tells whether both texts of such a pair arrive in a header as
// they were sent: a blank at the end and letters beyond ASCII do not.
func likeInHeader(how string) bool {
	return !slices.ContainsFunc(likenesses, func(l likeness) bool { return l.name == how && l.body })
}

// otherCase needs a letter. A UUID is the same in both cases (RFC 9562, section
// 4), so that the pair must not be one.
func otherCase(s string) (string, string, bool) {
	if uuid.MatchString(s) {
		s = "key-" + s
	}
	low, up := strings.ToLower(s), strings.ToUpper(s)
	return low, up, low != up
}

var uuid = regexp.MustCompile(`^(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// samePrefix is a pair that is equal in its first n bytes and differs after. It
// begins with s, so that no two pairs are alike.
func samePrefix(n int) func(string) (string, string, bool) {
	return func(s string) (string, string, bool) {
		if len(s) >= n {
			return "", "", false
		}
		fill := s
		for i := 0; len(fill) < n; i++ {
			fill += fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s/%d", s, i)))
		}
		return fill[:n] + "a", fill[:n] + "b", true
	}
}

// digitsOf is a number of 15 digits, the first not 0, made from s: every
// decoder keeps it exactly.
func digitsOf(s string) string { return digits(s, 15) }

// longDigits are two whole numbers that a decoder makes one if it reads them
// as floats: they have more digits than a float64 holds.
func longDigits(s string) (string, string, bool) {
	d := digits(s, 17)
	return d + "0", d + "1", true
}

func digits(s string, n int) string {
	var b strings.Builder
	for i, c := range sha256.Sum256([]byte("idemcheck digits " + s)) {
		if i == 0 {
			b.WriteByte('1' + c%9)
		} else {
			b.WriteByte('0' + c%10)
		}
	}
	return b.String()[:n]
}
