package inject

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/idemcheck/idemcheck/history"
)

// Call runs f as an attempt of the operation with this id, and strikes it with
// the run's faults: a lost request never runs f, a lost answer runs it and
// returns an error, repeat, overlap and late run it once more. The error of a
// fault wraps syscall.ECONNRESET.
//
// An error of f is recorded as unknown: perhaps it had done its work before. f
// runs on a goroutine of its own, where KillBefore and KillAfter can end it; a
// panic is an error, too. Its result is kept as JSON.
func Call[A any](r *Run, id string, f func(context.Context) (A, error)) (A, error) {
	var answer A
	c := invocation{run: r, name: SiteRequest, op: r.called(id), f: func(ctx context.Context) ([]byte, func(), error) {
		a, err := f(ctx)
		if err != nil {
			return nil, nil, err
		}
		text, jsonErr := json.Marshal(a)
		if jsonErr != nil {
			text = fmt.Append(nil, a)
		}
		return text, func() { answer = a }, nil
	}}
	take, err := c.do()
	if err != nil {
		return answer, err
	}
	take()
	return answer, nil
}

// called is the operation of an id; one that is new is made.
func (r *Run) called(id string) *operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.know(id, numbered(id))
}

// invocation is a function that is run as attempts of an operation.
type invocation struct {
	run    *Run
	name   string // of the site
	op     *operation
	f      func(context.Context) (body []byte, take func(), err error)
	faults []Fault
}

func (c *invocation) has(f Fault) (Fault, bool) { return named(c.faults, f) }

// do is one call of the caller with what its faults add.
func (c *invocation) do() (take func(), err error) {
	c.faults = c.run.decide(c.name, c.op)
	if f, ok := c.has(LoseRequest); ok {
		return nil, c.neverMade(f)
	}
	take, err = c.first()
	if f, ok := c.has(Repeat); ok {
		c.again(f)
	}
	if f, ok := c.has(Late); ok {
		c.run.mu.Lock()
		c.run.late = append(c.run.late, func() { c.again(f) })
		c.run.mu.Unlock()
	}
	return take, err
}

func (c *invocation) begin(f Fault) *attempt {
	c.run.mu.Lock()
	c.op.copies++
	n := c.op.copies
	c.run.mu.Unlock()
	a := c.run.enter(c.op, n, nil)
	if kills(f) {
		a.kill = f
	}
	e := history.Event{Kind: history.Invoke, Attempt: n, Attrs: map[string]string{history.AttrKeyless: "none"}}
	if f != (Fault{}) {
		e.Attrs[history.AttrFault] = f.Name
	}
	c.add(e, nil)
	return a
}

func (c *invocation) neverMade(f Fault) error {
	err := errReset(f)
	a := c.begin(f)
	c.run.leave(a)
	c.run.fired(c.op, a.number, f)
	c.add(history.Event{Kind: history.Unknown, Attempt: a.number, Status: reset, Cause: err.Error()}, nil)
	return err
}

func (c *invocation) own() Fault {
	for _, f := range []Fault{LoseAnswer, KillBefore, KillAfter} {
		if f, ok := c.has(f); ok {
			return f
		}
	}
	return Fault{}
}

type result struct {
	take func()
	err  error
}

// first is what the caller meant, twice at once under overlap.
func (c *invocation) first() (func(), error) {
	f, ok := c.has(Overlap)
	if !ok {
		r := c.run1(c.begin(c.own()), c.own())
		return r.take, r.err
	}
	one, two := c.begin(c.own()), c.begin(f)
	together(one, two)
	other := make(chan result, 1)
	go func() { other <- c.run1(two, Fault{}) }()
	r := c.run1(one, c.own())
	o := <-other
	c.run.fired(c.op, two.number, f)
	if _, lost := c.has(LoseAnswer); r.err != nil && o.err == nil && !lost {
		r = o
	}
	return r.take, r.err
}

func (c *invocation) again(f Fault) {
	c.run1(c.begin(f), Fault{})
	c.run.fired(c.op, 0, f)
}

// run1 runs one attempt and records its end.
func (c *invocation) run1(a *attempt, f Fault) (r result) {
	var body []byte
	var panicked any
	returned := false
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), attemptKey{}, a))
	<-c.run.on(a, func() {
		defer cancel()
		defer func() { panicked = recover() }()
		body, r.take, r.err = c.f(ctx)
		returned = true
	})
	c.run.leave(a)
	switch {
	case panicked != nil:
		r.err = fmt.Errorf("it panicked: %v", panicked)
	case !returned && a.killed != Fault{}:
		r.err = errReset(a.killed)
	case !returned:
		r.err = fmt.Errorf("it ended its goroutine: %w", errReset(Fault{}))
	}
	e := history.Event{Kind: history.OK, Attempt: a.number, Status: "ok"}
	switch {
	case r.err != nil:
		e.Kind, e.Status, e.Cause = history.Unknown, "error", r.err.Error()
	case f.Name == LoseAnswer.Name:
		c.run.fired(c.op, a.number, f)
		e = history.Event{Kind: history.Unknown, Attempt: a.number, Status: reset, Hidden: string(body)}
		body, r = nil, result{err: errReset(f)}
		e.Cause = r.err.Error()
	}
	if body == nil {
		body = []byte{}
	}
	c.add(e, body)
	return r
}

func (c *invocation) add(e history.Event, body []byte) {
	e.Op, e.Name, e.Actor = c.op.id, c.run.options.Name, "client"
	c.run.add(e, body)
}
