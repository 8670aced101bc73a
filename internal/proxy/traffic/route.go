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

// route finds the route of a request. fresh: it may be added where it is new.
func (l *Learner) route(method, path []byte, fresh bool) *route {
	l.tree.mu.RLock()
	r := l.tree.find(method, path)
	l.tree.mu.RUnlock()
	switch {
	case r != nil:
		return r
	case !fresh:
		return l.tree.others
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.add(method, path)
}

// add is route for who holds l.mu: lessons move when a place folds.
func (l *Learner) add(method, path []byte) *route {
	l.tree.mu.Lock()
	defer l.tree.mu.Unlock()
	return l.tree.make(method, path)
}

// Route names the route of a request: "POST /charges/{}". It allocates nothing
// for a route that is known.
func (l *Learner) Route(method, path []byte) string {
	path, _, _ = bytes.Cut(path, []byte{'?'})
	r := l.route(method, path, true)
	l.tree.mu.RLock()
	defer l.tree.mu.RUnlock()
	return r.name
}

// Pass counts one request.
func (l *Learner) Pass(p *Pass) {
	missing := p.Status == 404 || p.Status == 405 || p.Status == 501
	r := l.route(p.Method, p.Path, !missing)
	r.count(p)
	if !safe(r.method) && p.Kind == "" && !missing {
		l.discipline(r, p)
	}
}
