package wire

import (
	"errors"
	"time"
)

// Config says what a link stands between.
type Config struct {
	Name     string   // "db"
	Protocol Protocol // Postgres, HTTP or TCP
	Listen   string   // "127.0.0.1:0" or "unix:/run/x.sock"
	To       string   // "127.0.0.1:5432", "unix:/var/run/postgresql/.s.PGSQL.5432"
	Toxics   []Toxic  // faults on bytes; none: toxiproxy is not used
}

// Toxic is a fault of toxiproxy, which knows bytes and not steps. It holds for
// the whole life of a link: toxics can not be changed safely under traffic.
type Toxic struct {
	Type       string // "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data"
	Upstream   bool   // on what the system sends; else on what it receives
	Attributes map[string]int64
}

// Link is a listener through which a system reaches one thing that it depends on.
type Link struct{}

// Open listens. An error says which address and why.
func Open(Config) (*Link, error) { return nil, errors.New("wire: not built yet") }

// Name is that of the Config.
func (l *Link) Name() string { return "" }

// Addr is where the system must connect to: "127.0.0.1:40123", "unix:/run/x.sock".
func (l *Link) Addr() string { return "" }

// Watch makes h see every step from now on; nil: all are passed on.
func (l *Link) Watch(h Hook) {}

// Down makes the link refuse new connections and reset those that are open,
// until Up is called: the dependency is away.
func (l *Link) Down() {}

// Up ends Down.
func (l *Link) Up() {}

// Quiet returns when nothing has passed for a while: d without a byte.
func (l *Link) Quiet(d time.Duration) {}

// Close stops listening, closes all connections and waits for all that the link started.
func (l *Link) Close() error { return nil }
