package inject

import (
	"context"
	"encoding/json"
	"fmt"
)

// Call runs f as an attempt of the operation with this id, struck by the run's
// faults: a lost request never runs f; a lost answer runs it, and the caller gets
// an error that wraps syscall.ECONNRESET; repeat, overlap and late run it once
// more; kill-before and kill-after end it at its [Run.Effect]. Like a lost answer
// looks what f itself ends by a panic.
//
// An error of f is recorded as unknown, since f may have done its work before;
// the caller gets it as it is. A result is kept in the history as JSON. f runs on
// a goroutine of its own, with a context that ends when f has returned.
//
// The id is one of [Run.IDs], or one that the caller made: when that is struck is
// a matter of its hash.
func Call[A any](r *Run, id string, f func(context.Context) (A, error)) (A, error) {
	r.t.Helper()
	var answer A
	e := errand{run: r, op: r.called(id), site: SiteRequest, actor: "client", do: func(ctx context.Context) ([]byte, func(), error) {
		a, err := f(ctx)
		if err != nil {
			return nil, nil, err
		}
		return asText(a), func() { answer = a }, nil
	}}
	got := e.send()
	if got.err == nil {
		got.take()
	}
	return answer, got.err
}

// asText is how a result stands in the history.
func asText(a any) []byte {
	if text, err := json.Marshal(a); err == nil {
		return text
	}
	return fmt.Append(nil, a)
}

// called is the operation of an id; one that is new is made.
func (r *Run) called(id string) *operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.know(id, numbered(id))
}
