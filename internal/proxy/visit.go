package proxy

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// visit is one request that goes through net/http. It begins in RoundTrip and
// ends when the body of the answer was read or closed.
type visit struct {
	ticket
	p     *Proxy
	conn  *webConn
	out   *http.Request // what is sent
	grpc  bool
	begin time.Time

	mu      sync.Mutex
	sentAll bool // the transport has read the body to its end

	resp      *http.Response
	firstByte time.Time
	once      sync.Once
}

// fieldsOf are the headers of a request of net/http, as rules ask for them.
type fieldsOf http.Header

func (f fieldsOf) Header(name string) ([]byte, bool) {
	v := http.Header(f).Values(name)
	if len(v) == 0 {
		return nil, false
	}
	return []byte(v[0]), true
}

// newVisit reads what rules want to know and decides.
func (p *Proxy) newVisit(r *http.Request) *visit {
	v := &visit{p: p, conn: connOf(r.Context()), out: r, grpc: isGRPC(r.Header), begin: time.Now()}
	v.ticket.sent = p.learner.ReadHeader(r.Header)
	target := []byte(r.URL.RequestURI())
	v.q = heard{method: []byte(r.Method), target: target, path: pathOf(target), fields: fieldsOf(r.Header), key: v.ticket.sent.Key, length: r.ContentLength}
	var body io.ReadCloser
	v.q.start, v.q.all, body = start(r)
	if !v.untouched() {
		p.admit(&v.ticket, v.conn.up)
	}
	v.fit()
	for _, s := range []*strike{v.strike, v.kept} {
		if s != nil {
			s.form = newWebForm(r, v.grpc)
		}
	}
	unrepeatable(r)
	v.wrap(body)
	return v
}

// untouched tells whether nothing is ever done to a request.
func (v *visit) untouched() bool {
	return v.out.Header.Get("Upgrade") != "" || v.out.Method == http.MethodConnect
}

// fit takes back a fault that cannot be carried here: an answer of gRPC is not
// kept back, since it may be a stream, and whether it is is known only at its end.
func (v *visit) fit() {
	if v.strike == nil || !v.grpc {
		return
	}
	f := v.strike.fault
	switch {
	case f.Name == inject.Repeat.Name && f.Arg == "", f.Name == inject.Late.Name, f.Name == inject.Delay.Name, f.Name == inject.DropKey.Name:
		return
	case hides(f):
		v.p.awaited.take(func() uint64 { return v.q.identity(v.p.opt.Seed) })
	}
	v.p.skipped("gRPC is only repeated after its answer")
	v.strike.close()
	v.strike = nil
}

// start reads the start of a body of known length, which the caller has promised.
func start(r *http.Request) (b []byte, all bool, body io.ReadCloser) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, true, r.Body
	}
	if r.ContentLength < 0 || r.Header.Get("Expect") != "" {
		return nil, false, r.Body
	}
	b = make([]byte, min(r.ContentLength, maxStart))
	n, err := io.ReadFull(r.Body, b)
	rest := io.Reader(r.Body)
	if err != nil {
		rest = failing{err}
	}
	return b[:n], err == nil && r.ContentLength <= maxStart, &joined{io.MultiReader(strings.NewReader(string(b[:n])), rest), r.Body}
}

// failing is a body that broke.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type joined struct {
	io.Reader
	io.Closer
}

// wrap puts what watches the body around it.
func (v *visit) wrap(body io.ReadCloser) {
	if body == nil || body == http.NoBody {
		v.sentAll = true
		return
	}
	w := &sentBody{ReadCloser: body, v: v}
	if s := cmp.Or(v.strike, v.kept); s != nil {
		w.to = s.request
		w.frames.on = v.grpc
		if hold := s.holding(); hold != nil {
			w.held = newHeld(body, hold)
		}
	}
	v.out.Body = w
}

// RoundTrip implements http.RoundTripper for the reverse proxy.
func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	v := t.p.newVisit(r)
	if s := v.strike; s != nil {
		if s.fault.Name == inject.Delay.Name {
			wait(r.Context(), settings.Wait(s.fault))
		}
		if v.sentAll { // there is no body whose last byte could be held
			if s.fault.Name == inject.Overlap.Name {
				s.hold()
			}
			s.sent()
		}
	}
	resp, err := v.conn.up.transport(v.grpc).RoundTrip(r)
	v.firstByte = time.Now()
	if err != nil {
		v.failed(err)
		return nil, err
	}
	v.resp = resp
	if resp.StatusCode == http.StatusSwitchingProtocols {
		v.finish(nil, traffic.Upgraded)
		return resp, nil
	}
	kept := v.answer
	if v.strike != nil {
		kept = v.strike.answer
	}
	resp.Body = &gotBody{ReadCloser: resp.Body, v: v, kept: kept}
	if v.strike != nil && hides(v.strike.fault) {
		return v.hide(resp)
	}
	return resp, nil
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// errLost makes the caller see a reset.
var errLost = errors.New("the answer was lost")

// hide reads the answer to its end and keeps it from the caller.
func (v *visit) hide(resp *http.Response) (*http.Response, error) {
	f := v.strike.fault
	_, _ = io.Copy(io.Discard, resp.Body) // how it ended is noted by the body itself
	resp.Body.Close()
	if f.Name == inject.LoseAnswer.Name {
		return nil, errLost
	}
	const text = "idemcheck proxy: the answer was replaced\n"
	return &http.Response{
		StatusCode: replacedBy(f), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: resp.Request,
		Header: http.Header{"Content-Type": {"text/plain"}, relay.Mark: {"replaced"}},
		Body:   io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
	}, nil
}

// failed ends a visit that got no answer.
func (v *visit) failed(err error) {
	left := v.out.Context().Err() != nil
	v.once.Do(func() {
		v.mu.Lock()
		sentAll := v.sentAll
		v.mu.Unlock()
		v.p.passed(&v.ticket, passing{begin: v.begin, took: time.Since(v.begin), caller: v.conn.caller, lost: true, failed: !left})
		a := traffic.Answer{Err: errorName(err, 0), Took: time.Since(v.begin)}
		v.conclude(a, sentAll && !left, false)
	})
}

// finish ends a visit whose answer ended; err says how, nil: well.
func (v *visit) finish(err error, kind string) {
	v.once.Do(func() {
		took := time.Since(v.begin)
		v.mu.Lock()
		sentAll := v.sentAll
		v.mu.Unlock()
		if kind == "" {
			kind = v.kind()
		}
		v.p.passed(&v.ticket, passing{
			begin: v.begin, took: took, status: v.resp.StatusCode, caller: v.conn.caller, kind: kind, body: v.bodyHash(),
			lost: err != nil || v.strike != nil && hides(v.strike.fault), failed: v.resp.StatusCode >= 500,
		})
		a := traffic.Answer{Status: v.resp.StatusCode, Header: v.resp.Header, Trailer: v.resp.Trailer, Took: took}
		if err != nil {
			a.Err, a.Cut = "cut-off", true
		}
		v.conclude(a, sentAll, kind != "")
	})
}

func (v *visit) bodyHash() uint64 {
	if v.q.all && len(v.q.start) > 0 {
		return hash(1, v.q.start)
	}
	return 0
}

// kind tells a stream.
func (v *visit) kind() string {
	if strings.HasPrefix(strings.ToLower(v.resp.Header.Get("Content-Type")), "text/event-stream") {
		return traffic.Streamed
	}
	if s, ok := v.out.Body.(*sentBody); v.grpc && (ok && s.frames.n > 1 || v.answerFrames() > 1) {
		return traffic.Streamed
	}
	return ""
}

func (v *visit) answerFrames() int {
	if b, ok := v.resp.Body.(*gotBody); ok {
		return b.frames.n
	}
	return 0
}

// conclude hands the answer to what waits for it.
func (v *visit) conclude(a traffic.Answer, sentAll, stream bool) {
	switch {
	case v.strike != nil:
		a.Body, a.Cut = v.strike.answer.bytes(keptAnswer), a.Cut || !v.strike.answer.whole()
		v.strike.answered(a, v.firstByte, sentAll, stream)
	case v.retry != nil:
		a.Body, a.Cut = v.answer.bytes(keptAnswer), a.Cut || !v.answer.whole()
		v.answer.close()
		v.retry.retried(a, v.begin)
	}
}
