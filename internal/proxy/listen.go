package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// door is one place where callers come in.
type door struct {
	net.Listener
	tls  *tls.Config
	name string // for people: a URL
}

func open(l settings.Listen) (*door, error) {
	network, address, err := settings.ParseListen(l.Address)
	if err != nil {
		return nil, err
	}
	d := &door{}
	scheme := "http"
	if l.Cert != "" {
		cert, err := tls.LoadX509KeyPair(l.Cert, l.Key)
		if err != nil {
			return nil, err
		}
		scheme = "https"
		d.tls = &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
	}
	if network == "unix" {
		removeStale(address)
	}
	if d.Listener, err = net.Listen(network, address); err != nil {
		return nil, fmt.Errorf("can not listen on %s (is another program on this address?): %w", l.Address, err)
	}
	host, _, _ := net.SplitHostPort(address)
	_, port, _ := net.SplitHostPort(d.Addr().String())
	d.name = scheme + "://" + net.JoinHostPort(host, port) // as the user wrote it, but for port 0
	if network == "unix" {
		d.name = l.Address
	}
	return d, nil
}

// removeStale removes a socket that nobody listens on any more.
func removeStale(path string) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
		return
	}
	os.Remove(path)
}

// serve takes connections until the door is closed; handle must not wait.
func (d *door) serve(handle func(net.Conn)) {
	var wait time.Duration
	for {
		c, err := d.Accept()
		switch {
		case err == nil:
			wait = 0
			if d.tls != nil {
				c = tls.Server(c, d.tls)
			}
			handle(c)
		case errors.Is(err, net.ErrClosed):
			return
		default: // such as too many open files: it may pass
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			time.Sleep(wait)
		}
	}
}

// handshake ends a TLS handshake and says whether HTTP/2 was agreed on.
func handshake(c net.Conn, limit time.Duration) (h2 bool, err error) {
	t, ok := c.(*tls.Conn)
	if !ok {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := t.HandshakeContext(ctx); err != nil {
		return false, err
	}
	return t.ConnectionState().NegotiatedProtocol == "h2", nil
}

// queue is a listener that hands out connections that were accepted elsewhere.
type queue struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	addr  net.Addr
}

func newQueue(addr net.Addr) *queue {
	return &queue{conns: make(chan net.Conn), done: make(chan struct{}), addr: addr}
}

func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, net.ErrClosed
	}
}

// put hands a connection over; it is closed if nobody takes it any more.
func (q *queue) put(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.done:
		c.Close()
	}
}

func (q *queue) Close() error   { q.once.Do(func() { close(q.done) }); return nil }
func (q *queue) Addr() net.Addr { return q.addr }
