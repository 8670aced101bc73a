package target

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/inject/h2"
	"github.com/idemcheck/idemcheck/internal/template"
)

// HTTP delivers operations to an HTTP service. All attempts of an operation
// carry the same bytes, but for what a fault, a variant or an Anew header
// changes. Redirects come back as the answers that they are. Safe for many
// goroutines.
type HTTP struct {
	Base       *url.URL             // operations' paths are below it
	Replicas   []*url.URL           // further addresses of the same system: the second, third ...
	Operations map[string]Operation // by name
	Scopes     map[string]Scope     // by name; an attempt without a scope needs none
	Quoted     bool                 // a key in a header is quoted, as the IETF's draft wants it
	Longest    int                  // the longest key that the contract allows, in bytes; 0: it says nothing
	Dialer     inject.Dialer
	H2         bool   // HTTP/2; else HTTP/1.1
	Agent      string // User-Agent: "idemcheck/0.1.0 run/r7k2m9"
	Run        string // the run's id
	Seed       uint64 // of ${int}

	mu  sync.Mutex
	now map[int]time.Time // what ${now} is, by the operation's number
}

var _ Target = (*HTTP)(nil)

// Render implements Target. It fails where a fault or variant can change nothing.
func (h *HTTP) Render(a Attempt, f inject.Fault) (Message, error) {
	op, ok := h.Operations[a.Operation]
	if !ok {
		return Message{}, fmt.Errorf("unknown operation %q, known are: %s", a.Operation, known(h.Operations))
	}
	scope, ok := h.Scopes[a.Scope]
	if !ok && a.Scope != "" {
		return Message{}, fmt.Errorf("operation %s: unknown scope %q, known are: %s", a.Operation, a.Scope, known(h.Scopes))
	}
	d := &draft{op: op, scope: scope, quoted: h.Quoted, longest: h.Longest, once: h.vars(a)}
	d.fresh = d.once
	d.fresh.Attempt, d.fresh.Now = a.Attempt, time.Now()
	m, err := h.deliver(d, a, f)
	if err != nil {
		return Message{}, fmt.Errorf("operation %s: %w", a.Operation, err)
	}
	m.Header.Set("User-Agent", h.Agent)
	m.Version, m.Entry = a.Version, a.Entry
	if len(h.Replicas) > 0 {
		m.Replica = max(a.Replica, 1)
	}
	return m, nil
}

// deliver makes the message in the way that the attempt asks for.
func (h *HTTP) deliver(d *draft, a Attempt, f inject.Fault) (m Message, err error) {
	if d.base, err = h.address(a.Replica); err != nil {
		return m, err
	}
	if err := d.op.checkVersion(a.Version); err != nil {
		return m, err
	}
	switch {
	case a.Find && d.op.Find == nil:
		return m, fmt.Errorf("the file does not say how to ask for it: add   find: GET /charges?order=${id}")
	case a.Find:
		headers := d.op.Headers
		d.op = *d.op.Find
		d.op.Headers = headers
		return d.message("", "", inject.Fault{})
	case a.Entry == "" || a.Entry == a.Operation:
		return d.message(a.Value, a.Variant, f)
	}
	entry, ok := h.Operations[a.Entry]
	if !ok {
		return m, fmt.Errorf("unknown entry %q, known are: %s", a.Entry, known(h.Operations))
	}
	if err := d.through(entry, a); err != nil {
		return m, err
	}
	return d.message("", "", f)
}

// address is that of a replica.
func (h *HTTP) address(replica int) (*url.URL, error) {
	switch {
	case replica < 2:
		return h.Base, nil
	case replica > len(h.Replicas)+1:
		return nil, fmt.Errorf("the target has %d addresses, there is no replica %d: give a list, as in   target: [http://127.0.0.1:8080, http://127.0.0.1:8081]", len(h.Replicas)+1, replica)
	}
	return h.Replicas[replica-2], nil
}

// vars are the same for all attempts of an operation.
func (h *HTTP) vars(a Attempt) template.Vars {
	h.mu.Lock()
	defer h.mu.Unlock()
	now, ok := h.now[a.Number]
	if !ok {
		now = time.Now()
		if h.now == nil {
			h.now = map[int]time.Time{}
		}
		h.now[a.Number] = now
	}
	return template.Vars{
		ID: a.ID, Key: a.Key, Scope: a.Scope, Run: h.Run, N: a.Number, Seed: h.Seed, Now: now, Values: a.Values, Numbers: a.Numbers,
		Version: a.Version,
	}
}

func known[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}

// sender is what carries messages.
type sender interface {
	Send(ctx context.Context, r *http.Request, f inject.Fault) inject.Answer
	Together(ctx context.Context, rs []*http.Request, offset time.Duration, done func(i int, a inject.Answer)) (spread time.Duration, overlapped bool)
}

func (h *HTTP) sender() sender {
	if h.H2 {
		return &h2.Dialer{TLS: h.Dialer.TLS, Timeout: h.Dialer.Timeout, Limit: int(h.Dialer.Limit), Read: int(h.Dialer.Read)}
	}
	return &h.Dialer
}

// Send implements Target. A payload fault was carried out by Render; it fired
// if the message was sent.
func (h *HTTP) Send(ctx context.Context, m Message) inject.Answer {
	r, err := m.request(ctx)
	if err != nil {
		return inject.Answer{Status: "unreachable", Err: fmt.Errorf("nothing was sent: %w", err)}
	}
	if ofPayload(m.Fault) {
		return fired(m, h.sender().Send(ctx, r, inject.Fault{}))
	}
	return h.sender().Send(ctx, r, m.Fault)
}

// Together implements Target. Of faults only those of the payload are carried.
func (h *HTTP) Together(ctx context.Context, ms []Message, offset time.Duration, done func(i int, a inject.Answer)) (spread time.Duration, overlapped bool) {
	rs := make([]*http.Request, len(ms))
	for i, m := range ms {
		r, err := m.request(ctx)
		if err != nil { // the dialer says of a request without a URL that nothing was sent
			r = &http.Request{Header: http.Header{}}
		}
		rs[i] = r
	}
	return h.sender().Together(ctx, rs, offset, func(i int, a inject.Answer) { done(i, fired(ms[i], a)) })
}

// fired says of a payload fault that it happened, if the message was sent.
func fired(m Message, a inject.Answer) inject.Answer {
	if ofPayload(m.Fault) {
		a.Fired = a.Status != "unreachable"
	}
	return a
}

func (m Message) request(ctx context.Context) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, m.Method, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	r.Header = m.Header.Clone()
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
		r.Header.Del("Host")
	}
	return r, nil
}
