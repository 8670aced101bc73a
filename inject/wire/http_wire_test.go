package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
