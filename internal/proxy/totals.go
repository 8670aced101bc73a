package proxy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

const totalGap = 10 * time.Second // between two readings of a total

// totals reads sums that have no ids, and tells the learner how much they grew and
// what passed meanwhile. Only what was struck by lot can tell a copy's part in that
// from another cause: so what passed is told of a single route, with copies that a
// percentage of all its requests got, one after the other.
type totals struct {
	p     *Proxy
	all   []*total
	known []identified // the operations of the file

	reading sync.Mutex // held while all are read
	undone  int64      // strikes that were not made until the last reading

	mu     sync.Mutex // all below, and the windows
	latest time.Time  // that something passed
}

// total is one sum.
type total struct {
	name, say string
	of        []string // operations; none: all that may change something
	again     bool     // it counts the repeats that were recognised: the others are told
	read      func(context.Context) (value float64, ok bool, err error)

	last   float64 // value
	had    bool
	window interval
	only   string // the one route that changed it so far
	many   bool   // there was another
	uneven bool   // some requests could not be copied
	told   int    // windows
	not    map[string]int
}

// interval is what passed between two readings.
type interval struct {
	routes map[string]*passedOn
	mixed  bool // something was struck otherwise than by lot, or with another fault
}

type passedOn struct{ accepted, copies, taken int } // taken: copies that were accepted, too

func newTotals(p *Proxy) *totals {
	t := &totals{p: p}
	if t.all = t.find(); len(t.all) > 0 {
		t.known = newIdentified(p.opt.Base, p.opt.Operations, nil)
	}
	return t
}

// operation is that of a request; "" if the file names none.
func (t *totals) operation(method, path []byte) string {
	for i := range t.known {
		if x := &t.known[i]; x.method == string(method) && x.path.Match(path) {
			return x.name
		}
	}
	return ""
}

// each calls f for every total that a request may change, with what passed on its
// route. The lock is held.
func (t *totals) each(method, path []byte, f func(s *total, on *passedOn)) {
	op, route := t.operation(method, path), ""
	for _, s := range t.all {
		if len(s.of) > 0 && !slices.Contains(s.of, op) || len(s.of) == 0 && op == "" && safe(method) {
			continue
		}
		if route == "" {
			route = t.p.learner.Route(method, path)
			t.latest = time.Now()
		}
		on := s.window.routes[route]
		if on == nil {
			if s.window.routes == nil {
				s.window.routes = map[string]*passedOn{}
			}
			on = &passedOn{}
			s.window.routes[route] = on
		}
		s.many = s.many || s.only != "" && s.only != route
		s.only = cmp.Or(s.only, route)
		f(s, on)
	}
}

// passed notes a request of a caller. One that could not have been chosen does not
// count.
func (t *totals) passed(k *ticket, status int) {
	if len(t.all) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.each(k.q.method, k.q.path, func(s *total, on *passedOn) {
		s.window.mixed = s.window.mixed || k.retry != nil || k.strike != nil && !k.strike.byLot()
		if traffic.Class(status) == contract.OK && !k.q.cut && !t.p.exclude.holds(k.q.path) {
			on.accepted++
		}
	})
}

// settled notes a copy. Whether it was accepted does not matter: a service may do
// so with some kinds of requests only, which then are no longer chosen by lot.
func (t *totals) settled(k *strike) {
	if len(t.all) == 0 {
		return
	}
	accepted := k.first != nil && k.first.Class() == contract.OK
	t.mu.Lock()
	defer t.mu.Unlock()
	t.each([]byte(k.method), pathOf([]byte(k.target)), func(s *total, on *passedOn) {
		s.window.mixed = s.window.mixed || !k.byLot()
		s.uneven = s.uneven || accepted && k.second == nil && isCopy(k.fault)
		if accepted && k.second != nil {
			on.copies++
			if k.second.Class() == contract.OK {
				on.taken++
			}
		}
	})
}

// noRoom notes a request that could not be kept, and so gets no copy.
func (t *totals) noRoom(q *heard) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.each(q.method, q.path, func(s *total, _ *passedOn) { s.uneven = true })
}

// byLot tells whether a strike is a copy after the answer, which a percentage of
// all requests of its route get.
func (s *strike) byLot() bool {
	r := s.rule
	_, path, _ := strings.Cut(s.route, " ")
	return s.fault == inject.Repeat && r.Share.Percent > 0 && len(r.Header) == 0 && r.Key == "" && r.Type == "" && r.path.matches([]byte(path))
}

// run reads until stop is closed.
func (t *totals) run(stop <-chan struct{}) {
	if len(t.all) == 0 {
		return
	}
	tick := time.NewTicker(totalGap)
	defer tick.Stop()
	for {
		t.sample(t.p.ctx)
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}

// sample reads all, each once. What passes during a reading counts for the next.
func (t *totals) sample(ctx context.Context) {
	t.reading.Lock()
	defer t.reading.Unlock()
	_, undone := t.p.skips.lines()
	undone += t.p.refused.Load()
	even := undone == t.undone
	t.undone = undone
	for _, s := range t.all {
		value, ok, err := s.read(ctx)
		t.p.effects.complain(s.name, err)
		t.mu.Lock()
		w, change, had := s.window, value-s.last, s.had
		s.window, s.last, s.had = interval{}, value, ok && err == nil
		if had && s.had {
			t.tell(s, w, change, even)
		}
		t.mu.Unlock()
	}
}

// tell gives the learner a window that says something of one route. The lock is held.
func (t *totals) tell(s *total, w interval, change float64, even bool) {
	route, on := s.only, passedOn{} // nothing passed: whatever changed it is noise
	for name, passed := range w.routes {
		route, on = name, *passed
	}
	why := ""
	switch {
	case len(w.routes) == 0 && (route == "" || s.many || change == 0 || s.again):
		return
	case len(w.routes) > 1:
		why = "requests of several routes may have changed it"
	case w.mixed:
		why = "some copies were no plain repeats, or not of a percentage of all requests of their route"
	case !even:
		why = "some requests that were chosen got no copy"
	case s.uneven:
		why = "some requests could not be copied"
	case change < 0:
		why = "it fell"
	}
	if why != "" {
		s.not[why]++
		return
	}
	s.told++
	if s.again {
		change = float64(on.accepted+on.taken) - change
	}
	t.p.learner.Total(traffic.Total{Observer: s.name, Say: s.say, Route: route, Change: change, Accepted: on.accepted, Copies: on.copies})
}

// final reads once more when effects have had their time to show, and tells which readings
// said nothing.
func (t *totals) final(ctx context.Context) {
	if len(t.all) == 0 {
		return
	}
	t.mu.Lock()
	latest := t.latest
	t.mu.Unlock()
	if !latest.IsZero() {
		wait(ctx, time.Until(latest.Add(t.p.effects.settle)))
	}
	asking, cancel := context.WithTimeout(t.p.ctx, 10*time.Second)
	defer cancel()
	t.sample(asking)
	for _, s := range t.all {
		for _, why := range slices.Sorted(maps.Keys(s.not)) {
			t.p.note(fmt.Sprintf("total %s: %d readings say nothing of repeats, and %d may: %s", s.name, s.not[why], s.told, why))
		}
	}
}
