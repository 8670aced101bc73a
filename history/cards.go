package history

// A card number has 13 to 19 digits.
const (
	cardMin = 13
	cardMax = 19
)

// cards redacts card numbers in a text: the digits in one piece, or a group of
// four and more groups with one blank or dash between them. Longer runs of
// digits, and those behind a decimal point, are none.
func (c *censor) cards(s string) string {
	w := rewriter{in: s}
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			i++
			continue
		}
		group := digitsIn(s[i:])
		if number, end := cardAt(s, i, group); number != "" {
			w.replace(i, end, c.hash.secret(number))
			i = end
			continue
		}
		i += group
	}
	return w.text()
}

func digitsIn(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// cardAt looks for a card number that begins with the group of digits at i. It
// returns the bare digits and where the number ends.
func cardAt(s string, i, group int) (number string, end int) {
	if group != 4 && group < cardMin || group > cardMax || afterPoint(s, i) {
		return "", 0
	}
	if group >= cardMin {
		if isCard(s[i : i+group]) {
			return s[i : i+group], i + group
		}
		return "", 0
	}
	return groupedCard(s, i, group)
}

func afterPoint(s string, i int) bool { return i >= 2 && s[i-1] == '.' && isDigit(s[i-2]) }

// groupedCard takes the longest run of groups that is a card number.
func groupedCard(s string, i, group int) (number string, end int) {
	all := make([]byte, 0, cardMax)
	for at := i; ; {
		all = append(all, s[at:at+group]...)
		at += group
		if isCard(string(all)) {
			number, end = string(all), at
		}
		if at+1 >= len(s) || s[at] != ' ' && s[at] != '-' || s[at] != s[i+4] {
			return number, end
		}
		at++
		group = digitsIn(s[at:])
		if group == 0 || len(all)+group > cardMax {
			return number, end
		}
	}
}

// isCard reports whether digits can be a card number: an issuer's prefix, a
// length that this issuer uses, and Luhn's check digit. The prefix keeps most
// order numbers and all timestamps of this century out.
func isCard(digits string) bool {
	n := len(digits)
	if n < cardMin || n > cardMax || digitsIn(digits) != n {
		return false
	}
	for _, r := range issuers {
		prefix := 0
		for _, d := range []byte(digits[:r.digits]) {
			prefix = 10*prefix + int(d-'0')
		}
		if prefix >= r.from && prefix <= r.to && n >= r.min && n <= r.max {
			return luhn(digits)
		}
	}
	return false
}

// issuers are the prefixes of the large card schemes (ISO/IEC 7812) and the
// lengths of their numbers.
var issuers = []struct{ digits, from, to, min, max int }{
	{1, 4, 4, 13, 19},           // Visa
	{2, 51, 55, 16, 16},         // Mastercard
	{4, 2221, 2720, 16, 16},     // Mastercard
	{4, 2200, 2204, 16, 19},     // Mir
	{2, 34, 34, 15, 15},         // American Express
	{2, 37, 37, 15, 15},         // American Express
	{4, 6011, 6011, 16, 19},     // Discover
	{3, 644, 659, 16, 19},       // Discover, RuPay
	{2, 62, 62, 16, 19},         // UnionPay
	{3, 810, 817, 16, 19},       // UnionPay
	{4, 3528, 3589, 16, 19},     // JCB
	{3, 300, 305, 14, 19},       // Diners Club
	{2, 36, 36, 14, 19},         // Diners Club
	{2, 38, 39, 14, 19},         // Diners Club
	{4, 5018, 5018, 13, 19},     // Maestro
	{4, 5019, 5020, 13, 19},     // Dankort, Maestro
	{4, 5038, 5038, 13, 19},     // Maestro
	{4, 5893, 5893, 13, 19},     // Maestro
	{4, 6304, 6304, 13, 19},     // Maestro
	{4, 6759, 6763, 13, 19},     // Maestro
	{6, 506099, 506198, 16, 19}, // Verve
	{6, 507865, 507964, 16, 19}, // Verve
	{3, 508, 508, 16, 16},       // RuPay
	{6, 979200, 979289, 16, 16}, // Troy
}

// luhn checks the last digit by the formula of ISO/IEC 7812-1, annex B.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
