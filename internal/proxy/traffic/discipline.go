package traffic

import "time"

const (
	soon     = time.Minute     // a body that comes again within it may be a retry
	longWait = 5 * time.Second // an answer that took longer may have been given up
)

// discipline looks at the key of a request that may change something, and at
// whether the request came before.
func (l *Learner) discipline(r *route, p *Pass) {
	now := l.options.Now().Sub(l.start).Microseconds()
	failed := p.Status == 0 || p.Status >= 500 || p.Lost || p.Took > longWait
	id := hash(p.Sent.Key)
	switch {
	case len(p.Sent.Key) > 0:
		l.byKey(r, p, now, failed, mix(id, p.Sent.Who))
	case p.Sent.Same != 0:
		l.byKey(r, p, now, failed, mix(p.Sent.Same, p.Sent.Who+1))
	}
	if p.Body != 0 {
		who := p.Sent.Who
		if who == 0 {
			who = p.Caller
		}
		l.byBody(r, p, now, failed, mix(mix(p.Body, who), hash(p.Path)))
	}
}

func (l *Learner) byKey(r *route, p *Pass, now int64, failed bool, id uint64) {
	s, found, mu := l.keys.at(id)
	defer mu.Unlock()
	keyed := len(p.Sent.Key) > 0
	switch {
	case !found:
	case s.route != r.number && s.folds == l.tree.folds.Load():
		if keyed {
			l.habits.note(twoRoutes, r, p.Sent.Key)
		}
	case keyed && s.body != 0 && p.Body != 0 && s.body != p.Body:
		l.habits.note(otherBody, r, p.Sent.Key)
	default:
		l.retried(s, r, p)
	}
	l.numbered(s, found, r, p)
	s.see(p, now, failed)
	s.route, s.folds = r.number, l.tree.folds.Load()
	if p.Body != 0 {
		s.body = p.Body
	}
}

// retried notes a request that came again, and whether it was answered alike.
func (l *Learner) retried(s *slot, r *route, p *Pass) {
	was, is := int(s.status)/100, p.Status/100
	if !s.kept {
		l.habits.note(retry, r, p.Sent.Key)
	}
	if was == 2 && (is == 4 && p.Status != 409 && p.Status != 429 || is == 5) {
		l.habits.note(retryWorse, r, p.Sent.Key)
	}
}

// numbered follows the numbers that layers give to their tries: where they begin
// again under one key, a layer that tries stands above another.
func (l *Learner) numbered(s *slot, found bool, r *route, p *Pass) {
	if p.Sent.Try == 0 {
		return
	}
	try := uint8(min(p.Sent.Try, 255))
	if found && try <= s.try && s.top > 1 && s.seen < 255 {
		s.again++
		if s.again == 1 {
			l.habits.note(multiplied, r, p.Sent.Key)
		}
		l.habits.widest(r, int(s.top), int(s.again)+1)
	}
	s.try, s.top = try, max(s.top, try)
}

func (l *Learner) byBody(r *route, p *Pass, now int64, failed bool, id uint64) {
	s, found, mu := l.bodies.at(id)
	defer mu.Unlock()
	k := hash(p.Sent.Key)
	if len(p.Sent.Key) == 0 {
		k = 0
	}
	near := found && now-s.at < soon.Microseconds()
	after := near && (s.lost || s.status == 0 || s.status >= 500)
	switch {
	case !found:
	case k != 0 && s.key != 0 && k != s.key && after:
		l.habits.note(newKeyAfter, r, p.Sent.Key)
	case k != 0 && s.key != 0 && k != s.key && near:
		l.habits.note(manyKeys, r, p.Sent.Key)
	case k == 0 && s.key == 0 && after && !s.kept && p.Sent.Same == 0:
		l.habits.note(retryKeyless, r, nil)
	}
	s.key = k
	s.see(p, now, failed)
}

func (s *slot) see(p *Pass, now int64, failed bool) {
	s.at, s.status, s.lost = now, uint16(max(p.Status, 0)), failed
	s.kept = p.Kept
	if s.seen < 255 {
		s.seen++
	}
}
