package inject

import (
	"net/http"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// Transport is the system's side of what it calls, a provider: an effect hook
// that needs no line in the system's code.
//
// A POST or PATCH that holds the id of an operation and is answered 2xx is an
// effect of it, counted for each host by itself; one that repeats the header
// Idempotency-Key of an earlier effect is none, since the provider answers it
// from its record. A DELETE that is answered 2xx takes one back, as [Run.Undo]
// does. Overlapping attempts meet before the call, as at [Run.Effect],
// and a kill strikes before or after it.
//
// The run's provider faults strike the calls of each operation: fail (503, and
// nothing was done; with after, all was), refuse (402), slow, and lose-answer
// where [Options].Provider asks for it. Calls without an id of the run pass.
func (r *Run) Transport(next http.RoundTripper) http.RoundTripper {
	return &provided{run: r, next: next}
}

// provided is what stands between a system and its provider.
type provided struct {
	run  *Run
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (p *provided) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := readBody(q)
	if err != nil {
		return nil, err
	}
	q = withBody(q, q.Context(), body)
	op := p.run.mentioned(q, body)
	if op == nil {
		return p.next.RoundTrip(q)
	}
	c := providerCall{provided: p, op: op, host: SiteProvider + "/" + q.URL.Host, request: q}
	c.faults = p.run.decide(c.host, op)
	return c.do()
}

// mentioned is the operation whose id a call holds; nil if there is none.
func (r *Run) mentioned(q *http.Request, body []byte) *operation {
	for _, place := range places {
		if found := r.find(place(q, body)); len(found) > 0 {
			return r.operation(found[0])
		}
	}
	return nil
}

// providerCall is one call of the system.
type providerCall struct {
	*provided
	op      *operation
	host    string // the site
	request *http.Request
	faults  []Fault
}

func (c *providerCall) do() (*http.Response, error) {
	r := c.run
	if f, ok := named(c.faults, Slow); ok {
		sleep(c.request.Context(), f.duration(time.Second))
		r.fired(c.op, 0, f)
	}
	if f, ok := named(c.faults, Refuse); ok {
		r.fired(c.op, 0, f)
		return madeUp(http.StatusPaymentRequired, c.request), nil
	}
	fail := c.failing()
	if fail.struck && !fail.after {
		fail.note(c)
		return madeUp(http.StatusServiceUnavailable, c.request), nil
	}
	resp, err := c.call()
	f, lost := named(c.faults, LoseAnswer)
	switch {
	case err != nil || !fail.struck && !lost:
		return resp, err
	case lost:
		drop(resp)
		r.fired(c.op, 0, f)
		return nil, errReset(f)
	}
	drop(resp)
	fail.note(c)
	return madeUp(http.StatusServiceUnavailable, c.request), nil
}

// call lets the call through and counts its effect.
func (c *providerCall) call() (*http.Response, error) {
	switch c.request.Method {
	case http.MethodPost, http.MethodPatch:
	case http.MethodDelete:
		resp, err := c.next.RoundTrip(c.request)
		if err == nil && resp.StatusCode/100 == 2 {
			c.run.takeBack(c.host, c.op.id)
		}
		return resp, err
	default:
		return c.next.RoundTrip(c.request)
	}
	d := c.run.before(c.op)
	resp, err := c.next.RoundTrip(c.request)
	if err == nil && resp.StatusCode/100 == 2 && c.run.newKey(c.op, c.host, c.request.Header.Get("Idempotency-Key")) {
		c.run.happen(c.host, c.op)
	}
	if err == nil && d.kill != (Fault{}) {
		drop(resp)
	}
	d.after()
	return resp, err
}

// newKey reports whether the provider has not done work under the key.
func (r *Run) newKey(op *operation, host, key string) bool {
	if key == "" {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if op.keys == nil {
		op.keys = map[string]bool{}
	}
	was := op.keys[host+" "+key]
	op.keys[host+" "+key] = true
	return !was
}

// failure is what fail does to one call.
type failure struct {
	fault  Fault
	struck bool
	after  bool // the work is done before
	again  bool // it began with an earlier call
	left   int  // for how many later calls it lasts
}

// failing is the failure of this call: one that was just decided, or one of an
// earlier call that lasts.
func (c *providerCall) failing() failure {
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	last := c.op.failing[c.host]
	switch f, ok := named(c.faults, Fail); {
	case ok:
		n, after := f.failing()
		last = failure{fault: f, struck: true, after: after, left: n - 1}
	case last.left == 0:
		return failure{}
	default:
		last.again = true
		last.left--
	}
	if c.op.failing == nil {
		c.op.failing = map[string]failure{}
	}
	c.op.failing[c.host] = last
	return last
}

// note records that a call failed.
func (f failure) note(c *providerCall) {
	e := history.Event{Kind: history.Fault, Name: f.fault.Name, Op: c.op.id, Actor: c.host, Attrs: map[string]string{}}
	if f.fault.Arg != "" {
		e.Attrs[history.AttrArg] = f.fault.Arg
	}
	if f.again {
		e.Attrs[history.AttrAgain] = "true"
	}
	c.run.add(e, nil)
}
