package config

import (
	"context"

	"github.com/idemcheck/idemcheck/scenarios"
)

// Start starts the workers of a System in the order of the file, each when the
// one before is ready; close of System ends them. An error holds what a worker
// printed last.
func (f *File) Start(ctx context.Context, sys scenarios.System) error {
	for _, w := range sys.Workers {
		if err := w.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}
