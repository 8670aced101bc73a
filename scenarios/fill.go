package scenarios

import (
	"context"
	"errors"
	"sync"
)

// fillers is how many operations of a fill step are sent at a time.
const fillers = 4

// fill sends fresh operations that nothing else is done to.
func (c *caseRun) fill(ctx context.Context, count int) error {
	o := c.operation(c.Operation)
	var ops []*live
	for range count {
		ops = append(ops, c.open(live{Operation: o, number: c.next, block: c.next, scope: c.sys.scope(""), case_: c.Name}))
		c.next += c.cost(o)
	}
	c.all = append(c.all, ops...)
	errs := make([]error, fillers)
	var group sync.WaitGroup
	for f := range fillers {
		group.Go(func() {
			for i := f; i < count && errs[f] == nil; i += fillers {
				_, errs[f] = c.send(ctx, ops[i], way{})
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}
