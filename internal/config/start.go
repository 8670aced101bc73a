package config

import (
	"context"
	"errors"

	"github.com/idemcheck/idemcheck/scenarios"
)

// Start starts the workers of a System in the order of the file, each when the
// one before is ready; close of System ends them. An error holds what a worker
// printed last, and what links could not reach.
func (f *File) Start(ctx context.Context, sys scenarios.System) error {
	for _, w := range sys.Workers {
		err := w.Start(ctx)
		if err == nil {
			continue
		}
		for _, l := range sys.Links {
			err = errors.Join(err, l.Err())
		}
		return err
	}
	return nil
}
