package traffic

import "math"

// totals are sums without ids, by observer and route.
type totals map[[2]string]*slope

// slope holds what is needed to tell how much a sum grows with each accepted
// request, and with each copy of one: a line through nothing, by least squares.
type slope struct {
	say                                      string
	n                                        int64
	aa, ab, bb, ay, by, yy, accepted, copies float64
}

// Total notes how a sum changed.
func (l *Learner) Total(t Total) {
	if t.Accepted == 0 && t.Copies == 0 && t.Change == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.totals == nil {
		l.totals = totals{}
	}
	at := [2]string{t.Observer, t.Route}
	s := l.totals[at]
	if s == nil {
		if len(l.totals) >= 200 {
			return
		}
		s = &slope{say: t.Say}
		l.totals[at] = s
	}
	a, b, y := float64(t.Accepted), float64(t.Copies), t.Change
	s.n++
	s.aa, s.ab, s.bb = s.aa+a*a, s.ab+a*b, s.bb+b*b
	s.ay, s.by, s.yy = s.ay+a*y, s.by+b*y, s.yy+y*y
	s.accepted, s.copies = s.accepted+a, s.copies+b
}

// each is how much the sum grows with a request and with a copy, and how far the
// second may be off. ok: it can be told.
func (s *slope) each() (request, copied, error float64, ok bool) {
	det := s.aa*s.bb - s.ab*s.ab
	if s.n < 12 || s.copies < 20 || det <= 1e-9*s.aa*s.bb {
		return 0, 0, 0, false
	}
	request = (s.ay*s.bb - s.by*s.ab) / det
	copied = (s.by*s.aa - s.ay*s.ab) / det
	rest := s.yy - request*s.ay - copied*s.by
	error = math.Sqrt(max(rest, 0) / float64(s.n-2) * s.aa / det)
	return request, copied, error, request > 0
}

// doubled reports whether a copy changes the sum about as much as a request does,
// beyond doubt.
func (s *slope) doubled() bool {
	request, copied, error, ok := s.each()
	return ok && math.Abs(copied-request) < 0.25*request && copied > 5*error && error < 0.1*request
}
