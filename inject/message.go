package inject

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// message is a request as bytes, made once, so that what goes over the wire is
// known exactly and can be stopped at any byte.
type message struct {
	bytes   []byte
	head    int // bytes up to and with the empty line
	method  string
	address string // host:port to dial
	server  string // the name for TLS; "" for plain HTTP
}

func newMessage(r *http.Request) (m message, err error) {
	body, err := takeBody(r)
	if err != nil {
		return m, fmt.Errorf("read the request's body: %w", err)
	}
	if r.URL == nil || r.URL.Host == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return m, fmt.Errorf("the request's URL %q is not http://HOST or https://HOST", r.URL)
	}
	c := r.Clone(r.Context())
	c.Body, c.ContentLength, c.TransferEncoding, c.Trailer = http.NoBody, int64(len(body)), nil, nil
	if len(body) > 0 {
		c.Body = io.NopCloser(bytes.NewReader(body))
	}
	c.Header.Del("Connection")
	c.Close = true // one connection an attempt: the server need not keep it
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		return m, fmt.Errorf("write the request: %w", err)
	}
	m = message{bytes: b.Bytes(), head: b.Len() - len(body), method: r.Method}
	m.address, m.server = destination(r)
	return m, nil
}

func destination(r *http.Request) (address, server string) {
	port := r.URL.Port()
	if r.URL.Scheme == "https" {
		server = r.URL.Hostname()
	}
	switch {
	case port != "":
	case server != "":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(r.URL.Hostname(), port), server
}

// takeBody reads a request's body. It leaves the request as it was if the body
// can be made again.
func takeBody(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	body := r.Body
	if r.GetBody != nil {
		again, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		body = again
	}
	b, err := io.ReadAll(body)
	if closeErr := body.Close(); err == nil {
		err = closeErr
	}
	return b, err
}

// until is how many bytes go out before cut-client strikes at a stage.
func (m message) until(stage string) (int, error) {
	switch body := len(m.bytes) - m.head; stage {
	case stageHeaders:
		return m.head, nil
	case stageHalf:
		if body < 2 {
			return 0, fmt.Errorf("cut-client: %s: the body has %d bytes, there is no half to send", stage, body)
		}
		return m.head + body/2, nil
	case "", stageBody, stageAnswer:
		return len(m.bytes), nil
	}
	return 0, fmt.Errorf("cut-client: unknown stage %q, legal are: %s", stage, strings.ReplaceAll(argStage, " (default)", ""))
}
