package inject

import (
	"context"
	"slices"
)

// Attempt says whose attempt a context belongs to, and which of that operation's
// it is, from 1. Of a context that is no attempt's they are "" and 0.
func Attempt(ctx context.Context) (id string, number int) {
	if a := attemptOf(ctx); a != nil && a.op != nil {
		return a.op.id, a.number
	}
	return "", 0
}

// Handle runs f, which is what a server does in an attempt that came to it by a
// network: with [Attempt]'s answers, which the caller's side has sent along, the run
// sees on which goroutine it is done, and can kill it there. The error says that it
// was killed. An attempt that does not run is none: then f is only run. A panic of f
// goes on here.
func (r *Run) Handle(ctx context.Context, id string, number int, f func(ctx context.Context)) error {
	a := r.unhandled(id, number)
	if a == nil {
		f(ctx)
		return nil
	}
	<-r.on(a, func() { f(context.WithValue(ctx, attemptKey{}, a)) })
	if a.panicked != nil {
		panic(a.panicked)
	}
	return a.broken("the handler")
}

// unhandled is an attempt that runs, on no goroutine that is known.
func (r *Run) unhandled(id string, number int) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	op := r.ops[id]
	if op == nil {
		return nil
	}
	i := slices.IndexFunc(op.running, func(a *attempt) bool { return a.number == number && !a.ours })
	if i < 0 {
		return nil
	}
	a := op.running[i]
	a.ours, a.gate = true, nil // a network may lose the one that it would wait for
	return a
}
