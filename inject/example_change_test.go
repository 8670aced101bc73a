package inject_test

import (
	"context"
	"fmt"

	"github.com/idemcheck/idemcheck/inject"
)

// Another payload under the same key: all bytes but one value stay.
func ExampleChangeJSON() {
	changed, at, ok := inject.ChangeJSON([]byte(`{"order": "A-1", "amount": 500}`), "/amount")
	fmt.Println(string(changed), at, ok)
	// Output: {"order": "A-1", "amount": 501} /amount true
}

// A form has fields instead of pointers.
func ExampleChangeForm() {
	changed, at, ok := inject.ChangeForm([]byte("order=A-1&amount=500"), "amount")
	fmt.Println(string(changed), at, ok)
	// Output: order=A-1&amount=501 amount true
}

// What runs in an attempt can ask whose it is, as a logger does.
func ExampleAttempt() {
	defer t.end()
	run := inject.Start(t) // the t of a test
	for id := range run.IDs(1) {
		_, _ = inject.Call(run, id, func(ctx context.Context) (string, error) {
			fmt.Println(inject.Attempt(ctx))
			run.Effect(id)
			return "", nil
		})
	}
	// Output: order-1 1
}
