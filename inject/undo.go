package inject

import "github.com/idemcheck/idemcheck/history"

// Undo records that one effect of the operation with this id was taken back: a
// charge paid back, a seat given back. Rules judge what is left, so that an
// operation that was refused may have had an effect that is no more. Without an
// effect at [Run.Effect] there is nothing to take back, and the history says so.
// On a nil *Run, Undo does nothing.
func (r *Run) Undo(id string) {
	if r == nil {
		return
	}
	if r.parent != nil {
		r.parent.ask(word{Say: "undo", By: hookEffect, ID: id})
		return
	}
	r.undo(id)
}

func (r *Run) undo(id string) {
	if !r.takeBack(hookEffect, id) {
		r.fail("Undo was called for %s, which had no effect then that could be taken back.", id)
	}
}

// undone is the cause of an effect event that counts one less.
const undone = "taken back"

// takeBack counts one effect less, if there is one.
func (r *Run) takeBack(observer, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	op := r.ops[id]
	if op == nil || op.effects[observer] == 0 {
		return false
	}
	op.effects[observer]--
	r.add(history.Event{Kind: history.Effect, Name: observer, Op: id, Count: op.effects[observer], Actor: "system", Cause: undone}, nil)
	return true
}
