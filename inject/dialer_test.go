package inject

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestDialerReadsAnyAnswer(t *testing.T) {
	ok := "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi"
	for name, test := range map[string]struct {
		serve  func(net.Conn)
		status string
		body   string
		err    string
	}{
		"plain":             {says(ok), "201", "hi", ""},
		"interim first":     {says("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok), "201", "hi", ""},
		"chunked, trailers": {says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-T: 1\r\n\r\n"), "200", "hello", ""},
		"no length":         {says("HTTP/1.1 200 OK\r\n\r\nto the end"), "200", "to the end", ""},
		"HTTP/1.0":          {says("HTTP/1.0 200 OK\r\n\r\nold"), "200", "old", ""},
		"no body":           {says("HTTP/1.1 204 No Content\r\n\r\n"), "204", "", ""},
		"switching":         {says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), "101", "", ""},
		"redirect as is":    {says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"), "302", "", ""},
		"reset at once":     {breaks, "reset", "", "reset"},
		"end after request": {says(""), "reset", "", "EOF"},
		"reset in header":   {says("HTTP/1.1 200 OK\r\nConte"), "cut-off", "", "answer"},
		"short body":        {says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"), "cut-off", "hi", "unexpected EOF"},
		"short chunks":      {says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), "cut-off", "hel", "unexpected EOF"},
		"garbage":           {says("\x16\x03\x01 what is this\r\n\r\n"), "garbage", "", "malformed"},
		"bad chunks":        {says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhel"), "garbage", "", "chunk"},
		"bad length":        {says("HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n"), "garbage", "", "Content-Length"},
		"status 999":        {says("HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n"), "garbage", "", "between 100 and 599"},
		"interim, then end": {says("HTTP/1.1 100 Continue\r\n\r\n"), "cut-off", "", "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Dialer{}
			a := d.Send(t.Context(), post(t, raw(t, test.serve), `{"a":1}`), Fault{})
			if a.Status != test.status || string(a.Body) != test.body {
				t.Errorf("got %q %q (%v), want %q %q", a.Status, a.Body, a.Err, test.status, test.body)
			}
			if a.Whole() != (a.Err == nil) || a.Whole() != (a.Header != nil) || a.Cut && a.Whole() {
				t.Errorf("whole %v, error %v, header %v, cut %v do not fit together", a.Whole(), a.Err, a.Header, a.Cut)
			}
			if a.Err != nil && len(a.Err.Error()) > 400 {
				t.Errorf("the error has %d bytes", len(a.Err.Error()))
			}
			if test.err != "" && (a.Err == nil || !strings.Contains(a.Err.Error(), test.err)) {
				t.Errorf("error %v does not say %q", a.Err, test.err)
			}
		})
	}
}

// told is a connection whose end only the writer is told of as a reset.
type told struct {
	net.Conn
	err    error
	answer io.Reader
}

func (c told) Write([]byte) (int, error)        { return 0, &net.OpError{Op: "write", Net: "tcp", Err: c.err} }
func (c told) Read(b []byte) (int, error)       { return c.answer.Read(b) }
func (c told) SetWriteDeadline(time.Time) error { return nil }

func TestDialerWriterIsTold(t *testing.T) {
	m, err := newMessage(post(t, "http://127.0.0.1:1", `{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range []error{syscall.ECONNRESET, syscall.EPIPE} {
		c := told{err: cause, answer: strings.NewReader("")}
		a := new(Dialer).exchange(&connection{Conn: c, raw: c}, m)
		if a.Status != reset || !errors.Is(a.Err, cause) || !strings.Contains(a.Err.Error(), "reset") {
			t.Errorf("%v: got %q (%v)", cause, a.Status, a.Err)
		}
		c.answer = strings.NewReader("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
		if a := new(Dialer).exchange(&connection{Conn: c, raw: c}, m); a.Status != "413" || a.Err != nil {
			t.Errorf("%v: an answer before it: got %q (%v)", cause, a.Status, a.Err)
		}
	}
	late := told{err: os.ErrDeadlineExceeded, answer: strings.NewReader("")} // as stopWriting makes it
	if a := new(Dialer).exchange(&connection{Conn: late, raw: late}, m); a.Status != reset || !errors.Is(a.Err, io.EOF) {
		t.Errorf("only stopped: got %q (%v)", a.Status, a.Err)
	}
}

// stream writes the same text until the client has gone.
func stream(head, again string) func(net.Conn) {
	return func(c net.Conn) {
		skipRequest(c)
		_, err := io.WriteString(c, head)
		block := strings.Repeat(again, 1000)
		for err == nil {
			_, err = io.WriteString(c, block)
		}
	}
}

func TestDialerIsBound(t *testing.T) {
	for name, test := range map[string]struct {
		serve   func(net.Conn)
		timeout time.Duration
		status  string
		err     string
	}{
		"silence":          {silent, 50 * time.Millisecond, "timeout", ""},
		"endless header":   {stream("HTTP/1.1 200 OK\r\n", "X-A: bbbbbbbb\r\n"), 0, "garbage", "header of the answer has no end"},
		"endless line":     {stream("HTTP/1.1 ", "bbbbbbbb"), 0, "garbage", "has no end"},
		"endless interim":  {stream("", "HTTP/1.1 100 Continue\r\n\r\n"), 0, "garbage", "has no end"},
		"endless body":     {stream("HTTP/1.1 200 OK\r\n\r\n", "bbbbbbbb"), 0, "cut-off", "body has no end"},
		"endless chunks":   {stream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nb\r\n"), 0, "cut-off", "body has no end"},
		"endless trailers": {stream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: bbbbbbbb\r\n"), 0, "", ""},
		"stops in body": {func(c net.Conn) {
			says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")(c)
			silent(c)
		}, 50 * time.Millisecond, "timeout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Dialer{Timeout: test.timeout, Read: 200_000}
			a := d.Send(t.Context(), post(t, raw(t, test.serve), `{}`), Fault{})
			if a.Whole() || test.status != "" && a.Status != test.status {
				t.Errorf("got %q (%v), want %q", a.Status, a.Err, test.status)
			}
			if a.Err == nil || !strings.Contains(a.Err.Error(), test.err) {
				t.Errorf("error %v does not say %q", a.Err, test.err)
			}
		})
	}
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		url := raw(t, func(c net.Conn) { skipRequest(c); cancel(); silent(c) })
		if a := new(Dialer).Send(ctx, post(t, url, ""), Fault{}); a.Status != "timeout" {
			t.Errorf("got %q (%v)", a.Status, a.Err)
		}
	})
}

func TestDialerKeepsUpToTheLimit(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = w.Write(bytes.Repeat([]byte("a"), int(n)))
	}))
	defer s.Close()
	d := &Dialer{Limit: 1000}
	for size, cut := range map[int]bool{1000: false, 1001: true, 3 << 20: true} {
		a := d.Send(t.Context(), post(t, s.URL, strings.Repeat("x", size)), Fault{})
		if a.Status != "200" || len(a.Body) != 1000 || a.Cut != cut {
			t.Errorf("%d bytes: got %q, %d bytes kept, cut %v", size, a.Status, len(a.Body), a.Cut)
		}
	}
}

func TestDialerNothingThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	_ = l.Close()
	for _, f := range []Fault{{}, LoseAnswer, LoseRequest, CutClient} {
		a := new(Dialer).Send(t.Context(), post(t, url, "{}"), f)
		if a.Status != "unreachable" || a.Fired || !errors.Is(a.Err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %+v", f, a)
		}
	}
	for _, url := range []string{"/charges", "ftp://127.0.0.1/x", "http:///x"} {
		if a := new(Dialer).Send(t.Context(), post(t, url, "{}"), Fault{}); a.Status != "unreachable" || a.Err == nil {
			t.Errorf("%s: %+v", url, a)
		}
	}
}

// What is sent is known to the byte, and an answer that comes before the whole
// of a long body was sent counts.
func TestDialerWritesExactly(t *testing.T) {
	got := make(chan string, 1)
	url := raw(t, func(c net.Conn) {
		b := make([]byte, 4096)
		n, _ := c.Read(b)
		got <- string(b[:n])
		says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")(c)
	})
	r := post(t, url+"/charges?x=%20y", `{"a":1}`)
	r.Header.Set("User-Agent", "idemcheck/1 run/r1")
	r.Header.Set("Connection", "keep-alive")
	go new(Dialer).Send(t.Context(), r, CutClient)
	want := "POST /charges?x=%20y HTTP/1.1\r\nHost: " + r.Host + "\r\nUser-Agent: idemcheck/1 run/r1\r\nConnection: close\r\n" +
		"Content-Length: 7\r\nContent-Type: application/json\r\nIdempotency-Key: k1\r\n\r\n{\"a\":1}"
	if g := within(t, got); g != want {
		t.Errorf("got\n%q, want\n%q", g, want)
	}
	early := raw(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 10))
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
		silent(c)
	})
	if a := new(Dialer).Send(t.Context(), post(t, early, strings.Repeat("x", 8<<20)), Fault{}); a.Status != "413" {
		t.Errorf("early answer: got %q (%v)", a.Status, a.Err)
	}
}

// counter is a service that counts what reaches it.
type counter struct {
	*httptest.Server
	begun, whole atomic.Int64
	left         chan error // why the handler could not read the body, nil if it could
}

func newCounter(t *testing.T, secure bool) *counter {
	c := &counter{left: make(chan error, 100)}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.begun.Add(1)
		_, err := io.Copy(io.Discard, r.Body)
		if err == nil {
			c.whole.Add(1)
		}
		if r.URL.Path == "/wait" && err == nil {
			<-r.Context().Done()
			err = r.Context().Err()
		}
		c.left <- err
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, `{"id": "ch_1"}`)
	})
	c.Server = httptest.NewUnstartedServer(h)
	c.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes fail on purpose
	if secure {
		c.StartTLS()
	} else {
		c.Start()
	}
	t.Cleanup(c.Close)
	return c
}

func TestDialerFaults(t *testing.T) {
	for _, secure := range []bool{false, true} {
		for _, test := range []struct {
			fault         Fault
			path, body    string
			status        string
			hidden        string
			fired         bool
			begun, whole  int64
			leaves        bool
			answerNotSeen bool
		}{
			{Fault{}, "/", "12", "201", "", false, 1, 1, false, false},
			{Delay, "/", "12", "201", "", true, 1, 1, false, false},
			{Fault{"delay", "1ms"}, "/", "12", "201", "", true, 1, 1, false, false},
			{LoseRequest, "/", "12", "reset", "", true, 0, 0, false, true},
			{LoseAnswer, "/", "12", "reset", `201 {"id": "ch_1"}`, true, 1, 1, false, true},
			{ReplaceAnswer, "/", "12", "502", `201 {"id": "ch_1"}`, true, 1, 1, false, true},
			{Fault{"replace-answer", "504"}, "/", "12", "504", `201 {"id": "ch_1"}`, true, 1, 1, false, true},
			{Fault{"cut-client", "headers-sent"}, "/", "12", "reset", "", true, 1, 0, true, true},
			{Fault{"cut-client", "half-body"}, "/", "12", "reset", "", true, 1, 0, true, true},
			{Fault{"cut-client", "body-sent"}, "/wait", "12", "reset", "", true, 1, 1, true, true},
			{CutClient, "/wait", "12", "reset", "", true, 1, 1, true, true},
			{Fault{"cut-client", "answer-begun"}, "/", "12", "reset", "", true, 1, 1, false, true},
			{Fault{"cut-client", "half-body"}, "/", "1", "unreachable", "", false, 0, 0, false, true},
			{Fault{"cut-client", "tea"}, "/", "12", "unreachable", "", false, 0, 0, false, true},
			{Fault{"delay", "soon"}, "/", "12", "unreachable", "", false, 0, 0, false, true},
			{Fault{"explode", ""}, "/", "12", "unreachable", "", false, 0, 0, false, true},
			{ChangePayload, "/", "12", "unreachable", "", false, 0, 0, false, true},
		} {
			t.Run(fmt.Sprintf("%s tls=%v", test.fault, secure), func(t *testing.T) {
				c := newCounter(t, secure)
				d := &Dialer{}
				if secure {
					d.TLS = c.Client().Transport.(*http.Transport).TLSClientConfig
				}
				a := d.Send(t.Context(), post(t, c.URL+test.path, test.body), test.fault)
				if a.Status != test.status || a.Hidden != test.hidden || a.Fired != test.fired {
					t.Errorf("got %+v", a)
				}
				if test.answerNotSeen && len(a.Body) > 0 {
					t.Errorf("the caller saw %q", a.Body)
				}
				if test.begun > 0 {
					if err := within(t, c.left); test.leaves != (err != nil) {
						t.Errorf("the service saw %v, the client leaving is %v", err, test.leaves)
					}
				}
				c.Close()
				if b, w := c.begun.Load(), c.whole.Load(); b != test.begun || w != test.whole {
					t.Errorf("the service saw %d requests, %d whole", b, w)
				}
			})
		}
	}
}

// A fault that withholds an answer has not fired if none came.
func TestDialerNothingToWithhold(t *testing.T) {
	for _, f := range []Fault{LoseAnswer, ReplaceAnswer, {"cut-client", "answer-begun"}} {
		a := new(Dialer).Send(t.Context(), post(t, raw(t, says("")), "{}"), f)
		if a.Fired || a.Status != "reset" || a.Hidden != "" {
			t.Errorf("%s: %+v", f, a)
		}
	}
}

func TestDialerTLSRefused(t *testing.T) {
	s := newCounter(t, true)
	a := new(Dialer).Send(t.Context(), post(t, s.URL, "{}"), Fault{}) // its certificate is unknown
	var unknown *tls.CertificateVerificationError
	if a.Status != "unreachable" || !errors.As(a.Err, &unknown) {
		t.Errorf("got %q (%v)", a.Status, a.Err)
	}
	plain := strings.Replace(raw(t, func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") }), "http:", "https:", 1)
	if a := new(Dialer).Send(t.Context(), post(t, plain, "{}"), Fault{}); a.Status != "unreachable" || a.Err == nil {
		t.Errorf("plain server: got %q (%v)", a.Status, a.Err)
	}
}

func TestDialerHead(t *testing.T) {
	r := post(t, raw(t, says("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")), "")
	r.Method = "HEAD"
	if a := new(Dialer).Send(t.Context(), r, Fault{}); a.Status != "200" || a.Cut {
		t.Errorf("got %+v", a)
	}
}

// FuzzAnswer feeds the reader bytes from a server: it must come to an end, and
// say what it saw in the words there are.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "HTTP/1.1 999 x\r\n\r\n", "", "\x00\xff", "HTTP/1.1 +20 x\r\n\r\n",
	} {
		f.Add([]byte(s), "POST")
		f.Add([]byte(s), "HEAD")
	}
	words := map[string]bool{reset: true, cutOff: true, garbage: true}
	f.Fuzz(func(t *testing.T, b []byte, method string) {
		d := &Dialer{Limit: 16, Read: 4096}
		a := d.read(bytes.NewReader(b), method)
		if !a.Whole() && (!words[a.Status] || a.Err == nil || a.Header != nil) || a.Whole() && (a.Err != nil || a.Header == nil) || len(a.Body) > 16 {
			t.Errorf("%q: %+v", b, a)
		}
	})
}

// Each stage of cut-client strikes, however fast or slow the server is; only
// answer-begun needs an answer.
func TestCutClientAtEachStage(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"silent":              silent,
		"answers at the head": func(c net.Conn) { says("HTTP/1.1 200 OK\r\n\r\n")(c); silent(c) },
		"answers before it":   func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 503 Down\r\n\r\n"); silent(c) },
	} {
		for _, stage := range []string{stageHeaders, stageHalf, stageBody, stageAnswer} {
			d := &Dialer{}
			if name == "silent" && stage == stageAnswer {
				d.Timeout = 50 * time.Millisecond // the answer that does not come
			}
			a := d.Send(t.Context(), post(t, raw(t, serve), `{"a":1}`), Fault{"cut-client", stage})
			if want := name != "silent" || stage != stageAnswer; a.Fired != want || want != (a.Status == "reset") {
				t.Errorf("%s, %s: %+v", name, stage, a)
			}
		}
	}
}
