package relay

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"testing"
)

// FuzzRequest holds the relay's reading of a stream of requests against that of
// net/http: what the relay carries, net/http reads alike, and reads the same rest.
func FuzzRequest(f *testing.F) {
	for _, trick := range tricks {
		if len(trick.bytes) < 4<<10 {
			f.Add([]byte(trick.bytes), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8) {
		for range 4 {
			n := headEnd(stream, 0)
			if n < 0 {
				return
			}
			var r Request
			if parseRequest(stream[:n], &r) != nil {
				return
			}
			body, m, ok := inPieces(stream[n:], frame{left: r.Length, chunked: r.Length < 0}, int(cut)+1)
			if !ok {
				return
			}
			sameRequest(t, &r, body, stream[:n+m], stream[n+m:])
			stream = stream[n+m:]
		}
	})
}

// inPieces reads a body in pieces. The chunked one must come out the same as whole.
func inPieces(b []byte, f frame, size int) (body []byte, n int, ok bool) {
	whole := f
	data, used, done, err := whole.split(b)
	if f.chunked {
		f.chunks.keep = make([]byte, 0, len(b))
	}
	for {
		m, over, err := f.take(b[n:min(n+size, len(b))])
		if n += m; over {
			break
		}
		if err != nil || m == 0 {
			return nil, n, false
		}
	}
	if f.chunked {
		body = f.chunks.keep
	} else {
		body = b[:n]
	}
	if !done || err != nil || used != n || !bytes.Equal(body, data) {
		panic("another reading in pieces")
	}
	return body, n, true
}

func sameRequest(t *testing.T, r *Request, body, message, rest []byte) {
	t.Helper()
	stream := append(bytes.Clone(message), rest...)
	q, got, left, err := theirRequest(stream)
	var target url.EscapeError
	var broken *url.Error
	if errors.As(err, &target) || errors.As(err, &broken) {
		// net/http takes targets apart, the relay does not: look at all else.
		stream = append(append(bytes.Clone(r.Method), " /x"...), stream[len(r.Method)+1+len(r.Target):]...)
		q, got, left, err = theirRequest(stream)
		r.Target = []byte("/x")
	}
	switch {
	case err != nil:
		t.Fatalf("net/http refuses %q: %v", message, err)
	case q.Method != string(r.Method), q.RequestURI != string(r.Target), q.Host != string(r.Host):
		t.Fatalf("%q: net/http reads %s %s of %s", message, q.Method, q.RequestURI, q.Host)
	case q.ContentLength != r.Length, q.Close != r.close, !bytes.Equal(got, body), !bytes.Equal(left, rest):
		t.Fatalf("%q: net/http reads length %d, close %v, body %q, then %q", message, q.ContentLength, q.Close, got, left)
	}
}

func theirRequest(stream []byte) (q *http.Request, body, left []byte, err error) {
	in := bufio.NewReaderSize(bytes.NewReader(stream), 128<<10)
	if q, err = http.ReadRequest(in); err != nil {
		return nil, nil, nil, err
	}
	if body, err = io.ReadAll(q.Body); err != nil {
		return nil, nil, nil, err
	}
	left, err = io.ReadAll(in)
	return q, body, left, err
}

// FuzzAnswer does the same for answers.
func FuzzAnswer(f *testing.F) {
	for _, a := range answers {
		f.Add([]byte(a), uint8(3), false)
		f.Add([]byte(a), uint8(0), true)
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8, bare bool) {
		n := headEnd(stream, 0)
		if n < 0 {
			return
		}
		method := "POST"
		if bare {
			method = "HEAD"
		}
		var a Answer
		if parseAnswer(stream[:n], &a) != nil {
			return
		}
		fr := a.body([]byte(method))
		body, m := stream[n:], len(stream)-n
		if !fr.toEnd {
			var ok bool
			if body, m, ok = inPieces(stream[n:], fr, int(cut)+1); !ok {
				return
			}
		}
		sameAnswer(t, &a, method, body, stream, stream[n+m:])
	})
}

func sameAnswer(t *testing.T, a *Answer, method string, body, stream, rest []byte) {
	t.Helper()
	in := bufio.NewReaderSize(bytes.NewReader(stream), 128<<10)
	q, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("net/http refuses %q: %v", stream, err)
	}
	got, err := io.ReadAll(q.Body)
	if err != nil {
		t.Fatalf("net/http refuses the body of %q: %v", stream, err)
	}
	left, _ := io.ReadAll(in)
	switch {
	case q.StatusCode != a.Status, !bytes.Equal(got, body), !bytes.Equal(left, rest):
		t.Fatalf("%q: net/http reads %d, body %q, then %q; we body %q", stream, q.StatusCode, got, left, body)
	case q.Close && !a.close:
		t.Fatalf("%q: net/http closes", stream)
	}
}

var answers = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n2 \r\nhi\r\n0\r\nA: b\r\n\r\nx",
	"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
	"HTTP/1.1 200\r\n\r\nto the end",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n",
	"HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\nHTTP",
	"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nConnection: close, x\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\n folded: first\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 0\r\n\r\nx",
}
