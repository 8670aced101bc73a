//go:build unix

package worker_test

import (
	"context"
	"fmt"
	"time"

	"github.com/idemcheck/idemcheck/inject/worker"
)

// A worker is killed and started again, as often as one likes.
func ExampleWorker() {
	w := worker.New(worker.Config{
		Name:  "api",
		Args:  []string{"/bin/sh", "-c", "echo listening; sleep 60"},
		Ready: worker.Ready{Line: "^listening", Within: 10 * time.Second},
	}, nil)
	for range 2 {
		fmt.Println("started:", w.Start(context.Background()), w.Alive())
		fmt.Println("killed:", w.Kill(), w.Alive())
	}
	// Output:
	// started: <nil> true
	// killed: <nil> false
	// started: <nil> true
	// killed: <nil> false
}
