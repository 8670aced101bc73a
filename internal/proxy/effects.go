package proxy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
	"github.com/idemcheck/idemcheck/scenarios"
)

const (
	baselineTime = 250 * time.Millisecond // that a request which is watched may wait for the observers
	firstReading = time.Second
	lastReading  = 5 * time.Second // where the file does not say settle.bound
	lateBody     = 8 << 20         // bytes of a body in which an id is looked for
	readingGap   = 200 * time.Millisecond
	mostWatched  = 2000
	moreControls = 5  // requests that are watched as those that are struck are, beyond their number
	looseFactor  = 20 // and so many for each of them whose effects are read only afterwards
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
	early          bool // there was less time than effects are given
}

// effects asks the observers.
type effects struct {
	p     *Proxy
	known []identified
	all   []scenarios.Observer
	sends counter

	settle time.Duration // how long effects are given to show

	mu       sync.Mutex
	waiting  []*subject
	struck   map[string]int // by operation
	controls map[string]int
	unsure   map[string]bool // operations of which some ids were not read
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
		settle: cmp.Or(p.opt.System.Limits.Settle, lastReading), struck: map[string]int{}, controls: map[string]int{}, unsure: map[string]bool{}, failed: map[string]bool{},
	}
}

// admit looks at a request before it is sent: where observers count for it they
// are asked for what is there already, so that nobody is accused of the past.
func (e *effects) admit(t *ticket) {
	if len(e.all) == 0 {
		return
	}
	k := e.identify(&t.q)
	if k.inBody {
		e.later(t, k.name)
		return
	}
	if k.ok {
		t.subject = e.subject(&t.q, k, t.strike)
	}
	if t.strike != nil {
		t.strike.subject, t.subject = t.subject, nil
	}
}

// identify is idOf; without operations each request with a key is one.
func (e *effects) identify(q *heard) known {
	k := idOf(e.known, q)
	if !k.ok && !k.inBody && len(e.p.opt.Operations) == 0 && q.key != nil {
		k = known{key: string(q.key), id: string(q.key), ok: true}
	}
	return k
}

// later reads the id of a request when all of its body has come: before the last
// byte of it goes.
func (e *effects) later(t *ticket, name string) {
	q, s := t.q, t.strike
	if s == nil {
		room := e.p.store.spoolOf(q.length)
		if room == nil {
			e.unread(name)
			return
		}
		s = &strike{p: e.p, request: room, answer: e.p.store.beginning(1)}
		t.kept = s
	}
	s.identify = func() {
		cut := false
		_, q.start, cut = s.form.parts(s, lateBody)
		q.all = !cut
		k := e.identify(&q)
		switch {
		case cut:
			e.unread(name)
		case k.ok:
			s.subject = e.subject(&q, k, t.strike)
		}
	}
}

// unread notes that the id of a request was not read: from then on it is not
// known how often callers sent an operation of that name.
func (e *effects) unread(name string) {
	e.mu.Lock()
	e.unsure[name] = true
	e.mu.Unlock()
	e.p.note(fmt.Sprintf("operation %s: some bodies were too large for the id in them to be read; its effects are not counted", name))
}

// subject is what is asked for a request, nil if nothing is: it is no longer
// wanted, or what was there before is not known.
func (e *effects) subject(q *heard, k known, strike *strike) *subject {
	mark := hash(3, []byte(k.id))
	n := e.sends.next(mark)
	s := &subject{name: k.name, id: k.id, key: k.key, method: string(q.method), target: string(q.target), strike: strike}
	wanted, baseline := e.wants(k.name, strike != nil, n)
	if !wanted || !slices.ContainsFunc(e.all, func(o scenarios.Observer) bool { return e.counts(o, s) }) {
		return nil
	}
	s.sent = func() uint32 { return e.sends.count(mark) }
	if !baseline {
		return s
	}
	ctx, cancel := context.WithTimeout(e.p.ctx, baselineTime)
	defer cancel()
	var err error
	if s.before, err = e.ask(ctx, []*subject{s})(s); err != nil {
		return nil
	}
	return s
}

// wants tells whether a request is watched: one that is struck, or a control. What
// observers show before it is sent is asked for all that are struck, and for as many
// controls. Further controls do not wait for that: effects of the past make them
// differ, which accuses nobody.
func (e *effects) wants(name string, struck bool, sends uint32) (wanted, baseline bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped || e.unsure[name] || len(e.waiting) >= mostWatched {
		return false, false
	}
	if struck {
		e.struck[name]++
		return true, true
	}
	n := e.controls[name]
	if sends > 1 || n >= looseFactor*e.struck[name]+moreControls {
		return false, false
	}
	e.controls[name]++
	return true, n < e.struck[name]+moreControls
}

// sentOnce is called when a control was answered.
func (e *effects) sentOnce(s *subject, status int) {
	s.accepted = traffic.Class(status) == contract.OK
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
		wait := min(firstReading, e.settle)
		if s.read {
			wait = e.settle
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
		case !s.read && !end && !doubled(s, now) && e.settle > firstReading:
			s.read = true
			e.mu.Lock()
			e.waiting = append(e.waiting, s)
			e.mu.Unlock()
			continue
		}
		s.now = now
		s.early = end && time.Since(s.ended) < e.settle && !doubled(s, now)
		e.tell(s)
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

// tell gives the learner what observers showed.
func (e *effects) tell(s *subject) {
	for _, o := range e.all {
		now, ok := s.now[o.Name]
		if !ok {
			continue
		}
		count := now - s.before[o.Name]
		if count < 0 || s.strike != nil && s.strike.another() {
			continue // taken back; or the copy may rightly be another request
		}
		t := traffic.Effects{
			Method: s.method, Target: s.target, Op: s.id, Observer: o.Name, Say: o.Say, Count: count,
			Sent: int(s.sent()), Accepted: s.accepted, Early: s.early,
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
