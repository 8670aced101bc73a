package wire

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Config says what a link stands between.
type Config struct {
	Name     string   // "db"
	Protocol Protocol // Postgres, HTTP or TCP
	Listen   string   // "127.0.0.1:0" or "unix:/run/x.sock"; "": any port of loopback
	To       string   // "127.0.0.1:5432", "unix:/var/run/postgresql/.s.PGSQL.5432"
	Toxics   []Toxic  // faults on bytes; none: toxiproxy is not used
}

// Link is a listener through which a system reaches one thing that it depends on.
type Link struct {
	config Config
	at, to address // to: the dependency, or the proxy with the toxics before it
	hook   atomic.Pointer[Hook]
	calls  atomic.Int64
	last   atomic.Int64 // when a byte last came, in ns since the epoch
	done   context.Context
	end    context.CancelFunc
	work   sync.WaitGroup
	undo   []func() // what Close ends last, in reverse

	upDown  sync.Mutex // one Up or Down at a time
	release func()     // gives the port back that is kept while the link is down

	mu       sync.Mutex
	listener net.Listener // nil while the link is down
	open     map[*conn]bool
	count    int
	err      error
}

// Open listens. An error says which address and why.
func Open(config Config) (*Link, error) {
	l := &Link{config: config, open: map[*conn]bool{}, release: func() {}}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("link %s: %w", config.Name, err)
	}
	l.done, l.end = context.WithCancel(context.Background())
	err := l.poison()
	if err == nil {
		err = l.listen()
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("link %s: %w", config.Name, err)
	}
	if l.at.network == "tcp" {
		l.at.name = l.listener.Addr().String()
	}
	return l, nil
}

// check reads the addresses of the Config.
func (l *Link) check() (err error) {
	if l.config.Protocol.serve == nil {
		return fmt.Errorf("no protocol; use wire.HTTP, wire.Postgres or wire.TCP")
	}
	if l.at, err = parseListen(l.config.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if l.to, err = parseAddress(l.config.To); err != nil {
		return fmt.Errorf("to: %w", err)
	}
	for _, x := range l.config.Toxics {
		if err := x.check(); err != nil {
			return err
		}
	}
	return nil
}

// Name is that of the Config.
func (l *Link) Name() string { return l.config.Name }

// Protocol is the name of that of the Config.
func (l *Link) Protocol() string { return l.config.Protocol.Name }

// Addr is where the system must connect to: "127.0.0.1:40123", "unix:/run/x.sock".
func (l *Link) Addr() string { return l.at.String() }

// Watch makes h see every step that begins from now on; nil: all are passed on.
func (l *Link) Watch(h Hook) {
	if h == nil {
		l.hook.Store(nil)
		return
	}
	l.hook.Store(&h)
}

// Err is the first thing that the link could not understand or reach; nil: none.
// Steps may be missing from then on.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// note keeps the first error.
func (l *Link) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = fmt.Errorf("link %s: %w", l.config.Name, err)
	}
}

// Close stops listening, resets all connections and waits for all that the link
// started. A Hook that holds a step holds Close too.
func (l *Link) Close() error {
	l.end()
	l.Down()
	l.work.Wait()
	l.release()
	l.release = func() {}
	for _, f := range slices.Backward(l.undo) {
		f()
	}
	l.undo = nil
	return nil
}
