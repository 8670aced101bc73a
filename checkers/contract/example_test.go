package contract_test

import (
	"fmt"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

func ExampleState() {
	c := contract.Contract{Replay: contract.State("verbatim"), Mismatch: contract.State("409", "422")}
	fmt.Println(c.Replay.Judged(), c.Mismatch.Has("422"), c.InFlight.Judged())
	// Output: true true false
}
