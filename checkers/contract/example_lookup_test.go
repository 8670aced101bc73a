package contract_test

import (
	"fmt"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// A preset says what a vendor's own text says, and where that stands.
func ExampleLookup() {
	c, ok := contract.Lookup("stripe")
	fmt.Println(ok, c.Carrier.Values, c.Replay.Values, c.Replay.Judged())
	// Output: true [header Idempotency-Key] [verbatim] true
}
