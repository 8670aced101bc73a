package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/idemcheck/idemcheck/history"
)

// arm asks each provider that a step means for its fault.
func (c *caseRun) arm(ctx context.Context, s Step) error {
	_, op, err := c.role(s.Role)
	if err == nil {
		err = c.prepare(ctx, op)
	}
	if err != nil {
		return err
	}
	names := c.sys.called(s.Arm, c.Operation)
	if len(names) == 0 {
		return fmt.Errorf("%s is not known: the providers are %s", s.Arm, strings.Join(c.providerNames(), ", "))
	}
	for _, name := range names {
		provider := c.sys.Providers[name]
		fired := provider.Arm(s.Fault, op.id, max(1, s.Call))
		c.runner.armed(c.Name, op.id, s.Fault, 1)
		c.armed = append(c.armed, func() {
			provider.Disarm(op.id)
			if _, note := fired(); note != "" {
				c.mark(c.Name, history.MarkNote, op.id, s.Fault.Name+": "+note)
			}
		})
	}
	return nil
}

func (c *caseRun) providerNames() []string {
	var names []string
	for name := range c.sys.Providers {
		names = append(names, name)
	}
	return names
}
