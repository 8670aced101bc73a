package inject

import (
	"context"
	"net/http"
)

// Client is the caller's side of a handler in the same process, without a
// network: its requests are struck by the run's faults and recorded, as those of
// [Run.Requests]. The host of their URLs is of no matter. It sends nothing again
// by itself.
//
// Each request is handled on a goroutine of its own. A handler that panics resets
// its connection, as under net/http, and what it panicked with is in the
// history. The answer reaches the caller when the handler has returned: there is
// no streaming and no Hijack; trailers are carried. When the caller's context
// ends, the handler's does too, and the caller does not wait for it.
func (r *Run) Client(h http.Handler) *http.Client {
	return &http.Client{Transport: r.Requests(&inMemory{r, h})}
}

// inMemory is an http.RoundTripper that calls a handler.
type inMemory struct {
	run     *Run
	handler http.Handler
}

// RoundTrip implements http.RoundTripper.
func (m *inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	a := attemptOf(r.Context())
	if a == nil {
		a = &attempt{} // of no operation
	}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), attemptKey{}, a))
	stop := func() bool { return true }
	if r.Context().Done() != nil {
		stop = context.AfterFunc(r.Context(), cancel)
	}
	w := &answerWriter{}
	done := m.run.on(a, func() {
		defer cancel()
		m.handler.ServeHTTP(w, asServed(r, ctx))
	})
	select {
	case <-done:
		stop()
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	if err := a.broken("the handler"); err != nil {
		return nil, err
	}
	return w.response(r), nil
}

// asServed is a request as a server shows it to its handler.
func asServed(r *http.Request, ctx context.Context) *http.Request {
	q := r.WithContext(ctx) // r is a copy of ours
	u := *r.URL
	q.URL, q.RequestURI = &u, r.URL.RequestURI()
	q.RemoteAddr = "192.0.2.1:1234" // of the block for documentation, as in net/http/httptest
	if q.Host == "" {
		q.Host = u.Host
	}
	u.Scheme, u.Host = "", ""
	q.Proto, q.ProtoMajor, q.ProtoMinor = "HTTP/1.1", 1, 1
	if q.Method == "" {
		q.Method = http.MethodGet
	}
	if q.Body == nil {
		q.Body = http.NoBody
	}
	return q
}
