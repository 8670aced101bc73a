package h2

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// message is a request, made once: its header block and its body.
type message struct {
	block   []byte
	body    []byte
	address string // host:port to dial
	server  string // the name for TLS; "" for plain HTTP
}

func newMessage(r *http.Request) (m message, err error) {
	if m.body, err = takeBody(r); err != nil {
		return m, fmt.Errorf("read the request's body: %w", err)
	}
	if r.URL == nil || r.URL.Host == "" || r.URL.Scheme != "http" && r.URL.Scheme != "https" {
		return m, fmt.Errorf("the request's URL %q is not http://HOST or https://HOST", r.URL)
	}
	port := r.URL.Port()
	if r.URL.Scheme == "https" {
		m.server = r.URL.Hostname()
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[r.URL.Scheme]
	}
	m.address = net.JoinHostPort(r.URL.Hostname(), port)
	m.block = headerBlock(r, len(m.body))
	return m, nil
}

// ofConnection are the headers that HTTP/2 does not have (RFC 9113, 8.2.2).
var ofConnection = []string{"Connection", "Host", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Te", "Content-Length"}

// headerBlock uses no dynamic table, so that blocks can be sent in any order.
func headerBlock(r *http.Request, length int) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	add := func(name, value string) {
		// Sensitive means never indexed. Writing to a buffer can not fail.
		_ = e.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: true})
	}
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	add(":method", r.Method)
	add(":scheme", r.URL.Scheme)
	add(":authority", host)
	add(":path", r.URL.RequestURI())
	if length > 0 || slices.Contains([]string{"POST", "PUT", "PATCH"}, r.Method) {
		add("content-length", strconv.Itoa(length))
	}
	for name, values := range r.Header {
		if slices.Contains(ofConnection, http.CanonicalHeaderKey(name)) {
			continue
		}
		for _, v := range values {
			add(strings.ToLower(name), strings.TrimSpace(strings.NewReplacer("\r", " ", "\n", " ").Replace(v)))
		}
	}
	return b.Bytes()
}

// frames are frames as bytes. Writing them to a buffer can not fail: their ids
// and lengths are ours.
func frames(write func(*http2.Framer) error) []byte {
	var b bytes.Buffer
	_ = write(http2.NewFramer(&b, nil))
	return b.Bytes()
}

// headerFrames are HEADERS and as many CONTINUATION as the block needs.
func headerFrames(id uint32, block []byte, most int, end bool) []byte {
	return frames(func(f *http2.Framer) error {
		n := min(most, len(block))
		err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block[:n], EndStream: end, EndHeaders: n == len(block)})
		for block = block[n:]; len(block) > 0 && err == nil; block = block[n:] {
			n = min(most, len(block))
			err = f.WriteContinuation(id, n == len(block), block[:n])
		}
		return err
	})
}

// lastFrame ends a stream, with what is left of its body.
func lastFrame(s *stream, rest []byte) []byte {
	return frames(func(f *http2.Framer) error { return f.WriteData(s.id, true, rest) })
}
