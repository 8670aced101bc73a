package draft

import (
	"net/url"
	"slices"
	"strings"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// vendor finds the preset of the document's vendor. Some documents do not
// mention the key that all operations take: where the vendor's host is that of a
// preset, the key is put where the preset has it.
func (d *document) vendor() {
	if carrier := d.keys(); carrier != "" {
		d.file.Contract = presetOf(carrier, d.names(true))
		return
	}
	for _, c := range contract.Catalogue {
		if len(c.Carrier.Values) != 1 || !strings.HasPrefix(c.Carrier.Values[0], "header ") || !slices.Contains(d.names(false), vendorOf(c)) {
			continue
		}
		d.file.Contract = c.Name
		for _, e := range d.ops {
			if e.Key == "" && e.Method == "POST" {
				e.Key, e.KeyNote = c.Carrier.Values[0], "the document does not mention it; "+c.Name+" has it there"
			}
		}
		return
	}
}

// keys is the carrier that the document itself gives most of its operations.
func (d *document) keys() (most string) {
	n := map[string]int{}
	for _, e := range d.ops {
		if e.Key != "" && e.KeyNote == "" {
			if n[e.Key]++; n[e.Key] > n[most] {
				most = e.Key
			}
		}
	}
	return most
}

// names are the words that may be the vendor's: the parts of the servers' names,
// and with title those of the document's title.
func (d *document) names(title bool) (words []string) {
	for _, s := range d.doc.Servers {
		if u, err := url.Parse(s.URL); err == nil {
			words = append(words, strings.FieldsFunc(strings.ToLower(u.Hostname()), func(r rune) bool { return r == '.' || r == '-' })...)
		}
	}
	if title && d.doc.Info != nil {
		words = append(words, strings.Fields(strings.ToLower(d.doc.Info.Title))...)
	}
	return words
}

// vendorOf is the vendor's name in that of a preset: paypal for paypal-orders.
func vendorOf(c contract.Contract) string {
	vendor, _, _ := strings.Cut(c.Name, "-")
	return vendor
}

// presetOf is the first preset of a vendor whose keys travel there, "" if there is none.
func presetOf(carrier string, vendors []string) string {
	for _, c := range contract.Catalogue {
		if slices.Contains(vendors, vendorOf(c)) && slices.ContainsFunc(c.Carrier.Values, func(v string) bool { return strings.EqualFold(v, carrier) }) {
			return c.Name
		}
	}
	return ""
}
