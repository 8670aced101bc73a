package history

import (
	"bytes"
	"strconv"
)

// Numbers with a point this many places behind or before their first digit are
// written plainly, others with an exponent. The choice hangs on the value alone,
// so that one value has one spelling.
const (
	plainAbove = 40
	plainBelow = -6
)

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// digits is the number of digits that b begins with.
func digits(b []byte) int {
	n := 0
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}

// numeral is a JSON number taken apart.
type numeral struct {
	negative       bool
	whole, part    []byte // the digits before and after the point
	exponent       []byte // its digits
	negativeExp    bool
	length         int // bytes read
	plainlyWritten bool
}

// parseNumber reads the number that b begins with.
func parseNumber(b []byte) (n numeral, ok bool) {
	i := 0
	if i < len(b) && b[i] == '-' {
		n.negative = true
		i++
	}
	d := digits(b[i:])
	if d == 0 || d > 1 && b[i] == '0' {
		return n, false
	}
	n.whole = b[i : i+d]
	i += d
	n.plainlyWritten = true
	if i < len(b) && b[i] == '.' {
		d = digits(b[i+1:])
		n.part = b[i+1 : i+1+d]
		n.plainlyWritten = false
		if i += 1 + d; d == 0 {
			return n, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			n.negativeExp = b[i] == '-'
			i++
		}
		d = digits(b[i:])
		n.exponent = b[i : i+d]
		n.plainlyWritten = false
		if i += d; d == 0 {
			return n, false
		}
	}
	n.length = i
	return n, true
}

func (c *canonizer) number() bool {
	n, ok := parseNumber(c.in[c.pos:])
	if !ok {
		return false
	}
	c.out = n.append(c.out, c.in[c.pos:c.pos+n.length])
	c.pos += n.length
	return true
}

// append writes the number's one spelling. token is how it was written.
func (n numeral) append(dst, token []byte) []byte {
	if n.plainlyWritten && n.whole[0] != '0' && len(n.whole) <= plainAbove {
		return append(dst, token...)
	}
	all := append(append(make([]byte, 0, 64), n.whole...), n.part...)
	significant := bytes.TrimLeft(all, "0")
	point := len(n.whole) - (len(all) - len(significant)) // the value is 0.SIGNIFICANT times ten to this
	significant = bytes.TrimRight(significant, "0")
	if len(significant) == 0 {
		return append(dst, '0') // also -0 and 0e9
	}
	exponent := bytes.TrimLeft(n.exponent, "0")
	if len(exponent) > 15 {
		return append(dst, bytes.ToLower(token)...) // no service computes with it: leave it as it is
	}
	shift, _ := strconv.Atoi("0" + string(exponent))
	if n.negativeExp {
		shift = -shift
	}
	if n.negative {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, significant, point+shift)
}

// appendDecimal writes 0.DIGITS times ten to the power of point.
func appendDecimal(dst, digits []byte, point int) []byte {
	switch {
	case point > plainAbove || point <= plainBelow:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(append(dst, '.'), digits[1:]...)
		}
		return strconv.AppendInt(append(dst, 'e'), int64(point-1), 10)
	case point <= 0:
		return append(appendZeros(append(dst, "0."...), -point), digits...)
	case point >= len(digits):
		return appendZeros(append(dst, digits...), point-len(digits))
	}
	return append(append(append(dst, digits[:point]...), '.'), digits[point:]...)
}

func appendZeros(dst []byte, n int) []byte { return append(dst, bytes.Repeat([]byte{'0'}, n)...) }
