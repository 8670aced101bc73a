package property_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/property"
)

// orderTrial draws how many orders there are and pays them.
func orderTrial(make func(charge func(string)) *shop) func(t *rapid.T, run *inject.Run) {
	return func(t *rapid.T, run *inject.Run) {
		client := run.Client(make(run.Effect))
		for id := range run.IDs(rapid.IntRange(1, 6).Draw(t, "orders")) {
			if err := pay(client, id); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func racyShop(charge func(string)) *shop {
	s := newShop(charge)
	s.racy = true
	return s
}

func blindShop(charge func(string)) *shop {
	s := newShop(charge)
	s.blind = true
	return s
}

func TestUnderFaultsSound(t *testing.T) {
	property.UnderFaults(t, everything, orderTrial(newShop), checkers.ExactlyOnce, checkers.SameAnswer)
}

func TestUnderFaultsSoundInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		property.UnderFaults(t, everything, orderTrial(newShop), checkers.ExactlyOnce)
	})
}

var brokenUnderFaults = laws{
	{"faults-repeat", func(t rapid.TB) {
		property.UnderFaults(t, everything, orderTrial(blindShop), checkers.ExactlyOnce)
	}},
	{"faults-kill", func(t rapid.TB) { // the charge and the note of it are two steps
		o := everything
		o.Faults = append([]inject.Fault{inject.KillAfter}, o.Faults...)
		property.UnderFaults(t, o, orderTrial(newShop), checkers.ExactlyOnce)
	}},
	{"faults-never", func(t rapid.TB) {
		o := inject.Options{Faults: []inject.Fault{inject.Repeat, inject.Slow}}
		property.UnderFaults(t, o, orderTrial(newShop), checkers.ExactlyOnce)
	}},
	{"faults-none", func(t rapid.TB) {
		property.UnderFaults(t, inject.Options{}, orderTrial(newShop))
	}},
}

func TestUnderFaultsFails(t *testing.T) {
	for _, l := range brokenUnderFaults {
		t.Run(l.name, func(t *testing.T) {
			f := try("Test", l.test)
			if !f.failed {
				t.Errorf("passed: %s", f.text())
			}
			golden(t, l.name, f.text())
		})
	}
}

// A failure that is found before anything was judged is shrunk and told like any
// other, although most of what the shrinking tries has nothing to judge.
func TestUnderFaultsFailsAtOnce(t *testing.T) {
	o := inject.Options{Faults: []inject.Fault{inject.Repeat, inject.Overlap}}
	for range 10 {
		f := try("Test", func(t rapid.TB) {
			property.UnderFaults(t, o, orderTrial(blindShop), checkers.ExactlyOnce, checkers.SameAnswer)
		})
		if text := f.text(); !f.failed || !strings.Contains(text, "! effect  effect 2") {
			t.Fatalf("no timeline:\n%s", text)
		}
	}
}
