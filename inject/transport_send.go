package inject

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/history"
)

// first sends what the caller meant, twice at once under overlap.
func (s *shot) first() (*http.Response, error) {
	f, ok := s.has(Overlap)
	if !ok {
		mine, withhold := s.own()
		return s.send(true, s.body, mine, withhold)
	}
	type outcome struct {
		resp *http.Response
		err  error
	}
	second := make(chan outcome, 1)
	one, two := s.t.keeper.begin(s, true), s.t.keeper.begin(s, false)
	together(one.try, two.try)
	mine, withhold := s.own()
	s.invoke(one.number, s.body, mine)
	s.invoke(two.number, s.body, f)
	go func() {
		resp, err := s.exchange(two, s.body, f, false)
		second <- outcome{resp, err}
	}()
	resp, err := s.exchange(one, s.body, mine, withhold)
	other := <-second
	s.fired(f)
	if _, lost := s.withheld(); !lost && good(other.resp) && !good(resp) {
		resp, err, other.resp = other.resp, other.err, resp
	}
	drop(other.resp)
	return resp, err
}

func good(r *http.Response) bool { return r != nil && r.StatusCode/100 == 2 }

// drop reads an answer that nobody wants, so that its exchange is complete.
func drop(r *http.Response) {
	if r != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, mostRead))
		_ = r.Body.Close()
	}
}

// again sends the copy that a fault adds.
func (s *shot) again(f Fault) {
	body := s.body
	switch f.Name {
	case ChangePayload.Name:
		body = s.changed
	case Reencode.Name:
		body = s.reenc
	}
	resp, _ := s.send(false, body, f, false) // the error is recorded
	drop(resp)
	s.fired(f)
}

// neverSent is an attempt that lose-request swallows, or a delay that the caller
// did not wait for.
func (s *shot) neverSent(f Fault, err error) (*http.Response, error) {
	d := s.t.keeper.begin(s, false)
	s.t.keeper.end(d)
	s.invoke(d.number, s.body, f)
	s.fired(f)
	s.end(d.number, Answer{Status: trouble(err, false), Err: err})
	return nil, err
}

// withheld finds the fault that keeps the answer from the caller.
func (s *shot) withheld() (Fault, bool) {
	if f, ok := s.has(LoseAnswer); ok {
		return f, true
	}
	return s.has(ReplaceAnswer)
}

// own is the fault that strikes the caller's own attempt.
func (s *shot) own() (f Fault, withhold bool) {
	if f, ok := s.withheld(); ok {
		return f, true
	}
	for _, f := range []Fault{Delay, KillBefore, KillAfter} {
		if f, ok := s.has(f); ok {
			return f, false
		}
	}
	return Fault{}, false
}

// instead is what the caller sees in the place of an answer that came.
func (s *shot) instead(a Answer) (*http.Response, error) {
	if a.Err != nil {
		return nil, a.Err
	}
	code, err := strconv.Atoi(a.Status)
	return madeUp(code, s.request), err
}

// madeUp is an answer that nobody gave.
func madeUp(code int, r *http.Request) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(code) + " " + http.StatusText(code), StatusCode: code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Length": {"0"}}, Body: http.NoBody, Request: r,
	}
}

// The bounds of a recorded answer.
const (
	mostKept = 1 << 20
	mostRead = 16 << 20
)

// send does one exchange and records it. f is the fault that added this copy, or
// that strikes the caller's own attempt, whose answer may be withheld.
func (s *shot) send(own bool, body []byte, f Fault, withhold bool) (*http.Response, error) {
	d := s.t.keeper.begin(s, own)
	s.invoke(d.number, body, f)
	return s.exchange(d, body, f, withhold)
}

func (s *shot) exchange(d delivery, body []byte, f Fault, withhold bool) (*http.Response, error) {
	ctx := s.request.Context()
	if d.try != nil {
		ctx = context.WithValue(ctx, attemptKey{}, d.try)
	}
	resp, err := s.t.next.RoundTrip(withBody(s.request, ctx, body))
	if !s.t.keeper.records() && !withhold {
		return resp, err
	}
	a := Answer{Status: status(err), Err: err}
	if err == nil {
		a = s.whole(resp)
	}
	s.t.keeper.end(d)
	if withhold && a.Whole() { // else there is nothing to withhold
		s.fired(f)
		drop(resp)
		a = a.Withheld(f)
		resp, err = s.instead(a)
	}
	s.end(d.number, a)
	return resp, err
}

// whole reads an answer for the record and gives its body back to the caller.
func (s *shot) whole(resp *http.Response) Answer {
	a := Answer{Status: strconv.Itoa(resp.StatusCode), Header: resp.Header}
	if kept, ok := resp.Body.(*keptBody); ok {
		a.Body, a.Cut = kept.all[:min(len(kept.all), mostKept)], len(kept.all) > mostKept
		return a
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, mostRead))
	a.Body, a.Cut = b[:min(len(b), mostKept)], len(b) > mostKept
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
		a.Status, a.Cut, a.Err = trouble(err, true), true, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(b), rest), resp.Body}
	return a
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// status is the word for an error of a RoundTripper.
func status(err error) string {
	if err == nil {
		return ""
	}
	var op *net.OpError
	var name *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED), errors.As(err, &name), errors.As(err, &op) && op.Op == "dial" && !op.Timeout():
		return unreachable
	case errors.As(err, &op) && op.Timeout():
		return timeout
	}
	return trouble(err, false)
}

func (s *shot) invoke(n int, body []byte, f Fault) {
	if !s.t.keeper.records() {
		return
	}
	attrs := map[string]string{history.AttrRequest: s.line()}
	if f.Name != "" {
		attrs[history.AttrFault] = f.Name
		if f.Arg != "" {
			attrs[history.AttrArg] = f.Arg
		}
	}
	if f.Name == ChangePayload.Name && !bytes.Equal(body, s.body) {
		attrs[history.AttrVariant] = s.variant
	}
	if s.key == "" {
		attrs[history.AttrKeyless] = "none"
	}
	s.add(history.Event{Kind: history.Invoke, Attempt: n, Attrs: attrs}, body)
}

func (s *shot) end(n int, a Answer) {
	if !s.t.keeper.records() {
		return
	}
	e := history.Event{Kind: class(a.Status), Attempt: n, Status: a.Status, Hidden: a.Hidden, Attrs: make(map[string]string, 2+len(a.Header))}
	for name, values := range a.Header {
		e.Attrs[history.AttrHeader+strings.ToLower(name)] = strings.Join(values, ", ")
	}
	if a.Cut {
		e.Attrs[history.AttrCut] = "true"
	}
	if a.Err != nil {
		e.Cause = a.Err.Error()
	}
	body := a.Body
	if body == nil {
		body = []byte{}
	}
	s.add(e, body)
}

func (s *shot) fired(f Fault) {
	e := history.Event{Kind: history.Fault, Actor: tool}
	if f.Arg != "" {
		e.Attrs = map[string]string{history.AttrArg: f.Arg}
	}
	e.Op, e.Name = s.op, f.Name
	s.t.keeper.add(e, nil)
}

func (s *shot) add(e history.Event, body []byte) {
	e.Op, e.Key, e.Name, e.Actor = s.op, s.key, s.name, "client"
	s.t.keeper.add(e, body)
}

// class is how an attempt with this status ended. A redirect is unknown here:
// the caller's http.Client may follow it.
func class(status string) history.Kind {
	c, _ := contract.Contract{}.Classify(status)
	return history.Kind(c)
}
