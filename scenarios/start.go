package scenarios

import (
	"context"
	"errors"
	"fmt"
)

// start delivers an attempt and goes on: it is recorded as begun, and leaves at
// once. What is armed for a moment is waited for.
func (c *caseRun) start(ctx context.Context, s Step) error {
	op, w, err := c.way(ctx, s)
	if err != nil {
		return err
	}
	d, err := c.begin(ctx, op, w)
	if err != nil {
		return err
	}
	c.fly(1)
	ended := make(chan struct{})
	c.flying.Go(func() {
		defer close(ended)
		defer c.fly(-1)
		if _, err := c.finish(ctx, d); err != nil {
			c.mu.Lock()
			c.failed = errors.Join(c.failed, err)
			c.mu.Unlock()
		}
	})
	c.met(ctx, ended)
	return nil
}

func (c *caseRun) fly(n int) {
	c.mu.Lock()
	c.left += n
	c.mu.Unlock()
}

// join waits for all that were started.
func (c *caseRun) join() error {
	c.flying.Wait()
	err := c.failed
	c.failed = nil
	return err
}

// actor is who delivers the next attempt: another client where some are under way.
func (c *caseRun) actor() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return "client"
	}
	return fmt.Sprintf("client-%d", c.left+1)
}
