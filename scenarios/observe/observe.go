// Package observe counts effects from outside the system under test.
package observe

import "context"

// Query asks an observer for effects.
type Query struct {
	IDs, Keys []string // operations of interest
	Run       string   // the run id, which every id begins with
	Scope     string   // of the operations, for an observer that is asked for each scope by itself; else ""
}

// Count is how many effects an observer saw under one id or key.
type Count struct {
	ID, Key string // one of them, as the observer reports
	Scope   string // if it reports one
	N       int    // effects so far
	Version string // the version of its entity that it shows, if it reports one
}

// Observer counts effects. Read returns one Count for each id or key that has
// any; ids without effects are left out.
type Observer interface {
	Read(ctx context.Context, q Query) ([]Count, error)
}
