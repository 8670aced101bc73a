package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/idemcheck/idemcheck/history"
)

var errBefore = errors.New("an operation that must run before did not succeed")

// prepare runs the operations that must run before op, once, and takes their values.
func (r *runner) prepare(ctx context.Context, op *live) error {
	if op.prepared {
		return nil
	}
	op.prepared = true
	next := op.block
	return r.before(ctx, op, &next)
}

func (r *runner) before(ctx context.Context, op *live, next *int) error {
	for _, name := range op.Before {
		*next++
		b := r.open(live{Operation: r.operation(name), number: *next, block: *next, scope: op.scope, case_: op.case_})
		if err := r.before(ctx, b, next); err != nil {
			return err
		}
		b.prepared = true
		end, err := r.send(ctx, b, way{before: true})
		if err != nil {
			return err
		}
		if end.kind != history.OK {
			return fmt.Errorf("%w: %s, which %s needs, answered %s", errBefore, name, op.Name, end.said())
		}
		maps.Copy(op.values, b.values)
		maps.Copy(op.numbers, b.numbers)
		if err := op.takeFrom(b); err != nil {
			return err
		}
	}
	return nil
}
