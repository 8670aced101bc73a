package inject

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listen serves the provider on an address ("127.0.0.1:9100"; without a host, on
// loopback; port 0 for any) and returns its URL. stop closes every connection and
// returns when all calls have ended.
func (p *Provider) Listen(address string) (url string, stop func(), err error) {
	if err := p.Check(); err != nil {
		return "", nil, err
	}
	if host, port, err := net.SplitHostPort(address); err == nil && host == "" {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, err
	}
	url = "http://" + l.Addr().String()
	p.mu.Lock()
	p.url = url
	p.mu.Unlock()
	return url, p.serve(l), nil
}

// URL is where Listen serves the provider, "http://127.0.0.1:9100"; "" before.
func (p *Provider) URL() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url
}

func (p *Provider) serve(l net.Listener) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := &gate{}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !calls.enter() {
				return
			}
			defer calls.running.Done()
			p.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // a broken connection is our own doing
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // ends by stop only
	}()
	return sync.OnceFunc(func() {
		cancel()
		_ = server.Close()
		<-served
		calls.close()
	})
}

// gate counts the calls that run. http.Server.Close does not wait for them, and
// one may even begin after it.
type gate struct {
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.running.Add(1)
	}
	return !g.closed
}

func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.running.Wait()
}
