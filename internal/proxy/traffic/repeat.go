package traffic

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/checkers/contract"
)

// fresh are the names of fields that differed where nothing was made: in answers
// to safe requests, and in refusals.
type fresh map[string]bool

// Repeat compares the answers to a request that was sent twice.
func (l *Learner) Repeat(r Repeat) {
	l.mu.Lock()
	defer l.mu.Unlock()
	route, s := l.lesson(r.Method, r.Target)
	r.OtherKey = r.OtherKey || l.expired(route, &r)
	if l.usual(s, &r) {
		return
	}
	asked := askedBy(&r)
	p := l.compare(&r, asked)
	l.freshen(&r, &p)
	if safe(r.Method) && p.sort == otherID {
		p.sort, p.calm, p.ids = alike, append(p.calm, wheres(p.ids)...), nil // nothing was made
	}
	g := s.learn(&r, &p, whoAsks(&r))
	if g.example == nil && p.sort != idle {
		g.example = l.example(&r, &p, longBody)
	}
	l.remember(s, &r, &p)
	l.propose(&r, &p, s, asked)
}

const takenApart = 8 // of usual pairs, each so manieth

// usual learns a pair as most are: the same bytes twice, as was seen on this route
// before. Only now and then is one taken apart, for the places where ids stand.
func (l *Learner) usual(s *lesson, r *Repeat) bool {
	a, b := &r.First, &r.Second
	if r.Op != "" || r.OtherKey || safe(r.Method) || a.Status/100 != 2 || a.Status != b.Status || a.Err+b.Err != "" || a.Cut || b.Cut ||
		len(a.Trailer)+len(b.Trailer) > 0 || isGRPC(a.Header) || location(a.Header) != location(b.Header) || !bytes.Equal(a.Body, b.Body) {
		return false
	}
	if s.usual++; s.usual%takenApart == 1 {
		return false
	}
	p := pair{sort: alike, class: [2]contract.Class{contract.OK, contract.OK}, marked: l.markedBy(r.First, r.Second)}
	if s.groups[s.newGroup(r, &p).name()] == nil {
		return false
	}
	s.learn(r, &p, 0)
	return true
}

func isGRPC(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "application/grpc")
}

// expired reports whether a copy came so late that its key need not be known any more.
func (l *Learner) expired(route *route, r *Repeat) bool {
	_, after, ok := strings.Cut(r.Fault, "late:")
	life := route.operation.Contract.JudgedLife()
	if life == 0 {
		life = l.options.Contract.JudgedLife()
	}
	wait, err := time.ParseDuration(strings.Trim(after, " }"))
	return ok && life > 0 && err == nil && wait >= life
}

// askedBy is all that the caller sent: an id among it was not made by the service.
func askedBy(r *Repeat) map[string]bool {
	asked := map[string]bool{r.Key: true, r.Op: true}
	add := func(a Answer) {
		for _, s := range read(a).scalars {
			asked[s.value] = true
		}
	}
	add(Answer{Header: r.Header, Body: r.Body, Cut: r.BodyCut})
	path, query, _ := strings.Cut(r.Target, "?")
	for part := range strings.SplitSeq(path, "/") {
		asked[part] = true
		if plain, err := url.PathUnescape(part); err == nil {
			asked[plain] = true
		}
	}
	for _, s := range formScalars(query) {
		asked[s.value] = true
	}
	for _, values := range r.Header {
		for _, v := range values {
			asked[v] = true
		}
	}
	delete(asked, "")
	return asked
}

// whoAsks tells requests apart: by key, caller and body.
func whoAsks(r *Repeat) uint64 {
	return mix(mix(hashOf(r.Key), hash(r.Body)), mix(hashOf(r.Header.Get("Authorization")), hashOf(pathOf(r.Target))))
}

const mostFresh = 200

// freshen learns names of fields that change although nothing was made.
func (l *Learner) freshen(r *Repeat, p *pair) {
	quiet := safe(r.Method) || p.class[0] == contract.Refused && p.class[1] == contract.Refused && status(r.First) == status(r.Second)
	if !quiet || p.a.form != p.b.form {
		return
	}
	there := map[string]string{}
	for _, s := range p.b.scalars {
		there[s.where] = s.value
	}
	for _, s := range p.a.scalars {
		name := last(s.where)
		if v, ok := there[s.where]; ok && v != s.value && !own.MatchString("/"+name) && name != "*" && len(l.fresh) < mostFresh {
			if l.fresh == nil {
				l.fresh = fresh{}
			}
			l.fresh[name] = true
		}
	}
}
