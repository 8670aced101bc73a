package proxy

import (
	"net/http"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

const (
	keptAnswer = 1 << 20  // bytes of an answer that are compared
	keptBody   = 64 << 10 // bytes of a request's body that an example shows
	copyTime   = traffic.Patience
)

// strike is a request that was chosen: what is done to it, and what came of it.
type strike struct {
	p      *Proxy
	rule   *rule
	fault  inject.Fault
	up     *upstream // of the original
	method string
	target string
	route  string
	key    string
	begin  time.Time
	form   form // how a copy is made

	request, answer *spool
	subject         *subject
	identify        func() // finds the subject when all of the body has come; nil: it is known, or there is none

	mu          sync.Mutex
	first       *traffic.Answer
	second      *traffic.Answer
	firstByte   time.Time // of the first answer
	released    time.Time // when the last byte of the copy left
	copied      time.Time // when the copy began
	waitsFor    int       // answers that are still to come
	done        bool
	sentHeader  http.Header // of the request, once it has settled
	sentBody    []byte
	sentCut     bool
	named       string        // the operation, as the history has it
	noCopy      string        // why there is none
	overlapping chan struct{} // closed when the last byte of the original was sent
	releasing   sync.Once
}

// form makes copies of a request in the way that it came.
type form interface {
	// send sends the request once more; hold is called before its last byte.
	send(s *strike, hold func()) traffic.Answer
	// parts are the header of the request and at most so many bytes of its body.
	parts(s *strike, most int64) (h http.Header, body []byte, cut bool)
}

// isCopy tells whether a fault sends a copy of our own.
func isCopy(f inject.Fault) bool {
	switch f.Name {
	case inject.Repeat.Name, inject.Overlap.Name, inject.Late.Name, inject.Reencode.Name, inject.DropKey.Name:
		return true
	}
	return false
}

// hides tells whether a fault keeps the answer from the caller, whose own retry
// is then the repeat.
func hides(f inject.Fault) bool {
	return f.Name == inject.LoseAnswer.Name || f.Name == inject.ReplaceAnswer.Name
}

// beforeAnswer tells whether the copy goes when the request is sent.
func beforeAnswer(f inject.Fault) bool {
	return f.Name == inject.Repeat.Name && f.Arg == settings.BeforeAnswer
}

// sent is called when the original was wholly sent.
func (s *strike) sent() {
	switch {
	case beforeAnswer(s.fault):
		s.copy()
	case s.overlapping != nil:
		s.release()
	}
}

// release lets the last byte of an overlapping copy go.
func (s *strike) release() { s.releasing.Do(func() { close(s.overlapping) }) }

// holding is what is done before the last byte of the original is sent; nil: nothing.
func (s *strike) holding() func() {
	overlap := s.fault.Name == inject.Overlap.Name
	if s.identify == nil && !overlap {
		return nil
	}
	return func() {
		if s.identify != nil {
			s.identify()
		}
		if overlap {
			s.hold()
		}
	}
}

// hold is called when all but the last byte of the original was sent: it sends
// all but the last byte of the copy and returns.
func (s *strike) hold() {
	ready := make(chan struct{})
	var once sync.Once
	meet := func() { once.Do(func() { close(ready) }) }
	s.overlapping = make(chan struct{})
	if !s.copyThen(func() {
		meet()
		<-s.overlapping
		s.mu.Lock()
		s.released = time.Now()
		s.mu.Unlock()
	}, meet) {
		return
	}
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-ready:
	case <-t.C: // it goes on its own, and did not overlap
	}
}

// copy sends the copy now, on a goroutine of its own.
func (s *strike) copy() { s.copyThen(nil, func() {}) }

// copyThen is copy with what is called before the last byte is sent, and when
// the answer is there. It tells whether the copy is sent.
func (s *strike) copyThen(hold, end func()) bool {
	if !s.request.whole() {
		s.skip("there was no room to keep the request")
		return false
	}
	s.mu.Lock()
	s.waitsFor++
	s.mu.Unlock()
	ok := s.p.copies.run(func() {
		begin := time.Now()
		a := s.form.send(s, hold)
		end()
		s.mu.Lock()
		if s.released.IsZero() {
			s.released = begin
		}
		s.copied, s.second = begin, &a
		s.mu.Unlock()
		s.came()
	})
	if !ok {
		s.mu.Lock()
		s.waitsFor--
		s.mu.Unlock()
		s.skip("too many copies were on their way")
	}
	return ok
}

// retried is called with the answer to the caller's own retry.
func (s *strike) retried(a traffic.Answer, begin time.Time) {
	s.mu.Lock()
	s.copied, s.second = begin, &a
	s.mu.Unlock()
	s.came()
}

// skip notes why no copy was sent.
func (s *strike) skip(why string) {
	s.mu.Lock()
	s.noCopy = why
	s.mu.Unlock()
	s.p.skipped(why)
}

// answered is called with the answer to the original. sentAll: the service has
// all of the request.
func (s *strike) answered(a traffic.Answer, firstByte time.Time, sentAll, stream bool) {
	s.mu.Lock()
	s.first, s.firstByte = &a, firstByte
	s.mu.Unlock()
	if s.overlapping != nil {
		s.release()
	}
	switch {
	case !isCopy(s.fault) || s.noCopy != "":
	case stream:
		s.skip("the answer is a stream")
	case !sentAll:
		s.skip("the request was not sent to its end")
	case s.fault.Name == inject.Overlap.Name || beforeAnswer(s.fault):
	case a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable:
		s.skip("the service asked for less")
	case s.fault.Name == inject.Late.Name:
		s.p.copies.later(settings.Wait(s.fault), s)
	default:
		s.copy()
	}
	s.came()
}

// came ends the strike when all answers are in.
func (s *strike) came() {
	s.mu.Lock()
	s.waitsFor--
	end := s.waitsFor <= 0 && !s.done
	s.done = s.done || end
	s.mu.Unlock()
	if end {
		s.p.settle(s)
	}
}

// overlapped tells whether the copy was sent before the first answer began.
func (s *strike) overlapped() bool {
	return !s.released.IsZero() && s.released.Before(s.firstByte)
}

func (s *strike) close() {
	s.request.close()
	s.answer.close()
}
