package point_test

import (
	"fmt"

	"github.com/idemcheck/idemcheck/inject/point"
)

// A worker that charges a card and then notes that it did: the place between
// the two gets a name. Run under
//
//	IDEMCHECK_POINTS='after-effect=kill'
//
// the process is gone before the note is written; without the variable nothing happens.
func ExampleAt() {
	fmt.Println("charge the card")
	point.At("after-effect")
	fmt.Println("note the charge")
	// Output:
	// charge the card
	// note the charge
}
