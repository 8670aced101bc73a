package inject

import (
	"runtime"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// hookEffect is the observer that Effect is.
const hookEffect = "effect"

// Effect records that the operation with this id takes effect now: call it where
// money moves. Two attempts of one operation that run at once meet here: the
// first one waits until the other has come as well, has ended, or stands still
// because it waits for the first; so a check before the effect that is not held
// until after it is found out every time.
//
// KillBefore and KillAfter strike here. They end the goroutine that runs the
// attempt by runtime.Goexit: the caller sees a reset, what comes after Effect
// never happens, but deferred functions do run, so that a deferred rollback
// happens, which a real kill would not do.
//
// An attempt that called Effect on another goroutine than its own is not killed,
// and the history then says that the fault did not fire. An id that is none of
// the run is recorded as foreign and judged by nothing. On a nil *Run, Effect
// does nothing: production code may hold one.
func (r *Run) Effect(id string) {
	if r != nil {
		r.effect(id)
	}
}

func (r *Run) effect(id string) {
	if r.parent != nil {
		r.parent.effect(id)
		return
	}
	op := r.operation(id)
	if op == nil {
		r.stranger(hookEffect, id)
		return
	}
	s := r.before(op)
	r.happen(hookEffect, op)
	s.after()
}

// doom is a kill that is to strike after an effect; the zero one strikes nothing.
type doom struct {
	run    *Run
	op     *operation
	number int
	kill   Fault
}

// before is what an effect waits for before it happens: others meet it, or the
// goroutine is killed.
func (r *Run) before(op *operation) doom {
	d := r.killing(op)
	if d.kill.Name == KillBefore.Name {
		d.strike()
	}
	r.meet(op)
	return d
}

// after is what comes when the effect has happened.
func (d doom) after() {
	if d.kill != (Fault{}) {
		d.strike()
	}
}

func (d doom) strike() {
	d.run.fired(d.op, d.number, d.kill)
	runtime.Goexit()
}

// happen records an effect of an operation.
func (r *Run) happen(observer string, op *operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.hooks, observer) {
		r.hooks = append(r.hooks, observer)
	}
	op.effects[observer]++
	r.cameLate(op)
	r.add(history.Event{Kind: history.Effect, Name: observer, Op: op.id, Count: op.effects[observer], Actor: "system"}, nil)
}

// stranger records an effect of something that is no operation of the run.
func (r *Run) stranger(observer, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.foreign, id) {
		r.foreign = append(r.foreign, id)
	}
	r.add(history.Event{Kind: history.Effect, Name: observer, Op: id, Actor: "system", Count: 1, Attrs: map[string]string{history.AttrForeign: "true"}}, nil)
}

// killing is the kill that is to strike on this goroutine.
func (r *Run) killing(op *operation) doom {
	r.mu.Lock()
	doomed := slices.ContainsFunc(op.running, func(a *attempt) bool { return a.kill != Fault{} })
	r.mu.Unlock()
	if !doomed {
		return doom{}
	}
	me := goroutine()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range op.running {
		if a.goroutine == me && a.kill != (Fault{}) {
			a.kill, a.killed = Fault{}, a.kill // it strikes once
			return doom{run: r, op: op, number: a.number, kill: a.killed}
		}
	}
	if r.elsewhere == "" && !slices.ContainsFunc(op.running, func(a *attempt) bool { return a.goroutine == me }) {
		r.elsewhere = op.id
	}
	return doom{}
}

// change wakes who waits at an effect. It is called with Run.mu held.
func (op *operation) change() {
	if op.changed != nil {
		close(op.changed)
		op.changed = nil
	}
}
