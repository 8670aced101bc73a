package inject

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/idemcheck/idemcheck/history"
)

// Requests wraps next, so that the run's faults strike the requests that a caller
// sends through it, and records them. See [Transport] for what each fault does;
// without an argument, late copies come when all else is done, in [Run.History].
// Which operation a request belongs to is said by [Options].ID.
//
// Nothing is sent again but by faults: whether the caller does is what is tested.
func (r *Run) Requests(next http.RoundTripper) http.RoundTripper {
	return &transport{next: next, keeper: runKeeper{r}}
}

// runKeeper is a Run as the log of a transport.
type runKeeper struct{ *Run }

func (r runKeeper) open(s *shot) error {
	id, err := r.identify(s.request, s.body)
	if err != nil {
		r.complain(err)
		return err
	}
	if id == "" {
		return nil
	}
	op := r.operation(id)
	if op == nil {
		err = fmt.Errorf("%s: Options.ID says %q, which is no operation of this run: take ids from Run.IDs", s.line(), id)
		r.complain(err)
		return err
	}
	s.known, s.of, s.op, s.name = true, op, id, r.options.Name
	s.key = sentKey(&r.options.Contract, s.request, s.body)
	s.faults = r.decide(SiteRequest, op)
	if err := s.prepare(); err != nil {
		r.complain(err)
		return err
	}
	return nil
}

// complain fails the test, once for each reason: callers try again.
func (r *Run) complain(err error) {
	r.t.Helper()
	r.mu.Lock()
	known := slices.Contains(r.complaints, err.Error())
	r.complaints = append(r.complaints, err.Error())
	r.mu.Unlock()
	if !known {
		r.t.Errorf("inject: %v", err)
	}
}

func (r runKeeper) begin(s *shot, own bool) delivery {
	var fs []Fault
	if own {
		fs = s.faults
	}
	a := r.enter(s.of, fs)
	return delivery{number: a.number, try: a}
}

// end of an attempt whose goroutine is ours is the end of that.
func (r runKeeper) end(d delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !d.try.ours {
		r.left(d.try)
	}
}

func (r runKeeper) later(f Fault, deliver func()) bool {
	r.Run.later(f, deliver)
	return true
}

func (r runKeeper) records() bool { return true }

func (r runKeeper) add(e history.Event, body []byte) {
	r.Run.add(e, body)
	if e.Kind == history.OK {
		r.accepted(r.operation(e.Op))
	}
}
