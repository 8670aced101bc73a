//go:build unix

package inject_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// A worker sends a mail and then notes that it did. Killed between the two, it
// sends the mail again.
func ExampleRun_Process() {
	t := &exampleT{name: "ExampleRun_Process"}
	defer t.end()
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)

	run := inject.Options{Faults: []inject.Fault{inject.KillAfter}, Name: "mail"}.Start(t)
	work := run.Process(dir, func(dir string) func(context.Context, string) error {
		return func(_ context.Context, id string) error {
			note := filepath.Join(dir, id)
			if _, err := os.Stat(note); err == nil {
				return nil // it is sent
			}
			run.Effect(id) // the mail goes out
			return os.WriteFile(note, nil, 0o600)
		}
	})
	run.Queue("mail-1", "mail-2").Consume(work)

	for _, c := range checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce).Cases {
		for _, v := range c.Violations {
			fmt.Println(v.Reason)
		}
	}
	// Output: mail-1 took effect 2 times. 1 was allowed.
}
