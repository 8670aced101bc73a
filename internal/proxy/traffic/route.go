package traffic

import (
	"bytes"
	"sync/atomic"
)

// route counts one kind of request.
type route struct {
	name, method, path string
	operation          Operation

	requests, keyed, streamed, upgraded, micros atomic.Int64
	answers                                     [6]atomic.Int64 // by hundreds; 0: none

	number uint32
	gone   bool    // it was added to another
	lesson *lesson // of repeats, under Learner.mu; nil before the first
}

func (r *route) count(p *Pass) {
	r.requests.Add(1)
	r.micros.Add(p.Took.Microseconds())
	class := p.Status / 100
	if class < 0 || class > 5 {
		class = 0
	}
	r.answers[class].Add(1)
	if len(p.Sent.Key) > 0 {
		r.keyed.Add(1)
	}
	switch p.Kind {
	case Streamed:
		r.streamed.Add(1)
	case Upgraded:
		r.upgraded.Add(1)
	}
}

// merge adds what another route counted. Both are still.
func (r *route) merge(other *route) {
	for to, from := range map[*atomic.Int64]*atomic.Int64{
		&r.requests: &other.requests, &r.keyed: &other.keyed, &r.streamed: &other.streamed, &r.upgraded: &other.upgraded, &r.micros: &other.micros,
	} {
		to.Add(from.Load())
	}
	for i := range r.answers {
		r.answers[i].Add(other.answers[i].Load())
	}
	if r.lesson == nil {
		r.lesson = other.lesson
	} else {
		r.lesson.merge(other.lesson)
	}
}

// safe reports whether a method changes nothing by what HTTP says.
func safe(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "CONNECT":
		return true
	}
	return false
}

// Route names the route of a request: "POST /charges/{}". It allocates nothing
// for a route that is known.
func (l *Learner) Route(method, path []byte) string {
	path, _, _ = bytes.Cut(path, []byte{'?'})
	l.tree.mu.RLock()
	if r := l.tree.find(method, path); r != nil {
		defer l.tree.mu.RUnlock()
		return r.name
	}
	l.tree.mu.RUnlock()
	defer l.grow()()
	return l.tree.make(method, path).name
}

// Pass counts one request. Its route stays where it is meanwhile: a place that
// folds adds routes up.
func (l *Learner) Pass(p *Pass) {
	l.tree.mu.RLock()
	r := l.tree.find(p.Method, p.Path)
	missing := p.Status == 404 || p.Status == 405 || p.Status == 501
	if r == nil && missing {
		r = l.tree.others
	}
	if r != nil {
		l.pass(r, p)
		l.tree.mu.RUnlock()
		return
	}
	l.tree.mu.RUnlock()
	defer l.grow()()
	l.pass(l.tree.make(p.Method, p.Path), p)
}

func (l *Learner) pass(r *route, p *Pass) {
	r.count(p)
	if !safe(r.method) && p.Kind == "" && r != l.tree.others {
		l.discipline(r, p)
	}
}

// grow locks all that changes when routes are added: lessons move when a place folds.
func (l *Learner) grow() (done func()) {
	l.mu.Lock()
	l.tree.mu.Lock()
	return func() { l.tree.mu.Unlock(); l.mu.Unlock() }
}
