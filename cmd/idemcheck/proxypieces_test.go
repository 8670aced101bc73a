package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/idemcheck/idemcheck/internal/browsertest"
)

// pieces is a service with what else passes through a proxy beside small JSON.
func pieces(t *testing.T, start func(*httptest.Server)) (origin *httptest.Server, reports chan string) {
	reports = make(chan string, 8)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /big", big)
	mux.HandleFunc("/sum", sum)
	mux.HandleFunc("/trailers", trailers)
	mux.HandleFunc("/hints", hints)
	mux.HandleFunc("GET /events", events)
	mux.HandleFunc("GET /page", page)
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		io.WriteString(w, "body { color: rgb(1, 2, 3) }")
	})
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		reports <- string(b)
	})
	mux.Handle("/echo", websocket.Handler(repeatMessages))
	origin = httptest.NewUnstartedServer(mux)
	origin.Config.Protocols = new(http.Protocols)
	origin.Config.Protocols.SetHTTP1(true)
	origin.Config.Protocols.SetUnencryptedHTTP2(true)
	start(origin)
	t.Cleanup(origin.Close)
	return origin, reports
}

// bigPart is what the long answer repeats.
var bigPart = []byte(strings.Repeat("0123456789abcdef", 4096))

func big(w http.ResponseWriter, r *http.Request) {
	parts := 16384 // 1 GiB
	if r.URL.Query().Has("short") {
		parts = 1024
	}
	w.Header().Set("Content-Length", fmt.Sprint(parts*len(bigPart)))
	for range parts {
		if _, err := w.Write(bigPart); err != nil {
			return
		}
	}
}

// sum answers with the hash of what was sent.
func sum(w http.ResponseWriter, r *http.Request) {
	h := sha256.New()
	n, err := io.Copy(h, r.Body)
	if err != nil {
		return
	}
	fmt.Fprintf(w, "%s %d %x %s", r.Method, n, h.Sum(nil), r.Header.Get("Expect"))
}

func trailers(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Trailer", "X-Sum")
	io.WriteString(w, "body\n")
	w.Header().Set("X-Sum", "of the "+r.Trailer.Get("X-Asked")+"body")
}

func hints(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Link", "</style.css>; rel=preload; as=style")
	w.WriteHeader(http.StatusEarlyHints)
	io.WriteString(w, "hinted\n")
}

// events sends one event, and the next only when the client asks for it by
// another request: a proxy that holds back the first would wait for ever.
func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "data: first\n\n")
	http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// repeatMessages sends back each message as a whole.
func repeatMessages(c *websocket.Conn) {
	for {
		var text string
		if websocket.Message.Receive(c, &text) != nil || websocket.Message.Send(c, text) != nil {
			return
		}
	}
}

func page(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, `<!doctype html><title>page</title><link rel="stylesheet" href="style.css"><p>text</p>
<script>
addEventListener("load", async () => {
	const color = getComputedStyle(document.body).color
	const sum = await (await fetch("sum", {method: "POST", body: "x".repeat(100000)})).text()
	const event = await new Promise(done => { const s = new EventSource("events"); s.onmessage = m => { s.close(); done(m.data) } })
	const echo = await new Promise(done => { const s = new WebSocket("ws://" + location.host + "/echo"); s.onopen = () => s.send("hello"); s.onmessage = m => { s.close(); done(m.data) } })
	await fetch("report", {method: "POST", body: [color, sum.split(" ")[1], event, echo].join("; ")})
})
</script>`)
}

// through is a proxy before pieces that strikes all it may.
func through(t *testing.T, args ...string) (*standing, chan string) {
	t.Helper()
	t.Chdir(t.TempDir())
	origin, reports := pieces(t, (*httptest.Server).Start)
	return stand(t, append([]string{"--to", origin.URL, "--share", "100%", "--budget", "100000", "--fail", "never"}, args...)...), reports
}

// TestProxyBig holds that a long answer passes whole, in little memory.
func TestProxyBig(t *testing.T) {
	p, _ := through(t)
	url, want := p.URL+"/big", 16384
	if raced || testing.Short() {
		url, want = url+"?short", 1024
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	h, hWant := sha256.New(), sha256.New()
	if n, err := io.Copy(h, resp.Body); err != nil || n != int64(want*len(bigPart)) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	for range want {
		hWant.Write(bigPart)
	}
	if a, b := hex.EncodeToString(h.Sum(nil)), hex.EncodeToString(hWant.Sum(nil)); a != b {
		t.Errorf("the hash is %s, want %s", a, b)
	}
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("%d MiB more of memory for a download of %d MiB", grown>>20, want/16)
	}
}

// TestProxyEvents holds that what is sent is passed on at once.
func TestProxyEvents(t *testing.T) {
	p, _ := through(t)
	resp, err := http.Get(p.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b := make([]byte, 64)
	n, err := resp.Body.Read(b)
	if got := string(b[:n]); err != nil || got != "data: first\n\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestProxyWebsocket holds that a websocket passes, both ways.
func TestProxyWebsocket(t *testing.T) {
	p, _ := through(t)
	c, err := websocket.Dial("ws"+strings.TrimPrefix(p.URL, "http")+"/echo", "", p.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, text := range []string{"one", strings.Repeat("long", 50_000), ""} {
		var got string
		if err := websocket.Message.Send(c, text); err != nil {
			t.Fatal(err)
		}
		if err := websocket.Message.Receive(c, &got); err != nil || got != text {
			t.Fatalf("sent %d bytes, got %d, %v", len(text), len(got), err)
		}
	}
}

// TestProxyBrowser holds that a page works in a browser: its style, a request,
// events, a websocket.
func TestProxyBrowser(t *testing.T) {
	program := browsertest.Program(t)
	p, reports := through(t)
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", p.URL+"/page")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	select {
	case got := <-reports:
		if want := "rgb(1, 2, 3); 100000; first; hello"; got != want {
			t.Errorf("the page reports %q, want %q", got, want)
		}
	case <-time.After(60 * time.Second):
		t.Error("the page did not report within a minute")
	}
}
