package wire

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// scanty is a listener whose first tries to take a connection fail.
type scanty struct {
	net.Listener // nil: only what is here is asked for
	mu           sync.Mutex
	fails        []error
	tries        []time.Time
	closed       chan struct{}
	once         sync.Once
}

func (s *scanty) Accept() (net.Conn, error) {
	s.mu.Lock()
	s.tries = append(s.tries, time.Now())
	if n := len(s.tries); n <= len(s.fails) {
		defer s.mu.Unlock()
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: s.fails[n-1]}
	}
	s.mu.Unlock()
	<-s.closed
	return nil, net.ErrClosed
}

func (s *scanty) Close() error { s.once.Do(func() { close(s.closed) }); return nil }

func (s *scanty) times() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tries)
}

// A link that has no file for a connection tries again, ever more slowly.
func TestAcceptTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		few := &scanty{fails: []error{syscall.EMFILE, syscall.ENFILE, syscall.EMFILE}, closed: make(chan struct{})}
		l := &Link{listener: few, done: t.Context()}
		done := make(chan struct{})
		go func() { defer close(done); l.accept(few) }()
		synctest.Wait()
		time.Sleep(5*time.Millisecond + 10*time.Millisecond + 20*time.Millisecond)
		synctest.Wait()
		if few.times() != 4 || l.Err() != nil {
			t.Errorf("%d tries, %v", few.times(), l.Err())
		}
		few.Close()
		<-done
	})
}

// What does not pass ends the listening: nobody is left to wait for an answer.
func TestAcceptEnds(t *testing.T) {
	l := &Link{}
	broken := &scanty{fails: []error{syscall.EINVAL}, closed: make(chan struct{})}
	l.listener = broken
	l.accept(broken)
	select {
	case <-broken.closed:
	default:
		t.Error("it still listens")
	}
	if !errors.Is(l.Err(), syscall.EINVAL) {
		t.Error(l.Err())
	}
}
