package property_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/property"
)

// A failure is kept in a file, which is run first next time, and passes once the
// mistake is mended.
func TestFailFileRunsAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	set := func(name, value string) {
		before := flag.Lookup(name).Value.String()
		flag.Set(name, value)
		t.Cleanup(func() { flag.Set(name, before) })
	}
	set("rapid.nofailfile", "false")
	test := func(shop func(func(string)) *shop) func(t rapid.TB) {
		return func(t rapid.TB) {
			o := inject.Options{Faults: []inject.Fault{inject.Repeat}}
			property.UnderFaults(t, o, orderTrial(shop), checkers.ExactlyOnce)
		}
	}
	first := try("TestOrders", test(blindShop))
	files, _ := filepath.Glob("testdata/rapid/TestOrders/*.fail")
	if !first.failed || len(files) != 1 {
		t.Fatalf("%d files: %s", len(files), first.text())
	}
	set("rapid.seed", "77")
	again := try("TestOrders", test(blindShop))
	if got := again.text(); !strings.Contains(got, "failed after 0 tests: at-most-once: order-1") || !strings.Contains(got, files[0]) {
		t.Errorf("the file was not run: %s", got)
	}
	if mended := try("TestOrders", test(newShop)); mended.failed {
		t.Error(mended.text())
	}
}

// The same draws make the same runs.
func TestSameSeedSameFailure(t *testing.T) {
	for _, l := range []laws{broken[:1], brokenUnderFaults[:1], brokenModels[:1]} {
		if one, two := try("Test", l[0].test).text(), try("Test", l[0].test).text(); one != two {
			t.Errorf("%s: first\n%s\nthen\n%s", l[0].name, one, two)
		}
	}
}

// Laws are fuzz targets.
func FuzzLaws(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		property.Idempotent(t, words, slug)
		property.Repeats(t, payments, accounts(false))
		property.UnderFaults(t, everything, orderTrial(newShop), checkers.ExactlyOnce)
		property.Follows(t, entries, tills(asIs, inject.Repeat, inject.LoseAnswer))
	}))
}
