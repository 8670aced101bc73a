// Package template is the one template syntax of idemcheck.yaml, ${...}.
package template

import "time"

// Vars are the values of one operation.
type Vars struct {
	ID, Key, Scope, Run string
	N                   int               // number of the operation in the run
	Seed                uint64            // ${int a b} draws from (Seed, N, place in the file)
	Now                 time.Time         // rendered RFC 3339, UTC
	Values              map[string]string // taken from answers of operations that ran before
}
