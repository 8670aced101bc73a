package property_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// Examples and golden texts need the same draws each time, and failures that are
// wanted leave no files.
func TestMain(m *testing.M) {
	flag.Set("rapid.seed", "1")
	flag.Set("rapid.nofailfile", "true")
	goleak.VerifyTestMain(m)
}
