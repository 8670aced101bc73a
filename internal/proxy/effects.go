package proxy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
	"github.com/idemcheck/idemcheck/scenarios"
)

const (
	baselineTime = 250 * time.Millisecond // that a request which is watched may wait for the observers
	firstReading = time.Second
	lastReading  = 5 * time.Second
	readingGap   = 200 * time.Millisecond
	mostWatched  = 2000
	moreControls = 5 // requests that are watched beyond those that are struck
)

// subject is an operation that observers are asked for: what they showed before
// its request was sent, and what after.
type subject struct {
	name, id, key  string
	method, target string
	before         map[string]int // by observer
	now            map[string]int
	sent           func() uint32 // how often callers sent it so far
	accepted       bool
	strike         *strike // nil: it is a control
	ended          time.Time
	read           bool // once
}

// effects asks the observers.
type effects struct {
	p     *Proxy
	known []identified
	all   []scenarios.Observer
	sends counter

	mu       sync.Mutex
	waiting  []*subject
	struck   map[string]int // by operation
	controls map[string]int
	failed   map[string]bool // observers whose errors were told
	stopped  bool
}

func newEffects(p *Proxy) *effects {
	for _, o := range p.opt.System.Observers {
		if o.Scoped {
			p.note(fmt.Sprintf("effect %s counts by scope: the proxy knows no scopes, and does not ask it", o.Name))
		}
	}
	return &effects{
		p: p, known: newIdentified(p.opt.Base, p.opt.Operations, p.rules), all: p.opt.System.Observers,
		struck: map[string]int{}, controls: map[string]int{}, failed: map[string]bool{},
	}
}

// admit looks at a request before it is sent: where observers count for it they
// are asked for what is there already, so that nobody is accused of the past.
func (e *effects) admit(t *ticket) {
	if len(e.all) == 0 {
		return
	}
	name, id, ok := idOf(e.known, &t.q)
	if !ok {
		return
	}
	mark := hash(3, []byte(id))
	n := e.sends.next(mark)
	if !e.wants(name, t.strike != nil, n) {
		return
	}
	s := &subject{name: name, id: id, key: string(t.sent.Key), method: string(t.q.method), target: string(t.q.target), strike: t.strike}
	s.sent = func() uint32 { return e.sends.count(mark) }
	ctx, cancel := context.WithTimeout(e.p.ctx, baselineTime)
	defer cancel()
	var err error
	if s.before, err = e.ask(ctx, []*subject{s})(s); err != nil {
		return // what was there is not known, so nothing can be said
	}
	if t.strike != nil {
		t.strike.subject = s
	} else {
		t.subject = s
	}
}

// wants tells whether a request is watched: one that is struck, or a control.
func (e *effects) wants(name string, struck bool, sends uint32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped || len(e.waiting) >= mostWatched {
		return false
	}
	if struck {
		e.struck[name]++
		return true
	}
	if sends > 1 || e.controls[name] >= e.struck[name]+moreControls {
		return false
	}
	e.controls[name]++
	return true
}

// sentOnce is called when a control was answered.
func (e *effects) sentOnce(s *subject, status int) {
	s.accepted = ending(status) == "ok"
	e.watch(s)
}

// watch reads the effects of a subject when they have had time to show.
func (e *effects) watch(s *subject) {
	s.ended = time.Now()
	e.mu.Lock()
	e.waiting = append(e.waiting, s)
	e.mu.Unlock()
}

// run reads until stop is closed.
func (e *effects) run(stop <-chan struct{}) {
	tick := time.NewTicker(readingGap)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			e.reading(e.p.ctx, e.due(time.Now()), false)
		case <-stop:
			return
		}
	}
}

// due takes out whom to ask for now.
func (e *effects) due(now time.Time) (due []*subject) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rest := e.waiting[:0]
	for _, s := range e.waiting {
		wait := firstReading
		if s.read {
			wait = lastReading
		}
		if now.Sub(s.ended) >= wait {
			due = append(due, s)
		} else {
			rest = append(rest, s)
		}
	}
	e.waiting = rest
	return due
}

// reading asks for subjects. Who may still change is asked for again, unless it
// is the end.
func (e *effects) reading(ctx context.Context, due []*subject, end bool) {
	if len(due) == 0 {
		return
	}
	answer := e.ask(ctx, due)
	for _, s := range due {
		now, err := answer(s)
		switch {
		case err != nil:
			e.p.written(s, false)
			continue
		case !s.read && !end && !doubled(s, now):
			s.read = true
			e.mu.Lock()
			e.waiting = append(e.waiting, s)
			e.mu.Unlock()
			continue
		}
		s.now = now
		e.tell(s, end && !s.read)
		e.p.written(s, true)
	}
}

// doubled tells whether a reading shows so much that no later one can clear it.
func doubled(s *subject, now map[string]int) bool {
	for name, n := range now {
		if n-s.before[name] > 1 {
			return true
		}
	}
	return false
}

// tell gives the learner what observers showed. early: there was less time than
// effects are given, so that too few say nothing.
func (e *effects) tell(s *subject, early bool) {
	for _, o := range e.all {
		now, ok := s.now[o.Name]
		if !ok {
			continue
		}
		count := now - s.before[o.Name]
		if count < 0 || early && count == 0 {
			continue // taken back, or perhaps still to come
		}
		t := traffic.Effects{
			Method: s.method, Target: s.target, Op: s.id, Observer: o.Name, Say: o.Say, Count: count,
			Sent: int(s.sent()), Accepted: s.accepted,
		}
		if o.By == "key" {
			t.Op = s.key
		}
		if s.strike != nil {
			t.Fault = s.strike.fault.String()
			if s.strike.second != nil && isCopy(s.strike.fault) {
				t.Copies = 1
			}
		}
		e.p.learner.Effects(t)
	}
}
