package inject

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// errand is a function that is run as attempts of an operation: of a Call, or of
// a message of a Queue.
type errand struct {
	run    *Run
	op     *operation
	site   string
	actor  string
	do     func(context.Context) (body []byte, take func(), err error)
	late   func(again func()) // takes a late copy over; nil: it comes in History
	faults []Fault
}

// outcome is what the caller gets of an errand; take hands over its result.
type outcome struct {
	take func()
	err  error
}

func (e *errand) has(f Fault) (Fault, bool) { return named(e.faults, f) }

// send is one attempt of the caller, with what its faults add.
func (e *errand) send() outcome {
	e.run.t.Helper()
	e.faults = e.run.decide(e.site, e.op)
	for _, f := range e.faults {
		if !has(inRun[SiteMessage], f) {
			err := fmt.Errorf("inject: fault %s strikes requests only: %s %s is none", f, e.run.options.Name, e.op.id)
			e.run.t.Errorf("%v", err)
			return outcome{err: err}
		}
	}
	if f, ok := e.has(Delay); ok {
		time.Sleep(f.duration(50 * time.Millisecond))
		e.run.fired(e.op, 0, f)
	}
	if f, ok := e.has(LoseRequest); ok {
		return e.neverSent(f)
	}
	got := e.first()
	if f, ok := e.has(Repeat); ok {
		e.again(f)
	}
	if f, ok := e.has(Late); ok {
		e.later(f)
	}
	return got
}

func (e *errand) later(f Fault) {
	if e.late != nil {
		e.late(func() { e.again(f) })
		return
	}
	e.run.later(f, func() { e.again(f) })
}

// begin records that an attempt begins, struck by f or not at all.
func (e *errand) begin(f Fault) *attempt {
	a := e.run.enter(e.op, []Fault{f})
	attrs := map[string]string{history.AttrKeyless: "none"}
	if f != (Fault{}) {
		attrs[history.AttrFault] = f.Name
	}
	e.add(history.Event{Kind: history.Invoke, Attempt: a.number, Attrs: attrs}, nil)
	return a
}

// neverSent is an attempt that lose-request swallows.
func (e *errand) neverSent(f Fault) outcome {
	a, err := e.begin(f), errReset(f)
	e.run.leave(a)
	e.run.fired(e.op, a.number, f)
	e.end(a, nil, err)
	return outcome{err: err}
}

// own is the fault that strikes the caller's own attempt.
func (e *errand) own() Fault {
	for _, f := range []Fault{LoseAnswer, KillBefore, KillAfter, Delay} {
		if f, ok := e.has(f); ok {
			return f
		}
	}
	return Fault{}
}

// first is what the caller meant, twice at once under overlap.
func (e *errand) first() outcome {
	f, ok := e.has(Overlap)
	if !ok {
		return e.attempt(e.begin(e.own()), e.own())
	}
	one, two := e.begin(e.own()), e.begin(f)
	together(one, two)
	second := make(chan outcome, 1)
	go func() { second <- e.attempt(two, f) }()
	got := e.attempt(one, e.own())
	other := <-second
	e.run.fired(e.op, two.number, f)
	if _, lost := e.has(LoseAnswer); got.err != nil && other.err == nil && !lost {
		return other
	}
	return got
}

// again is the attempt that a fault adds.
func (e *errand) again(f Fault) {
	a := e.begin(f)
	e.attempt(a, f)
	e.run.fired(e.op, a.number, f)
}

// attempt runs one attempt and records its end.
func (e *errand) attempt(a *attempt, f Fault) (got outcome) {
	var body []byte
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), attemptKey{}, a))
	defer cancel()
	<-e.run.on(a, func() { body, got.take, got.err = e.do(ctx) })
	if err := a.broken("it"); err != nil {
		got.err = err
	}
	if f.Name == LoseAnswer.Name && got.err == nil {
		e.run.fired(e.op, a.number, f)
		e.end(a, body, errReset(f))
		return outcome{err: errReset(f)}
	}
	e.end(a, body, got.err)
	return got
}

// end records how an attempt ended. A result beside an error was withheld.
func (e *errand) end(a *attempt, body []byte, err error) {
	end := history.Event{Kind: history.OK, Status: "ok", Attempt: a.number}
	if err != nil {
		end.Kind, end.Status, end.Cause, end.Hidden = history.Unknown, "error", err.Error(), string(body)
		if errors.Is(err, errConnection) {
			end.Status = reset
		}
		body = nil
	}
	if body == nil {
		body = []byte{}
	}
	e.add(end, body)
	if err == nil {
		e.run.accepted(e.op)
	}
}

func (e *errand) add(ev history.Event, body []byte) {
	ev.Op, ev.Name, ev.Actor = e.op.id, e.run.options.Name, e.actor
	e.run.add(ev, body)
}
