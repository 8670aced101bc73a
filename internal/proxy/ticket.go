package proxy

import (
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// ticket is one request of a caller on its way through the proxy.
type ticket struct {
	q       heard
	sent    traffic.Sent
	strike  *strike  // what is done to it; nil: nothing
	retry   *strike  // it is the caller's own retry of this one
	answer  *spool   // of a retry
	kept    *strike  // it is not struck, but kept until its id was read
	subject *subject // what observers are asked for, of a request that is not struck
}

// admit decides what is done to a request.
func (p *Proxy) admit(t *ticket, up *upstream) {
	t.strike, t.retry, t.subject, t.answer, t.kept = nil, nil, nil, nil, nil
	if t.q.cut {
		return // what is chosen must not hang on how packets were cut
	}
	if t.retry = p.awaited.take(func() uint64 { return t.q.identity(p.opt.Seed) }); t.retry != nil {
		t.answer = p.store.beginning(keptAnswer)
		return
	}
	r, id := p.choose(&t.q)
	if r != nil && p.allowed(r.Fault) {
		t.strike = p.newStrike(t, r, up)
	}
	if t.strike != nil {
		if hides(r.Fault) {
			t.strike.waitsFor++
			p.awaited.put(id, t.strike)
		}
	}
	p.effects.admit(t)
}

// choose is the first rule that matches and chooses a request.
func (p *Proxy) choose(q *heard) (chosen *rule, id uint64) {
	for _, r := range p.rules {
		if !r.matches(q) {
			continue
		}
		if id == 0 {
			if p.exclude.holds(q.path) {
				return nil, 0
			}
			id = q.identity(p.opt.Seed)
		}
		if r.chooses(p.opt.Seed, id, &p.attempts) {
			return r, id
		}
	}
	return nil, 0
}

// allowed tells whether a request that was chosen may be struck now.
func (p *Proxy) allowed(f inject.Fault) bool {
	switch {
	case !p.toggle.on():
		p.skipped("the switch is off")
	case !p.breaker.allow():
		p.skipped("the error rate of the service had risen")
	case f.Name != inject.Delay.Name && !p.budget.take():
		p.refused.Add(1)
	default:
		return true
	}
	return false
}

// newStrike is nil if there is no room to keep the request.
func (p *Proxy) newStrike(t *ticket, r *rule, up *upstream) *strike {
	request := p.store.spoolOf(t.q.length)
	if request == nil {
		p.skipped("there was no room to keep the request")
		p.totals.noRoom(&t.q)
		return nil
	}
	return &strike{
		p: p, rule: r, fault: r.Fault, up: up, begin: time.Now(), waitsFor: 1,
		method: string(t.q.method), target: string(t.q.target), key: string(t.sent.Key),
		route:   p.learner.Route(t.q.method, t.q.path),
		request: request, answer: p.store.beginning(keptAnswer),
	}
}

// passing is how a request ended.
type passing struct {
	begin        time.Time
	took         time.Duration
	status       int
	caller, body uint64
	kind         string
	lost         bool // the caller has not got the answer
	failed       bool // by the service: counted by the breaker
}

// passed counts a request of a caller.
func (p *Proxy) passed(t *ticket, e passing) {
	p.breaker.passed(e.failed)
	p.totals.passed(t, e.status)
	p.learner.Pass(&traffic.Pass{
		Method: t.q.method, Path: t.q.path, Sent: t.sent, Status: e.status, Body: e.body,
		Caller: e.caller, Took: e.took, Kind: e.kind, Lost: e.lost, Kept: t.strike != nil && hides(t.strike.fault),
	})
	if p.passages != nil {
		p.passages.add(p.learner.Route(t.q.method, t.q.path), t.sent.Key, e.begin, e.took, e.status)
	}
	if t.kept != nil {
		t.subject = t.kept.subject
		t.kept.close()
	}
	if t.subject != nil {
		p.effects.sentOnce(t.subject, e.status)
	}
}
