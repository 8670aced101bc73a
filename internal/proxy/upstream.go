package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

const (
	dialTime = 5 * time.Second
	deadTime = 2 * time.Second // an upstream that refused a dial is passed over for so long
)

// upstream is one address of the service.
type upstream struct {
	settings.Address
	name  string // as the user wrote it
	base  *url.URL
	tls   *tls.Config
	plain *http.Transport // what the scheme says
	grpc  *http.Transport // HTTP/2, which gRPC needs; often the same
	pool  relay.Pool      // of connections for copies

	deadUntil atomic.Int64 // unix nanoseconds
}

func newUpstream(s settings.Upstream) (*upstream, error) {
	a, err := settings.ParseAddress(s.URL)
	if err != nil {
		return nil, err
	}
	u := &upstream{Address: a, name: s.URL, base: &url.URL{Scheme: "http", Host: a.Dial}}
	if a.Network == "unix" {
		u.base.Host = "localhost"
	}
	if a.Scheme == "https" {
		u.base.Scheme = "https"
		u.tls = &tls.Config{ServerName: a.Host, InsecureSkipVerify: s.Insecure, MinVersion: tls.VersionTLS12}
		if u.tls.RootCAs, err = authorities(s.CA); err != nil {
			return nil, err
		}
	}
	u.transports()
	u.pool.Dial = u.dial
	return u, nil
}

func authorities(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", file)
	}
	return pool, nil
}

// transports are what net/http sends through. None sends anything again by
// itself once the service may have read it: see unrepeatable.
func (u *upstream) transports() {
	one := func(set func(*http.Protocols)) *http.Transport {
		p := new(http.Protocols)
		set(p)
		return &http.Transport{
			DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return u.dialPlain(ctx) },
			TLSClientConfig: u.tls.Clone(), Protocols: p, DisableCompression: true,
			MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second,
			ExpectContinueTimeout: 10 * time.Second, MaxResponseHeaderBytes: 1 << 20,
		}
	}
	h2c := func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }
	switch u.Scheme {
	case "h2c":
		u.plain = one(h2c)
		u.grpc = u.plain
	case "https":
		u.plain = one(func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) })
		u.grpc = u.plain
	default:
		u.plain = one(func(p *http.Protocols) { p.SetHTTP1(true) })
		u.grpc = one(h2c)
	}
}

func (u *upstream) dialPlain(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime}
	c, err := d.DialContext(ctx, u.Network, u.Dial)
	if err != nil {
		if ctx.Err() == nil {
			u.deadUntil.Store(time.Now().Add(deadTime).UnixNano())
		}
		return nil, err
	}
	u.deadUntil.Store(0)
	return c, nil
}

// dial is a connection that speaks HTTP/1.1.
func (u *upstream) dial(ctx context.Context) (net.Conn, error) {
	return u.dialTLS(ctx, "http/1.1")
}

// dialTLS is a connection on which one of the protocols was agreed; without TLS
// it is only dialled.
func (u *upstream) dialTLS(ctx context.Context, protocols ...string) (net.Conn, error) {
	c, err := u.dialPlain(ctx)
	if err != nil || u.tls == nil {
		return c, err
	}
	cfg := u.tls.Clone()
	cfg.NextProtos = protocols
	t := tls.Client(c, cfg)
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if err := t.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return t, nil
}

// after is the upstream of a copy: another replica if there is one.
func (r *replicas) after(u *upstream) *upstream {
	for i := range r.all {
		if r.all[i] == u {
			return r.from(i + 1)
		}
	}
	return r.from(0)
}

// transport is what net/http sends through.
func (u *upstream) transport(grpc bool) *http.Transport {
	if grpc {
		return u.grpc
	}
	return u.plain
}

func (u *upstream) alive() bool {
	until := u.deadUntil.Load()
	return until == 0 || time.Now().UnixNano() >= until
}

func (u *upstream) close() {
	u.plain.CloseIdleConnections()
	u.grpc.CloseIdleConnections()
	u.pool.Close()
}

// replicas are all upstreams.
type replicas struct {
	all  []*upstream
	turn atomic.Uint32
}

func newReplicas(list []settings.Upstream) (*replicas, error) {
	if len(list) == 0 {
		return nil, errors.New("no upstream: say where the service is")
	}
	r := &replicas{}
	for _, s := range list {
		u, err := newUpstream(s)
		if err != nil {
			return nil, err
		}
		r.all = append(r.all, u)
	}
	return r, nil
}

// speakHTTP1 tells whether the relay can be before all of them.
func (r *replicas) speakHTTP1() bool {
	return !slices.ContainsFunc(r.all, func(u *upstream) bool { return u.Scheme == "h2c" })
}

// next is the upstream of a new connection of a caller: each in turn, the dead
// ones passed over.
func (r *replicas) next() *upstream {
	i := int(r.turn.Add(1) - 1)
	return r.from(i)
}

func (r *replicas) from(start int) *upstream {
	n := len(r.all)
	for i := range n {
		if u := r.all[(start+i)%n]; u.alive() {
			return u
		}
	}
	return r.all[start%n] // all are dead: its turn shows whether it came back
}

// ready dials until one upstream answers.
func (r *replicas) ready(ctx context.Context) error {
	var all error
	for _, u := range r.all {
		c, err := u.dialTLS(ctx, "h2", "http/1.1") // with the handshake of TLS: a certificate may not be trusted
		if err == nil {
			c.Close()
			return nil
		}
		all = errors.Join(all, fmt.Errorf("%s: %w", u.name, err))
	}
	return all
}

func (r *replicas) close() {
	for _, u := range r.all {
		u.close()
	}
}
