package scenarios

import (
	"context"
	"time"

	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

// arm asks for the fault of a step.
func (c *caseRun) arm(ctx context.Context, s Step) error {
	if s.site() == inject.SiteProvider {
		return c.armProvider(ctx, s)
	}
	return c.armAt(ctx, s)
}

// armProvider asks each provider that a step means for its fault.
func (c *caseRun) armProvider(ctx context.Context, s Step) error {
	_, op, err := c.role(s.Role)
	if err == nil {
		err = c.prepare(ctx, op)
	}
	if err != nil {
		return err
	}
	for _, name := range c.sys.called(s.Arm, c.Operation) {
		provider := c.sys.Providers[name]
		fault := c.worked(s.Fault)
		if d, err := time.ParseDuration(fault.Arg); err == nil && fault.Name == inject.Slow.Name {
			op.slowed = max(op.slowed, d)
		}
		fired := provider.Arm(fault, op.id, max(1, s.Call))
		c.runner.armed(c.Name, op.id, fault, 1)
		c.armed = append(c.armed, func() {
			provider.Disarm(op.id)
			if _, note := fired(); note != "" {
				c.mark(c.Name, history.MarkNote, op.id, fault.Name+": "+note)
			}
		})
	}
	return nil
}
