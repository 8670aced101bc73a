package wire

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// pipe is a connection in memory that can be closed for writing.
type pipe struct {
	net.Conn // nil
	*io.PipeReader
	to *io.PipeWriter
}

func (pipe) RemoteAddr() net.Addr { return &net.TCPAddr{} }

func newPipe() (pipe, pipe) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	return pipe{PipeReader: r1, to: w2}, pipe{PipeReader: r2, to: w1}
}

func (p pipe) Read(b []byte) (int, error)      { return p.PipeReader.Read(b) }
func (p pipe) Write(b []byte) (int, error)     { return p.to.Write(b) }
func (p pipe) CloseWrite() error               { return p.to.Close() }
func (p pipe) SetReadDeadline(time.Time) error { return nil }
func (p pipe) Close() error {
	p.to.CloseWithError(net.ErrClosed)
	return p.PipeReader.CloseWithError(net.ErrClosed)
}

// throughHTTP sends requests through the codec in pieces, to a dependency. It
// returns what either got, and the steps.
func throughHTTP(t *testing.T, requests []byte, piece int, dependency func(pipe)) (system []byte, seen []string, l *Link) {
	t.Helper()
	s := &steps{}
	l = &Link{config: Config{Name: "dep"}}
	l.Watch(s.hook)
	client, down := newPipe()
	up, server := newPipe()
	c := &conn{link: l, id: 1, down: down, up: up}
	watchdog := time.AfterFunc(bound, func() { panic("the codec hangs") })
	defer watchdog.Stop()
	together := make(chan bool, 3)
	run := func(f func()) {
		go func() {
			f()
			together <- true
		}()
	}
	run(func() {
		if err := HTTP.serve(c); err != nil {
			t.Errorf("serve: %v", err)
		}
		c.close()
	})
	run(func() { dependency(server) })
	run(func() {
		for part := range slices.Chunk(requests, piece) {
			if _, err := client.Write(part); err != nil {
				t.Errorf("write: %v", err)
			}
		}
		client.CloseWrite()
	})
	system, _ = io.ReadAll(client)
	for range 3 {
		<-together
	}
	return system, s.all(), l
}

// requestNames are what net/http reads; ok: all of it is valid, and none leaves HTTP.
func requestNames(text []byte) (names []string, ok bool) {
	for in := bufio.NewReader(bytes.NewReader(text)); ; {
		if _, err := in.Peek(1); err != nil {
			return names, true
		}
		r, err := http.ReadRequest(in)
		if err != nil || r.Method == "CONNECT" || r.Header.Get("Upgrade") != "" {
			return names, false
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return names, false
		}
		names = append(names, r.Method+" before", r.Method+" after")
	}
}

// answering reads requests with net/http and answers each; got is every byte that came.
func answering(got *bytes.Buffer) func(pipe) {
	return func(c pipe) {
		raw := io.TeeReader(c, got)
		for in := bufio.NewReader(raw); ; {
			r, err := http.ReadRequest(in)
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
			}
			answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
			switch {
			case err != nil:
				answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
			case r.Method == "HEAD" || r.Method == "CONNECT":
				answer = strings.TrimSuffix(answer, "ok")
			}
			_, _ = io.WriteString(c, answer)
			if err != nil {
				c.CloseWrite()
				_, _ = io.Copy(io.Discard, raw)
				return
			}
		}
	}
}

// FuzzHTTPRequests: every byte reaches the dependency as it was sent; and where
// net/http reads valid requests, the link saw the same ones.
func FuzzHTTPRequests(f *testing.F) {
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcPUT /b HTTP/1.1\r\nHost: x\r\ntransfer-encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n0A \r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nHEAD / HTTP/1.0\r\n\r\n",
		"\r\nGET http://x/y HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
		"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\nraw", "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", "\x16\x03\x01", "PRI * HTTP/2.0\r\n\r\n",
		"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
	} {
		f.Add([]byte(text), uint16(1))
		f.Add([]byte(text), uint16(1000))
	}
	f.Fuzz(func(t *testing.T, text []byte, piece uint16) {
		got := &bytes.Buffer{}
		_, seen, l := throughHTTP(t, text, int(piece)+1, answering(got))
		if !bytes.Equal(got.Bytes(), text) {
			t.Errorf("the dependency got %q of %q", got, text)
		}
		names, ok := requestNames(text)
		if !ok || l.Err() != nil {
			return
		}
		for i, s := range seen { // the method and the phase
			words := strings.Fields(s)
			seen[i] = words[0] + " " + words[2]
		}
		if !slices.Equal(seen, names) {
			t.Errorf("steps %q of requests %q in %q", seen, names, text)
		}
	})
}

// FuzzHTTPAnswer: every byte reaches the system as it was answered; and where
// net/http reads a valid answer, the link saw its status.
func FuzzHTTPAnswer(f *testing.F) {
	for _, text := range []string{
		"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\n\r\nto the end", "HTTP/1.0 404 Not Found\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: x\n\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n\x00\x01", "220 mail\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
	} {
		for method := range uint8(3) {
			f.Add([]byte(text), method, uint16(1000))
		}
		f.Add([]byte(text), uint8(0), uint16(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, method uint8, piece uint16) {
		name := []string{"GET", "POST", "HEAD"}[method%3]
		request := name + " / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
		system, seen, l := throughHTTP(t, []byte(request), 1000, func(c pipe) {
			_, _ = io.ReadFull(c, make([]byte, len(request)))
			for part := range slices.Chunk(text, int(piece)+1) {
				_, _ = c.Write(part)
			}
			c.CloseWrite()
			_, _ = io.Copy(io.Discard, c)
		})
		if !bytes.Equal(system, text) {
			t.Errorf("the system got %q of %q", system, text)
		}
		status := finalStatus(text, name)
		if status == "" || l.Err() != nil {
			return
		}
		if len(seen) != 2 || strings.Fields(seen[1])[3] != status {
			t.Errorf("steps %q; the status is %s", seen, status)
		}
	})
}

// finalStatus is what net/http reads; "": the answer is not valid.
func finalStatus(text []byte, method string) string {
	for in := bufio.NewReader(bytes.NewReader(text)); ; {
		answer, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil || answer.StatusCode < 100 {
			return ""
		}
		if answer.StatusCode/100 == 1 && answer.StatusCode != 101 {
			continue
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return ""
		}
		return answer.Status[:3]
	}
}
