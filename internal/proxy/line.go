package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/internal/proxy/relay"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
	"github.com/idemcheck/idemcheck/internal/proxy/traffic"
)

// line is the connection of a caller that the relay carries. It implements relay.Hooks.
type line struct {
	ticket
	p      *Proxy
	up     *upstream
	caller uint64
	act    relay.Act
}

func (p *Proxy) newLine(c net.Conn) relay.Hooks {
	return &line{p: p, up: p.replicas.next(), caller: callerOf(c)}
}

// callerOf is a hash of the address of a caller without its port.
func callerOf(c net.Conn) uint64 {
	host, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil {
		return 0
	}
	return hash(0, []byte(host))
}

// Dial implements relay.Hooks. Nothing was sent yet, so another replica will do.
func (l *line) Dial(ctx context.Context) (net.Conn, error) {
	c, err := l.up.dial(ctx)
	if err != nil && ctx.Err() == nil {
		if other := l.p.replicas.after(l.up); other != l.up {
			l.up = other
			return other.dial(ctx)
		}
	}
	return c, err
}

// Begin implements relay.Hooks.
func (l *line) Begin(r *relay.Request) *relay.Act {
	l.sent = l.p.learner.Read(r.Head)
	l.q = heard{method: r.Method, target: r.Target, path: pathOf(r.Target), fields: r, start: r.Peek, key: l.sent.Key, length: r.Length, all: r.PeekAll, cut: r.PeekCut}
	l.p.admit(&l.ticket, l.up)
	switch {
	case l.retry != nil:
		l.act = relay.Act{Answer: l.answer}
	case l.strike != nil:
		l.act = l.strike.act()
	case l.kept != nil:
		l.kept.form = rawForm{}
		l.act = relay.Act{Request: l.kept.request, Hold: l.kept.identify}
	default:
		return nil
	}
	return &l.act
}

// act is what the relay does with a request that is struck.
func (s *strike) act() relay.Act {
	s.form = rawForm{}
	a := relay.Act{Request: s.request, Answer: s.answer, Sent: s.sent, Hold: s.holding()}
	switch s.fault.Name {
	case inject.Delay.Name:
		a.Delay = settings.Wait(s.fault)
	case inject.LoseAnswer.Name:
		a.Lose = true
	case inject.ReplaceAnswer.Name:
		a.Replace = replacement(s.fault)
	}
	return a
}

// replacement is the answer that a caller sees instead of the service's.
func replacement(f inject.Fault) []byte {
	const body = "idemcheck proxy: the answer was replaced\n"
	return []byte("HTTP/1.1 " + strconv.Itoa(replacedBy(f)) + " Replaced\r\n" + relay.Mark + ": replaced\r\nContent-Type: text/plain\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// replacedBy is the status in the argument of a fault, or 502.
func replacedBy(f inject.Fault) int {
	if n, err := strconv.Atoi(f.Arg); err == nil {
		return n
	}
	return 502
}

// End implements relay.Hooks.
func (l *line) End(r *relay.Request, a *relay.Answer, _ *relay.Act) {
	e := passing{begin: r.Start, took: a.Took, status: a.Status, caller: l.caller, lost: !a.Given || l.strike != nil && hides(l.strike.fault)}
	if r.PeekAll && len(r.Peek) > 0 {
		e.body = hash(1, r.Peek)
	}
	if a.Took == 0 {
		e.took = time.Since(r.Start)
	}
	e.failed = a.Status >= 500 || a.Status == 0 && a.SentAll
	stream := a.Status != 0 && streams(a)
	if stream {
		e.kind = traffic.Streamed
	}
	l.p.passed(&l.ticket, e)
	switch {
	case l.strike != nil:
		l.strike.answered(relayed(l.strike.answer, l.strike.method, a), r.Start.Add(a.First), a.SentAll, stream)
	case l.retry != nil:
		l.retry.retried(relayed(l.answer, string(r.Method), a), r.Start)
		l.answer.close()
	}
	l.strike, l.retry = nil, nil
}

// streams tells whether an answer has no end of its own.
func streams(a *relay.Answer) bool {
	if !a.Chunked && !a.ToEnd {
		return false
	}
	kind, ok := a.Header("Content-Type")
	return ok && bytes.HasPrefix(bytes.ToLower(kind), []byte("text/event-stream"))
}

// relayed is an answer that the relay passed on and kept.
func relayed(kept *spool, method string, a *relay.Answer) traffic.Answer {
	out := traffic.Answer{Status: a.Status, Took: a.Took, Err: errorName(a.Err, a.Status)}
	got, body, err := relay.SplitAnswer(kept.bytes(keptAnswer), method)
	out.Header = headerOf(got.Head)
	out.Body = bytes.Clone(body)
	out.Cut = err != nil || !kept.whole() || !a.Whole
	if out.Err == "" && a.Status != 0 && !a.Whole {
		out.Err = "cut-off"
	}
	return out
}

// errorName is what the history calls an error of the network.
func errorName(err error, status int) string {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil && status == 0:
		return "reset"
	case err == nil:
		return ""
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case status != 0:
		return "cut-off"
	case isRefused(err):
		return "unreachable"
	case errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "EOF"):
		return "reset"
	}
	return "reset"
}
