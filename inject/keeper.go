package inject

import (
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"sync"

	"github.com/idemcheck/idemcheck/history"
)

// keeper is who knows the operations of a transport and keeps the record: a Run, or
// the function that Transport was given.
type keeper interface {
	open(s *shot) error                 // finds the operation, the attempt and its faults
	begin(s *shot, own bool) delivery   // of a copy that is about to be sent; own: the caller's attempt itself
	end(d delivery)                     // it has been answered
	later(f Fault, deliver func()) bool // takes a late copy over
	records() bool                      // whether answers are to be read
	add(e history.Event, body []byte)   // records one
}

// delivery is one copy of a request.
type delivery struct {
	number int
	try    *attempt // nil without a Run
}

// plainKeeper is the log of Transport.
type plainKeeper struct {
	schedule Schedule
	rec      func(history.Event, []byte) int64

	mu   sync.Mutex
	seen map[int]*counts // by operation number
}

type counts struct{ requests, copies int }

func (l *plainKeeper) open(s *shot) error {
	s.known = true
	s.identify()
	s.name = s.line()
	l.mu.Lock()
	if l.seen[s.number] == nil {
		l.seen[s.number] = &counts{}
	}
	l.seen[s.number].requests++
	s.attempt = l.seen[s.number].requests
	l.mu.Unlock()
	if l.schedule != nil {
		s.faults = l.schedule(Site{Name: SiteRequest, Number: s.number, Attempt: s.attempt})
	}
	return s.prepare()
}

func (s *shot) identify() {
	if n, ok := s.request.Context().Value(numberKey{}).(int); ok {
		s.number, s.op = n, strconv.Itoa(n)
		return
	}
	h := fnv.New64a()
	if s.op = s.key; s.key != "" {
		_, _ = io.WriteString(h, s.key)
		s.number = int(h.Sum64() >> 1)
		return
	}
	_, _ = fmt.Fprintf(h, "%s %s\n%s", s.request.Method, s.request.URL.RequestURI(), s.body)
	s.number = int(h.Sum64() >> 1)
	s.op = fmt.Sprintf("%s#%08x", s.line(), uint32(h.Sum64()))
}

func (l *plainKeeper) begin(s *shot, _ bool) delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[s.number].copies++
	return delivery{number: l.seen[s.number].copies}
}

func (l *plainKeeper) end(delivery) {}

func (l *plainKeeper) later(Fault, func()) bool { return false }

func (l *plainKeeper) records() bool { return l.rec != nil }

func (l *plainKeeper) add(e history.Event, body []byte) {
	if l.rec != nil {
		l.rec(e, body)
	}
}
