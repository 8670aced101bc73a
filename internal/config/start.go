package config

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/idemcheck/idemcheck/inject/worker"
	"github.com/idemcheck/idemcheck/scenarios"
)

// Start starts the workers of a System in the order of the file, each when the
// one before is ready; close of System ends them. An error holds what a worker
// printed last.
func (f *File) Start(ctx context.Context, sys scenarios.System) error {
	for _, w := range f.Workers {
		if err := unused(ctx, w.Ready); err != nil {
			return fmt.Errorf("worker %s: %w", w.Name, err)
		}
	}
	for _, w := range sys.Workers {
		if err := w.Start(ctx); err != nil {
			return fmt.Errorf("worker %s: %w", w.Name(), err)
		}
	}
	return nil
}

// unused holds that nothing answers yet where a worker will: it would be taken
// for the worker, and go on when that one is killed.
func unused(ctx context.Context, r worker.Ready) error {
	addr := r.Addr
	if u, err := url.Parse(r.URL); err == nil && u.Host != "" {
		if addr = u.Host; u.Port() == "" {
			addr = net.JoinHostPort(u.Hostname(), u.Scheme)
		}
	}
	if addr == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil
	}
	return errors.Join(c.Close(), fmt.Errorf("something listens on %s already, so it could not be told from the worker: stop it", addr))
}
