package wire

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// bound is how long a test waits for what must come.
const bound = 20 * time.Second

// serveTCP runs a dependency that treats each connection so, and returns its address.
func serveTCP(t *testing.T, network string, handle func(net.Conn)) string {
	t.Helper()
	at := address{"tcp", "127.0.0.1:0"}
	if network == "unix" {
		at = address{"unix", filepath.Join(t.TempDir(), "dep")}
	}
	listener, err := net.Listen(at.network, at.name)
	if err != nil {
		t.Fatal(err)
	}
	if network == "tcp" {
		at.name = listener.Addr().String()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serveAll(listener, handle)
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return at.String()
}

// serveAll handles connections until the listener is closed, and waits for the handlers.
func serveAll(listener net.Listener, handle func(net.Conn)) {
	ends := []chan struct{}{}
	for {
		c, err := listener.Accept()
		if err != nil {
			break
		}
		end := make(chan struct{})
		ends = append(ends, end)
		go func() {
			defer close(end)
			defer c.Close()
			handle(c)
		}()
	}
	for _, end := range ends {
		<-end
	}
}

// echo sends back what it gets, and then an end.
func echo(c net.Conn) { _, _ = io.Copy(c, c) }

// open opens a link for the time of the test.
func open(t *testing.T, config Config) *Link {
	t.Helper()
	if config.Name == "" {
		config.Name = "dep"
	}
	l, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// dial connects as a system does.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := dialOnce(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(bound))
	return c
}

func dialOnce(addr string) (net.Conn, error) {
	at, err := parseAddress(addr)
	if err != nil {
		return nil, err
	}
	return net.Dial(at.network, at.name)
}

// steps is a Hook that keeps what it saw, as "name before", "name after 201 durable".
type steps struct {
	mu   sync.Mutex
	seen []string
	do   func(Step) Action // nil: all pass
}

func (s *steps) hook(step Step) Action {
	text := step.Name + " before"
	if step.Phase == After {
		text = step.Name + " after " + step.Reply
		if step.Refused {
			text += " refused"
		}
		if step.Durable {
			text += " durable"
		}
	}
	s.mu.Lock()
	s.seen = append(s.seen, text)
	s.mu.Unlock()
	if s.do == nil {
		return Pass
	}
	return s.do(step)
}

func (s *steps) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// on does something at one step of that phase.
func on(phase Phase, action Action) func(Step) Action {
	return func(s Step) Action {
		if s.Phase == phase {
			return action
		}
		return Pass
	}
}

// wantReset waits for the end of a connection, which must be a reset.
func wantReset(t *testing.T, c net.Conn) {
	t.Helper()
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v, not with a reset", err)
	}
}
