package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// web is a dependency behind a link, and a client that goes through it.
type web struct {
	link   *Link
	client *http.Client
	url    string
	calls  atomic.Int64
}

func openWeb(t *testing.T, handle http.HandlerFunc) *web {
	t.Helper()
	w := &web{}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.calls.Add(1)
		handle(out, r)
	}))
	t.Cleanup(server.Close)
	w.link = open(t, Config{Name: "card", Protocol: HTTP, To: server.Listener.Addr().String()})
	w.url = "http://" + w.link.Addr()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	w.client = &http.Client{Transport: transport, Timeout: bound}
	return w
}

// do sends a request; the status is 0 where there was no whole answer.
func (w *web) do(t *testing.T, method, path, body string) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = nil
	return w.send(r)
}

func (w *web) send(r *http.Request) (int, string, error) {
	answer, err := w.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, "", err
	}
	return answer.StatusCode, string(text), nil
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("steps:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestHTTPStepsOfAnExchange(t *testing.T) {
	w := openWeb(t, func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/v1/charges":
			out.WriteHeader(201)
		case "/gone":
			out.WriteHeader(410)
		case "/slow":
			out.WriteHeader(408)
		case "/bad":
			out.WriteHeader(502)
		case "/empty":
			out.WriteHeader(204)
			return
		}
		fmt.Fprintf(out, "%s %s %d", r.Method, r.URL, len(body))
	})
	seen := &steps{}
	w.link.Watch(seen.hook)
	for _, call := range []struct{ method, path, answer string }{
		{"POST", "/v1/charges?expand=all", "201 POST /v1/charges?expand=all 4"},
		{"GET", "/v1/charges/ch_3MmlLrLkdIwHu7ix", "200 GET /v1/charges/ch_3MmlLrLkdIwHu7ix 4"},
		{"HEAD", "/v1/charges", "201 "},
		{"POST", "/gone", "410 POST /gone 4"},
		{"POST", "/slow", "408 POST /slow 4"},
		{"POST", "/bad", "502 POST /bad 4"},
		{"POST", "/empty", "204 "},
	} {
		status, text, err := w.do(t, call.method, call.path, "body")
		if got := fmt.Sprintf("%d %s", status, text); err != nil || got != call.answer {
			t.Errorf("%s %s: %s %v", call.method, call.path, got, err)
		}
	}
	same(t, seen.all(), []string{
		"POST /v1/charges before", "POST /v1/charges after 201 durable",
		"GET /v1/charges/* before", "GET /v1/charges/* after 200 durable",
		"HEAD /v1/charges before", "HEAD /v1/charges after 201 durable",
		"POST /gone before", "POST /gone after 410 refused",
		"POST /slow before", "POST /slow after 408",
		"POST /bad before", "POST /bad after 502",
		"POST /empty before", "POST /empty after 204 durable",
	})
	if err := w.link.Err(); err != nil {
		t.Error(err)
	}
}

func TestHTTPCutBeforeIsNotDelivered(t *testing.T) {
	w := openWeb(t, func(http.ResponseWriter, *http.Request) {})
	seen := &steps{do: on(Before, Cut)}
	w.link.Watch(seen.hook)
	for _, size := range []int{0, 10, 1 << 20} {
		status, _, err := w.do(t, "POST", "/charges", strings.Repeat("x", size))
		if err == nil {
			t.Errorf("size %d: answered %d", size, status)
		}
	}
	if n := w.calls.Load(); n != 0 {
		t.Errorf("%d calls were delivered", n)
	}
}

func TestHTTPCutAfterLosesTheAnswer(t *testing.T) {
	for _, size := range []int{0, 10, 1 << 20} {
		w := openWeb(t, func(out http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(out, strings.Repeat("x", size))
		})
		seen := &steps{do: on(After, Cut)}
		w.link.Watch(seen.hook)
		status, text, err := w.do(t, "POST", "/charges", "body")
		if err == nil {
			t.Errorf("size %d: answered %d with %d bytes", size, status, len(text))
		}
		if n := w.calls.Load(); n != 1 {
			t.Errorf("%d calls were delivered", n)
		}
		same(t, seen.all(), []string{"POST /charges before", "POST /charges after 200 durable"})
	}
}

func TestHTTPHoldsOnlyItsConnection(t *testing.T) {
	w := openWeb(t, func(out http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(out, r.URL.Path) })
	held, release := make(chan bool, 1), make(chan bool)
	w.link.Watch(func(s Step) Action {
		if s.Name == "POST /held" && s.Phase == Before {
			held <- true
			<-release
		}
		return Pass
	})
	end := make(chan error, 1)
	go func() {
		_, _, err := w.do(t, "POST", "/held", "")
		end <- err
	}()
	<-held
	if _, text, err := w.do(t, "POST", "/other", ""); err != nil || text != "/other" {
		t.Errorf("beside a held step: %q %v", text, err)
	}
	if n := w.calls.Load(); n != 1 {
		t.Errorf("%d calls were delivered while the first was held", n)
	}
	close(release)
	if err := <-end; err != nil {
		t.Error(err)
	}
}

func TestHTTPRefusesWithoutDelivering(t *testing.T) {
	w := openWeb(t, func(http.ResponseWriter, *http.Request) {})
	w.link.Watch((&steps{do: on(Before, Refuse)}).hook)
	for _, method := range []string{"POST", "HEAD"} {
		for _, size := range []int{0, 10, 1 << 20} {
			status, text, err := w.do(t, method, "/charges", strings.Repeat("x", size))
			if status != 503 || err != nil || (method == "POST") != strings.Contains(text, "link card refused") {
				t.Errorf("%s, size %d: %d %q %v", method, size, status, text, err)
			}
		}
	}
	w.link.Watch((&steps{do: on(After, Refuse)}).hook)
	if status, _, err := w.do(t, "POST", "/charges", ""); err == nil {
		t.Errorf("refused after it was done: answered %d", status)
	}
	if n := w.calls.Load(); n != 1 {
		t.Errorf("%d calls were delivered", n)
	}
}

func TestHTTPExpectContinue(t *testing.T) {
	w := openWeb(t, func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			out.WriteHeader(403)
			return
		}
		_, _ = io.Copy(out, r.Body)
	})
	w.client.Transport.(*http.Transport).ExpectContinueTimeout = bound
	seen := &steps{}
	w.link.Watch(seen.hook)
	for path, want := range map[string]int{"/yes": 200, "/no": 403} {
		r, _ := http.NewRequest("POST", w.url+path, strings.NewReader("body"))
		r.Header.Set("Expect", "100-continue")
		if status, text, err := w.send(r); status != want || err != nil || want == 200 && text != "body" {
			t.Errorf("%s: %d %q %v", path, status, text, err)
		}
	}
	if n := len(seen.all()); n != 4 {
		t.Errorf("%d steps: %v", n, seen.all())
	}
}

func TestHTTPChunkedAndLarge(t *testing.T) {
	w := openWeb(t, func(out http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(out).EnableFullDuplex()
		out.WriteHeader(200)
		_ = http.NewResponseController(out).Flush() // chunked
		_, _ = io.Copy(out, r.Body)
	})
	for _, watched := range []bool{true, false} {
		seen := &steps{}
		if watched {
			w.link.Watch(seen.hook)
		} else {
			w.link.Watch(nil)
		}
		for _, size := range []int{1, 60_000, 65_536, 3 << 20} {
			text := strings.Repeat("x", size)
			r, _ := http.NewRequest("POST", w.url+"/echo", io.MultiReader(strings.NewReader(text))) // of unknown length
			if status, back, err := w.send(r); status != 200 || err != nil || back != text {
				t.Errorf("size %d: %d, %d bytes, %v", size, status, len(back), err)
			}
		}
		if n := len(seen.all()); watched && n != 8 {
			t.Errorf("%d steps: %v", n, seen.all())
		}
	}
	if err := w.link.Err(); err != nil {
		t.Error(err)
	}
}

func TestHTTPStreamsEventsAndPauses(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	patience = 10 * time.Millisecond
	for _, kind := range []string{"text/event-stream; charset=utf-8", "application/json"} {
		more := make(chan bool)
		w := openWeb(t, func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(out, "one\n")
			_ = http.NewResponseController(out).Flush()
			<-more
			_, _ = io.WriteString(out, "two\n")
		})
		seen := &steps{}
		w.link.Watch(seen.hook)
		answer, err := w.client.Get(w.url + "/events")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(answer.Body)
		if line, err := lines.ReadString('\n'); line != "one\n" || err != nil {
			t.Errorf("%s: %q %v", kind, line, err)
		}
		close(more)
		if line, err := lines.ReadString('\n'); line != "two\n" || err != nil {
			t.Errorf("%s: %q %v", kind, line, err)
		}
		_, _ = io.Copy(io.Discard, lines)
		answer.Body.Close()
		same(t, seen.all(), []string{"GET /events before", "GET /events after 200 durable"})
	}
}

func TestHTTPUpgradePassesUntouched(t *testing.T) {
	w := openWeb(t, func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "h2c" {
			_, _ = io.WriteString(out, "no upgrade")
			return
		}
		c, in, err := http.NewResponseController(out).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ")
		_, _ = io.Copy(c, in)
	})
	seen := &steps{}
	w.link.Watch(seen.hook)
	c := dial(t, w.link.Addr())
	in := bufio.NewReader(c)
	send := func(upgrade string) *http.Response {
		t.Helper()
		fmt.Fprintf(c, "GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", upgrade)
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if text, err := io.ReadAll(send("h2c").Body); string(text) != "no upgrade" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if answer := send("echo"); answer.StatusCode != 101 {
		t.Fatal(answer.Status)
	}
	_, _ = io.WriteString(c, "\x00\r\n\r\nGET / no http")
	closeWrite(c)
	if back, err := io.ReadAll(in); string(back) != "hello \x00\r\n\r\nGET / no http" || err != nil {
		t.Errorf("%q %v", back, err)
	}
	same(t, seen.all(), []string{"GET /x before", "GET /x after 200 durable", "GET /x before", "GET /x after 101"})
	if err := w.link.Err(); err != nil {
		t.Error(err)
	}
}

func TestHTTPConnectPasses(t *testing.T) {
	to := serveTCP(t, "tcp", func(c net.Conn) {
		in := bufio.NewReader(c)
		if _, err := http.ReadRequest(in); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n")
		_, _ = io.Copy(c, in)
	})
	l := open(t, Config{Protocol: HTTP, To: to})
	seen := &steps{}
	l.Watch(seen.hook)
	c := dial(t, l.Addr())
	_, _ = io.WriteString(c, "CONNECT db:1 HTTP/1.1\r\nHost: db:1\r\n\r\nraw bytes")
	closeWrite(c)
	if back, err := io.ReadAll(c); string(back) != "HTTP/1.1 200 Connected\r\n\r\nraw bytes" || err != nil {
		t.Errorf("%q %v", back, err)
	}
	same(t, seen.all(), []string{})
}

func TestHTTPUnixSocketPipelineAndHalfClose(t *testing.T) {
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, "dep"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(out, r.Body)
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	l := open(t, Config{Protocol: HTTP, Listen: "unix:" + filepath.Join(dir, "link"), To: "unix:" + filepath.Join(dir, "dep")})
	seen := &steps{}
	l.Watch(seen.hook)
	c := dial(t, l.Addr())
	const request = "POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n%d"
	for i := range 3 {
		fmt.Fprintf(c, request, i, i)
	}
	in := bufio.NewReader(c)
	for i := range 3 {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(answer.Body); string(text) != fmt.Sprint(i) {
			t.Errorf("answer %d: %q", i, text)
		}
	}
	same(t, seen.all(), slices.Repeat([]string{"POST /* before", "POST /* after 200 durable"}, 3))
}

// A dependency that answers until it closes, and a system that sends and closes.
func TestHTTPUntilEndAndHalfClose(t *testing.T) {
	to := serveTCP(t, "tcp", func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+strings.Repeat("x", 100_000))
		}
	})
	for _, action := range []Action{Pass, Cut} {
		l := open(t, Config{Protocol: HTTP, To: to})
		seen := &steps{do: on(After, action)}
		l.Watch(seen.hook)
		c := dial(t, l.Addr())
		_, _ = io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
		closeWrite(c)
		back, err := io.ReadAll(c)
		if action == Pass && (len(back) != 100_019 || err != nil) {
			t.Errorf("%d bytes, %v", len(back), err)
		}
		if action == Cut && len(back) >= 100_019 {
			t.Errorf("all of an answer that was cut came through: %v", err)
		}
		same(t, seen.all(), []string{"GET / before", "GET / after 200 durable"})
	}
}

func TestHTTPSaysWhatIsNoHTTP(t *testing.T) {
	for _, c := range []struct{ name, send, answer, want string }{
		{"tls", "\x16\x03\x01\x02\x00", "", "the system speaks TLS"},
		{"http2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", "the system speaks HTTP/2"},
		{"binary", "\x00\x00\x00\x08", "", `can not begin with '\x00'`},
		{"line", "hello\r\n\r\n", "", `"hello" is no request of HTTP/1.1`},
		{"lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "", "two values of Content-Length"},
		{"coding", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nxx", "", "Transfer-Encoding: gzip"},
		{"chunk", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "", "not legal at the end of the size of a chunk"},
		{"header", "GET / HTTP/1.1\r\nno header\r\n\r\n", "", "a header is not NAME: VALUE"},
		{"long", "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 70_000), "", "longer than 65536 bytes"},
		{"answer", "GET / HTTP/1.1\r\n\r\n", "HTTP/3 huh\r\n\r\n", `"HTTP/3 huh" is no answer`},
		{"unasked", "", "220 mail ESMTP\r\n", "speaks before it is asked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make(chan string, 1)
			to := serveTCP(t, "tcp", func(c2 net.Conn) {
				first := make([]byte, min(1, len(c.send)))
				_, _ = io.ReadFull(c2, first)
				_, _ = io.WriteString(c2, c.answer)
				text, _ := io.ReadAll(c2)
				got <- string(first) + string(text)
			})
			l := open(t, Config{Name: "card", Protocol: HTTP, To: to})
			l.Watch((&steps{}).hook)
			s := dial(t, l.Addr())
			if c.name == "unasked" {
				if _, err := io.ReadFull(s, make([]byte, len(c.answer))); err != nil {
					t.Error(err)
				}
			}
			_, _ = io.WriteString(s, c.send)
			closeWrite(s)
			back, err := io.ReadAll(s)
			if c.name != "unasked" && (string(back) != c.answer || err != nil) {
				t.Errorf("the system got %q, %v", back, err)
			}
			if text := <-got; text != c.send {
				t.Errorf("the dependency got %q", text)
			}
			if err := l.Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "link card: ") {
				t.Errorf("error: %v", err)
			}
		})
	}
}

func TestUnreachableIsAReset(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	l := open(t, Config{Protocol: HTTP, To: gone.Addr().String()})
	if c, err := dialOnce(l.Addr()); err == nil {
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("ended with %v", err)
		}
		c.Close()
	}
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "cannot reach "+gone.Addr().String()) {
		t.Error(err)
	}
}
