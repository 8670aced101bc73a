package grpcinject

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/idemcheck/idemcheck/inject"
)

// UnaryClientInterceptor strikes the calls of a client with the run's faults and
// records them. The id of the operation is looked for in the metadata and in the
// message as JSON, or found by [inject.Options].ID; reads without an id need the
// latter. The metadata idempotency-key is the key.
//
//	lose-request    nothing is sent; the caller gets Unavailable
//	lose-answer     the call is made; the caller gets Unavailable
//	replace-answer  the call is made; the caller gets the code of the status in Arg (502: Unavailable)
//	delay           it is sent later
//	repeat          after the answer it is made once more
//	overlap         two are made at once
//	late            it is made once more, at the end of the run
//	change-payload  after the answer it is made with one changed field
//	reencode        as repeat: a handler never sees how a message was encoded
//
// The error of a lost request or answer wraps syscall.ECONNRESET, too. With a nil
// run, the interceptor does nothing.
func UnaryClientInterceptor(run *inject.Run) grpc.UnaryClientInterceptor {
	if run == nil {
		return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			return invoker(ctx, method, req, reply, cc, opts...)
		}
	}
	carrier := run.Requests(roundTripper(send))
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		c := &call{method: method, req: req, reply: reply, cc: cc, invoker: invoker, opts: opts}
		q, err := c.request(ctx)
		if err != nil {
			return err
		}
		resp, err := carrier.RoundTrip(q)
		if err != nil {
			return failure(ctx, err)
		}
		return c.answer(resp)
	}
}

// call is a call of the caller, of which several are made perhaps.
type call struct {
	method     string
	req, reply any
	cc         *grpc.ClientConn
	invoker    grpc.UnaryInvoker
	opts       []grpc.CallOption
	body       []byte // req as JSON
}

type (
	callKey    struct{} // of the call, in the context of its requests
	outcomeKey struct{} // of the outcome, in the context of the request of a response
)

// outcome is how one making of a call ended.
type outcome struct {
	reply           any
	err             error
	header, trailer metadata.MD
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// request is the call as the run sees it.
func (c *call) request(ctx context.Context) (*http.Request, error) {
	var err error
	if c.body, err = encode(c.req); err != nil {
		return nil, status.Errorf(status.Code(err), "grpcinject: the message is no JSON: %v", err)
	}
	q, err := http.NewRequestWithContext(context.WithValue(ctx, callKey{}, c), http.MethodPost, "http://grpc"+c.method, bytes.NewReader(c.body))
	if err != nil {
		return nil, fmt.Errorf("grpcinject: %w", err)
	}
	sent, _ := metadata.FromOutgoingContext(ctx)
	for name, values := range sent {
		if strings.HasSuffix(name, "-bin") {
			continue
		}
		for _, v := range values {
			q.Header.Add(name, v)
		}
	}
	q.Header.Set("Content-Type", "application/json")
	return q, nil
}

// send makes the call of a request.
func send(q *http.Request) (*http.Response, error) {
	c := q.Context().Value(callKey{}).(*call)
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	req := c.req
	if !bytes.Equal(body, c.body) {
		if req, err = changed(c.req, body); err != nil {
			return nil, fmt.Errorf("grpcinject: the changed message is none of its type: %w", err)
		}
	}
	o := &outcome{reply: fresh(c.reply)}
	o.err = c.invoker(sent(q.Context()), c.method, req, o.reply, c.cc, c.options(o)...)
	return o.response(q), nil
}

// options are those of the caller, but for what is to be written somewhere: two
// calls at once must not write to one place.
func (c *call) options(o *outcome) []grpc.CallOption {
	own := []grpc.CallOption{grpc.Header(&o.header), grpc.Trailer(&o.trailer)}
	for _, option := range c.opts {
		switch option.(type) {
		case grpc.HeaderCallOption, grpc.TrailerCallOption:
		default:
			own = append(own, option)
		}
	}
	return own
}

// response is an outcome as the run sees it.
func (o *outcome) response(q *http.Request) *http.Response {
	s := status.Convert(o.err)
	body := []byte(s.Message())
	if o.err == nil {
		if text, err := encode(o.reply); err == nil {
			body = text
		}
	}
	code := httpStatus(s.Code())
	return &http.Response{
		StatusCode: code, Status: fmt.Sprint(code, " ", s.Code()), Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: http.Header{"Grpc-Status": {s.Code().String()}}, Body: io.NopCloser(bytes.NewReader(body)),
		Request: q.WithContext(context.WithValue(q.Context(), outcomeKey{}, o)),
	}
}

// answer gives the caller what it gets.
func (c *call) answer(resp *http.Response) error {
	defer func() { _ = resp.Body.Close() }()
	o, ok := resp.Request.Context().Value(outcomeKey{}).(*outcome)
	if !ok {
		return status.Errorf(codeOf(resp.StatusCode), "made by the fault replace-answer: %d", resp.StatusCode)
	}
	for _, option := range c.opts {
		switch option := option.(type) {
		case grpc.HeaderCallOption:
			*option.HeaderAddr = o.header
		case grpc.TrailerCallOption:
			*option.TrailerAddr = o.trailer
		}
	}
	if o.err == nil {
		copyMessage(c.reply, o.reply)
	}
	return o.err
}
