package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/relay"
)

// web carries what the relay does not: HTTP/2, and HTTP/1.1 that is odd.
type web struct {
	p      *Proxy
	queue  *queue
	server *http.Server
	done   chan struct{}

	mu    sync.Mutex
	conns map[*watchedConn]bool // that the relay gave; nil: no more are taken
}

func newWeb(p *Proxy) *web {
	w := &web{p: p, queue: newQueue(&net.TCPAddr{}), done: make(chan struct{}), conns: map[*watchedConn]bool{}}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	quiet := log.New(io.Discard, "", 0)
	w.server = &http.Server{
		Protocols: protocols, ErrorLog: quiet, MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 3 * time.Minute,
		ConnContext:                  w.connected,
		Handler:                      carrier{calls: reverse(p, quiet, 0), others: reverse(p, quiet, -1)},
		DisableGeneralOptionsHandler: true,
	}
	return w
}

// carrier passes requests on. What comes of the body of an answer is given to the
// caller at once. Calls of gRPC are apart: an answer without a body must end with
// its headers ("Trailers-Only"), so these must not be given ahead of the end; streams,
// whose length nobody knows, are given at once all the same.
type carrier struct{ calls, others http.Handler }

func (c carrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isGRPC(r.Header) {
		c.calls.ServeHTTP(w, r)
	} else {
		c.others.ServeHTTP(w, r)
	}
}

func reverse(p *Proxy, errors *log.Logger, flush time.Duration) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite: rewrite, Transport: roundTrip{p}, FlushInterval: flush, ErrorLog: errors,
		BufferPool: &buffers{}, ErrorHandler: unreachable,
	}
}

func (w *web) start() {
	go func() {
		defer close(w.done)
		_ = w.server.Serve(w.queue)
	}()
}

// take serves a connection; it returns when it has ended.
func (w *web) take(c net.Conn) {
	watched := &watchedConn{Conn: c, closed: make(chan struct{})}
	if !w.add(watched) {
		c.Close()
		return
	}
	w.queue.put(watched)
	<-watched.closed
	w.mu.Lock()
	delete(w.conns, watched)
	w.mu.Unlock()
}

func (w *web) add(c *watchedConn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns == nil {
		return false
	}
	w.conns[c] = true
	return true
}

// watchedConn tells when it is closed.
type watchedConn struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *watchedConn) Close() error {
	defer c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func (w *web) drain(ctx context.Context) error { return w.server.Shutdown(ctx) }

func (w *web) close() {
	w.queue.Close()
	w.server.Close()
	w.mu.Lock()
	conns := w.conns // with those that changed their protocol, which the server knows no more
	w.conns = nil
	w.mu.Unlock()
	for c := range conns {
		c.Close()
	}
}

type contextKey struct{}

// webConn is what is known of a connection.
type webConn struct {
	up     *upstream
	caller uint64
}

// connected chooses the upstream of a connection.
func (w *web) connected(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, contextKey{}, &webConn{up: w.p.replicas.next(), caller: callerOf(c)})
}

// connOf is the connection that a request came by.
func connOf(ctx context.Context) *webConn {
	c, _ := ctx.Value(contextKey{}).(*webConn)
	return c
}

// rewrite leaves a request as it came, but for what belongs to the connection.
func rewrite(r *httputil.ProxyRequest) {
	u := connOf(r.In.Context()).up
	r.Out.URL.Scheme, r.Out.URL.Host = u.base.Scheme, u.base.Host
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	r.Out.Host = r.In.Host
	r.Out.Trailer = r.In.Trailer // the same map: it is filled when the body has ended
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v
		}
	}
}

// unrepeatable keeps net/http from sending a request again by itself: it does so
// for those that carry an idempotency key and have no body, when a connection
// breaks that was used before. Under another spelling it does not see the key.
func unrepeatable(r *http.Request) {
	r.GetBody = nil
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if v, ok := r.Header[name]; ok {
			delete(r.Header, name)
			r.Header[strings.ToLower(name)] = v
		}
	}
}

// roundTrip sends a request through the transport of its upstream.
type roundTrip struct{ p *Proxy }

func isGRPC(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "application/grpc") && !strings.HasPrefix(h.Get("Content-Type"), "application/grpc-web")
}

// unreachable answers a caller whose request met no service.
func unreachable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil || errors.Is(err, errLost) {
		panic(http.ErrAbortHandler) // the caller left, or is to see a reset
	}
	w.Header().Set(relay.Mark, "unreachable")
	http.Error(w, "idemcheck proxy: the service can not be reached: "+err.Error(), http.StatusBadGateway)
}

// buffers are reused for copying bodies.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
