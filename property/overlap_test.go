package property_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/property"
)

// The least that fails is one fault, one order, and the events of that order.
func TestUnderFaultsShrinks(t *testing.T) {
	f := try("Test", func(t rapid.TB) {
		property.UnderFaults(t, everything, orderTrial(racyShop), checkers.ExactlyOnce)
	})
	golden(t, "faults-overlap", f.untold())
	got := f.text()
	for _, want := range []string{"draw faults: overlap at operation 1\n", "draw orders: 1\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := len(mid.FindAllString(got, -1)); n != 8 { // a head, and two copies that begin, charge and end
		t.Errorf("the timeline has %d lines:\n%s", n, got)
	}
}
