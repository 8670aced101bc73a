package relay

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// FuzzServe sends a stream through a whole relay to a service that reads with
// net/http. The service never sees a request that the relay did not see, nor
// another body.
func FuzzServe(f *testing.F) {
	for _, trick := range tricks {
		if len(trick.bytes) < 4<<10 {
			f.Add([]byte(trick.bytes+small), uint16(len(trick.bytes)/2))
		}
	}
	f.Add([]byte(small+evil+chunked("5\r\nhello\r\n0\r\n\r\n")+evil), uint16(70))
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		h := &pipeHooks{}
		s := &Server{Open: func(net.Conn) Hooks { return h }, Odd: func(net.Conn) {}}
		at := min(int(cut), len(stream))
		s.Serve(&script{pieces: [][]byte{stream[:at], stream[at:]}})
		h.wg.Wait()
		if !slices.Equal(h.saw, h.sent) {
			t.Errorf("%q: the relay sent %q, the service saw %q", stream, h.sent, h.saw)
		}
	})
}

// A script is the connection of a caller that sends pieces, and no more.
type script struct {
	net.Conn
	pieces [][]byte
}

func (s *script) Read(b []byte) (int, error) {
	for len(s.pieces) > 0 && len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.pieces[0])
	s.pieces[0] = s.pieces[0][n:]
	return n, nil
}

func (s *script) Write(b []byte) (int, error)      { return len(b), nil }
func (s *script) Close() error                     { return nil }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// pipeHooks have a service behind a pipe, and keep what either saw.
type pipeHooks struct {
	wg        sync.WaitGroup
	body      bytes.Buffer
	saw, sent []string
}

func (h *pipeHooks) Dial(context.Context) (net.Conn, error) {
	c, server := net.Pipe()
	h.wg.Go(func() {
		defer server.Close()
		in := bufio.NewReader(server)
		for {
			q, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			b, err := io.ReadAll(q.Body)
			if err != nil {
				return
			}
			h.saw = append(h.saw, q.Method+" "+q.RequestURI+" "+string(b))
			_, _ = io.WriteString(server, "HTTP/1.1 204 No\r\n\r\n")
		}
	})
	return c, nil
}

func (h *pipeHooks) Begin(r *Request) *Act {
	if _, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(r.Head)))); err != nil {
		return &Act{Odd: true} // a target that net/http does not take
	}
	h.body.Reset()
	return &Act{Request: &h.body}
}

func (h *pipeHooks) End(r *Request, a *Answer, _ *Act) {
	if a.SentAll {
		_, body, _ := SplitRequest(h.body.Bytes())
		h.sent = append(h.sent, string(r.Method)+" "+string(r.Target)+" "+string(body))
	}
}
