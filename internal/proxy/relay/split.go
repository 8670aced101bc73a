package relay

import (
	"bytes"
	"io"
)

// SplitAnswer reads one raw answer, the first in raw that is no 1xx. The body is
// without chunk framing; its Content-Encoding is left as it is. A body that is cut
// off comes with an error.
func SplitAnswer(raw []byte, method string) (a Answer, body []byte, err error) {
	for {
		n := headEnd(raw, 0)
		if n < 0 {
			return Answer{}, nil, io.ErrUnexpectedEOF
		}
		if v := parseAnswer(raw[:n], &a); v != nil {
			return a, nil, v
		}
		raw = raw[n:]
		if a.Status >= 200 {
			break
		}
	}
	f := a.body([]byte(method))
	body, n, done, err := f.split(raw)
	a.Length, a.Whole = int64(n), done || f.toEnd && err == nil
	if err == nil && !a.Whole {
		err = io.ErrUnexpectedEOF
	}
	a.Err = err
	return a, body, err
}

// SplitRequest reads one raw request; the body is without chunk framing.
func SplitRequest(raw []byte) (r Request, body []byte, err error) {
	n := headEnd(raw, 0)
	if n < 0 {
		return Request{}, nil, io.ErrUnexpectedEOF
	}
	if v := parseRequest(raw[:n], &r); v != nil && v.status != 0 {
		return r, nil, v
	}
	f := frame{left: r.Length, chunked: r.Length < 0}
	body, n, done, err := f.split(raw[n:])
	r.Sent = int64(n)
	if err == nil && !done {
		err = io.ErrUnexpectedEOF
	}
	return r, body, err
}

// split is the body at the start of raw, which took n bytes of it.
func (f *frame) split(raw []byte) (body []byte, n int, done bool, err error) {
	if f.chunked {
		f.chunks.keep = make([]byte, 0, len(raw))
	}
	n, done, err = f.take(raw)
	if f.chunked {
		return f.chunks.keep, n, done, err
	}
	return raw[:n], n, done, err
}

// cutMethod takes the method off a raw request.
func cutMethod(raw []byte) (method, rest []byte, ok bool) { return bytes.Cut(raw, []byte{' '}) }
