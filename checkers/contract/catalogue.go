package contract

import (
	"slices"
	"time"
)

const day = 24 * time.Hour

func field(source string, c Confidence, values ...string) Field {
	return Field{Values: values, Source: source, Confidence: c}
}

// lasting says of the life of a key where it was read, and whether it is kept
// for exactly so long or for that time at least.
func lasting(source string, c Confidence, how string) Field { return field(source, c, how) }

// Catalogue holds the presets. A preset says what its source says; what the
// source leaves open is unspecified. Where a source speaks of a result, not of
// an answer, the replay may be any that shows the same result.
var Catalogue = slices.Concat(
	[]Contract{{Name: "none", Doc: "nothing is promised: only effects, leaks and stated lives are judged"}},
	standards, stripes, cards, paypal, banks, shops, libraries, queues,
)

// Lookup finds a preset by name.
func Lookup(name string) (Contract, bool) {
	for _, c := range Catalogue {
		if c.Name == name {
			return c, true
		}
	}
	return Contract{}, false
}
