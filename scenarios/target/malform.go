package target

import "strings"

// columnLength is how long a key many stores hold: a column of 255.
const columnLength = 255

// malform puts something that is no good key into the place of the key. What
// it makes is as unique as the key, except where it is nothing: that counts as
// no key. first is the key of the operation, d.key another if two are carried.
func (d *draft) malform(how, first string) {
	key := d.key
	switch how {
	case "empty":
		d.carried = []string{""}
	case "blank":
		d.carried = []string{"  "} // in a header without quotes it arrives empty
	case "over-long":
		most := max(columnLength, d.longest)
		d.carried = []string{key + "-" + strings.Repeat("x", max(most+44-len(key), 1))}
	case "doubled":
		d.carried = []string{first, key}
	case "non-ascii":
		d.carried = []string{key + "-\u00e9\u20ac"}
	default:
		d.carried, d.unquoted = []string{`"` + key + `\`}, true // a quoted string (RFC 9651) without an end
	}
	if d.key = strings.Join(d.carried, ", "); strings.TrimSpace(d.key) == "" {
		d.key, d.keyless = "", "dropped"
	}
}
