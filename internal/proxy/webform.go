package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// webForm makes copies of requests that went through net/http.
type webForm struct {
	method, host string
	url          url.URL
	header       http.Header // as it came
	trailer      http.Header // filled when the body has ended
	length       int64
	grpc         bool
}

func newWebForm(r *http.Request, grpc bool) *webForm {
	return &webForm{method: r.Method, host: r.Host, url: *r.URL, header: r.Header.Clone(), trailer: r.Trailer, length: r.ContentLength, grpc: grpc}
}

func (f *webForm) send(s *strike, hold func()) traffic.Answer {
	ctx, cancel := context.WithTimeout(s.p.copying, copyTime)
	defer cancel()
	up := s.p.replicas.after(s.up)
	r, err := f.request(ctx, s, up, hold)
	if err != nil {
		s.skip(err.Error())
		return traffic.Answer{Err: notSent}
	}
	begin := time.Now()
	resp, err := up.transport(f.grpc).RoundTrip(r)
	if err != nil {
		return traffic.Answer{Err: errorName(err, 0), Took: time.Since(begin)}
	}
	return s.p.keep(resp, begin)
}

func (f *webForm) request(ctx context.Context, s *strike, up *upstream, hold func()) (*http.Request, error) {
	u := f.url
	u.Scheme, u.Host = up.base.Scheme, up.base.Host
	r := (&http.Request{Method: f.method, URL: &u, Host: f.host, Header: f.header.Clone(), ContentLength: f.length, Trailer: f.trailer.Clone()}).WithContext(ctx)
	r.Header.Del("Expect")
	body := s.request.reader()
	switch s.fault.Name {
	case inject.Reencode.Name:
		same, ok := inject.ReencodeJSON(s.request.bytes(keptAnswer), s.fault.Arg == "numbers")
		if !ok || r.Header.Get("Content-Encoding") != "" {
			return nil, errors.New("the body was no JSON")
		}
		body, r.ContentLength = bytes.NewReader(same), int64(len(same))
		r.Header.Del("Content-Length")
	case inject.DropKey.Name:
		name := carrierOf(r.Header, s.key)
		if name == "" {
			return nil, errors.New("no header carried a key")
		}
		r.Header.Del(name)
	}
	unrepeatable(r)
	if s.request.length() > 0 {
		r.Body = io.NopCloser(body)
		if hold != nil {
			r.Body = &heldCopy{held: newHeld(body, hold)}
		}
	} else if hold != nil {
		hold()
	}
	return r, nil
}

// heldCopy is the body of an overlapping copy.
type heldCopy struct{ held *held }

func (h *heldCopy) Read(p []byte) (int, error) { return h.held.Read(p, nil) }
func (h *heldCopy) Close() error               { return nil }

func (f *webForm) parts(s *strike, most int64) (h http.Header, body []byte, cut bool) {
	h = f.header.Clone()
	h.Set("Host", f.host)
	return h, s.request.bytes(most), s.request.length() > most || !s.request.whole()
}
