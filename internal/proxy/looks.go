package proxy

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

func lower(s string) string { return strings.ToLower(s) }

// look sends the GETs that the learner wants, each second until stop is closed.
func (p *Proxy) look(stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.lookOnce()
		case <-stop:
			return
		}
	}
}

func (p *Proxy) lookOnce() {
	for _, l := range p.learner.Looks() {
		if !p.toggle.on() || !p.budget.take() {
			p.learner.Looked(l.ID, traffic.Answer{Err: notSent})
			continue
		}
		p.learner.Looked(l.ID, p.get(l))
	}
}

// get sends one look with the credentials of the original.
func (p *Proxy) get(l traffic.Look) traffic.Answer {
	ctx, cancel := context.WithTimeout(p.ctx, copyTime)
	defer cancel()
	up := p.replicas.from(0)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, up.base.String()+l.Target, nil)
	if err != nil {
		return traffic.Answer{Err: notSent}
	}
	for name, values := range l.Header {
		switch name {
		case "Host":
			r.Host = l.Header.Get("Host")
		case "Content-Length", "Content-Type", "Transfer-Encoding", "Connection", "Idempotency-Key", "Trailer", "Te":
		default:
			r.Header[name] = values
		}
	}
	begin := time.Now()
	resp, err := up.plain.RoundTrip(r)
	if err != nil {
		return traffic.Answer{Err: errorName(err, 0), Took: time.Since(begin)}
	}
	return p.keep(resp, begin)
}

// keep reads an answer to its end and keeps its beginning.
func (p *Proxy) keep(resp *http.Response, begin time.Time) traffic.Answer {
	defer resp.Body.Close()
	kept := p.store.beginning(keptAnswer)
	defer kept.close()
	_, err := io.Copy(kept, resp.Body)
	a := traffic.Answer{Status: resp.StatusCode, Header: resp.Header, Trailer: resp.Trailer, Body: kept.bytes(keptAnswer), Cut: !kept.whole() || err != nil, Took: time.Since(begin)}
	if err != nil {
		a.Err = errorName(err, resp.StatusCode)
	}
	return a
}
