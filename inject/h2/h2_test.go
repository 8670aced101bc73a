package h2

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/idemcheck/idemcheck/inject"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a handler over HTTP/2, and tells of each request that it read whole or not.
func serve(t *testing.T, secure bool, h http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header["Idempotency-Key"] = []string{"k1", "k2"}
	r.Header.Set("Connection", "close")
	return r
}

func TestSend(t *testing.T) {
	for _, secure := range []bool{false, true} {
		left := make(chan error, 10)
		s := serve(t, secure, func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			if err == nil && r.URL.Path == "/wait" {
				<-r.Context().Done()
				err = r.Context().Err()
			}
			left <- err
			w.Header().Set("X-Seen", fmt.Sprint(r.Proto, r.Header["Idempotency-Key"], r.Header["Connection"], r.ContentLength, r.Host == r.URL.Host || r.Host != ""))
			w.WriteHeader(http.StatusCreated)
			_, _ = w.Write(b)
		})
		d := &Dialer{}
		if secure {
			d.TLS = s.Client().Transport.(*http.Transport).TLSClientConfig
		}
		for _, c := range []struct {
			fault          inject.Fault
			path, body     string
			status, hidden string
			fired, leaves  bool
			calls          int
		}{
			{inject.Fault{}, "/", "12", "201", "", false, false, 1},
			{inject.Fault{}, "/", strings.Repeat("x", 1<<20), "201", "", false, false, 1},
			{inject.Fault{}, "/", "", "201", "", false, false, 1},
			{inject.Delay, "/", "12", "201", "", true, false, 1},
			{inject.LoseRequest, "/", "12", "reset", "", true, false, 0},
			{inject.LoseAnswer, "/", "12", "reset", "201 12", true, false, 1},
			{inject.ReplaceAnswer, "/", "12", "502", "201 12", true, false, 1},
			{inject.Fault{Name: "cut-client", Arg: "headers-sent"}, "/", "12", "reset", "", true, true, 1},
			{inject.Fault{Name: "cut-client", Arg: "half-body"}, "/", "12", "reset", "", true, true, 1},
			{inject.CutClient, "/wait", "12", "reset", "", true, true, 1},
			{inject.Fault{Name: "cut-client", Arg: "answer-begun"}, "/", "12", "reset", "", true, false, 1},
			{inject.Fault{Name: "cut-client", Arg: "half-body"}, "/", "1", "unreachable", "", false, false, 0},
			{inject.ChangeKey, "/", "1", "unreachable", "", false, false, 0},
		} {
			a := d.Send(t.Context(), post(t, s.URL+c.path, c.body), c.fault)
			if a.Status != c.status || a.Hidden != c.hidden || a.Fired != c.fired || c.status == "201" && string(a.Body) != c.body {
				t.Errorf("%s tls=%v: %s %v hidden %q fired %v", c.fault, secure, a.Status, a.Err, a.Hidden, a.Fired)
			}
			if want := fmt.Sprintf("HTTP/2.0[k1 k2] [] %d true", len(c.body)); c.status == "201" && a.Header.Get("X-Seen") != want {
				t.Errorf("got %s, want %s", a.Header.Get("X-Seen"), want)
			}
			for range c.calls {
				select {
				case err := <-left:
					if (err != nil) != c.leaves {
						t.Errorf("%s tls=%v: the service saw %v", c.fault, secure, err)
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("%s tls=%v: no call", c.fault, secure)
				}
			}
		}
	}
}

// The service answers only when it has all copies: they do overlap, on one connection.
func TestTogether(t *testing.T) {
	const copies = 20
	for _, method := range []string{"POST", "DELETE"} {
		var all sync.WaitGroup
		all.Add(copies)
		from := sync.Map{}
		s := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			from.Store(r.RemoteAddr, true)
			all.Done()
			all.Wait()
			_, _ = w.Write(b)
		})
		var rs []*http.Request
		for i := range copies {
			body := fmt.Sprint("copy ", i)
			if method == "DELETE" {
				body = ""
			}
			r := post(t, s.URL, body)
			r.Method = method
			rs = append(rs, r)
		}
		got := map[int]string{}
		spread, overlapped := new(Dialer).Together(t.Context(), rs, 0, func(i int, a inject.Answer) { got[i] = a.Status + string(a.Body) })
		connections := 0
		from.Range(func(any, any) bool { connections++; return true })
		if len(got) != copies || !overlapped || spread < 0 || connections != 1 {
			t.Errorf("%s: %v, overlapped %v, %d connections", method, got, overlapped, connections)
		}
		if want := "200copy 7"; method == "POST" && got[7] != want {
			t.Errorf("got %q", got[7])
		}
	}
}

// With an offset the first copy leaves alone.
func TestTogetherOffset(t *testing.T) {
	s := serve(t, false, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		_, _ = w.Write(b)
	})
	rs := []*http.Request{post(t, s.URL, "one"), post(t, s.URL, "two"), post(t, s.URL, "three")}
	got := map[int]string{}
	spread, _ := new(Dialer).Together(t.Context(), rs, time.Millisecond, func(i int, a inject.Answer) { got[i] = a.Status + string(a.Body) })
	if spread < 0 || got[0] != "200one" || got[1] != "200two" || got[2] != "200three" {
		t.Errorf("%v, spread %v", got, spread)
	}
}

// talk runs a server that is written frame by frame, after both hellos.
func talk(t *testing.T, settings []http2.Setting, say func(*http2.Framer)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				_, _ = io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
				f := http2.NewFramer(c, c)
				_ = f.WriteSettings(settings...)
				for {
					x, err := f.ReadFrame()
					if err != nil {
						return
					}
					if x.Header().Type == http2.FrameHeaders {
						break
					}
				}
				say(f)
				_, _ = io.Copy(io.Discard, c)
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	return "http://" + l.Addr().String()
}

func head(pairs ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.Bytes()
}

func TestServersOfAllKinds(t *testing.T) {
	headers := func(f *http2.Framer, end bool, pairs ...string) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head(pairs...), EndHeaders: true, EndStream: end})
	}
	for name, c := range map[string]struct {
		settings []http2.Setting
		say      func(*http2.Framer)
		status   string
	}{
		"plain":   {nil, func(f *http2.Framer) { headers(f, true, ":status", "204") }, "204"},
		"interim": {nil, func(f *http2.Framer) { headers(f, false, ":status", "103"); headers(f, true, ":status", "200") }, "200"},
		"trailers": {nil, func(f *http2.Framer) {
			headers(f, false, ":status", "200")
			_ = f.WriteData(1, false, []byte("x"))
			headers(f, true, "x", "y")
		}, "200"},
		"ping":         {nil, func(f *http2.Framer) { _ = f.WritePing(false, [8]byte{}); headers(f, true, ":status", "200") }, "200"},
		"early answer": {[]http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}, func(f *http2.Framer) { headers(f, true, ":status", "413") }, "413"},
		"refused":      {nil, func(f *http2.Framer) { _ = f.WriteRSTStream(1, http2.ErrCodeRefusedStream) }, "reset"},
		"goaway":       {nil, func(f *http2.Framer) { _ = f.WriteGoAway(0, http2.ErrCodeNo, nil) }, "reset"},
		"cut off": {nil, func(f *http2.Framer) {
			headers(f, false, ":status", "200")
			_ = f.WriteRSTStream(1, http2.ErrCodeInternal)
		}, "cut-off"},
		"no status":  {nil, func(f *http2.Framer) { headers(f, true, "x", "y") }, "garbage"},
		"odd status": {nil, func(f *http2.Framer) { headers(f, true, ":status", "999") }, "garbage"},
		"no end": {nil, func(f *http2.Framer) {
			headers(f, false, ":status", "200")
			for range 300 {
				_ = f.WriteData(1, false, make([]byte, 16384))
			}
		}, "cut-off"},
		"push": {nil, func(f *http2.Framer) {
			_ = f.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: head(":status", "200"), EndHeaders: true})
		}, "garbage"},
		"wide window": {nil, func(f *http2.Framer) { _ = f.WriteWindowUpdate(1, 1<<31-1) }, "garbage"},
	} {
		d := &Dialer{Read: 1 << 20, Limit: 100}
		a := d.Send(t.Context(), post(t, talk(t, c.settings, c.say), strings.Repeat("x", 1000)), inject.Fault{})
		if a.Status != c.status || a.Whole() == (a.Err != nil) || len(a.Body) > 100 {
			t.Errorf("%s: got %s, %v", name, a.Status, a.Err)
		}
	}
}

func TestNoServer(t *testing.T) {
	old := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer old.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	mute := talk(t, nil, func(*http2.Framer) {})
	for url, want := range map[string]string{
		old.URL: "garbage", secure.URL: "unreachable", "http://127.0.0.1:1": "unreachable", "ftp://x": "unreachable", mute: "timeout",
	} {
		d := &Dialer{TLS: &tls.Config{InsecureSkipVerify: true}, Timeout: 2 * time.Second}
		if url == mute {
			d.Timeout = 50 * time.Millisecond
		}
		if a := d.Send(t.Context(), post(t, url, "x"), inject.Fault{}); a.Status != want || a.Err == nil || a.Fired {
			t.Errorf("%s: got %s, %v", url, a.Status, a.Err)
		}
	}
	few := talk(t, []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 1}}, func(f *http2.Framer) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head(":status", "200"), EndHeaders: true, EndStream: true})
	})
	got := map[int]inject.Answer{}
	_, overlapped := new(Dialer).Together(t.Context(), []*http.Request{post(t, few, "x"), post(t, few, "x")}, 0, func(i int, a inject.Answer) { got[i] = a })
	if overlapped || got[0].Status != "200" || got[1].Status != "unreachable" || !strings.Contains(fmt.Sprint(got[1].Err), "1 streams at once") {
		t.Errorf("%+v", got)
	}
}

// FuzzServer feeds the reader bytes from a server: it must come to an end and
// say what it saw in the words there are.
func FuzzServer(f *testing.F) {
	var b bytes.Buffer
	w := http2.NewFramer(&b, nil)
	_ = w.WriteSettings()
	_ = w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head(":status", "200"), EndHeaders: true})
	_ = w.WriteData(1, true, []byte("hi"))
	f.Add(b.Bytes())
	f.Add(frames(func(w *http2.Framer) error { _ = w.WriteSettings(); return w.WriteGoAway(0, 1, nil) }))
	f.Add([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	f.Add([]byte{})
	words := map[string]bool{"reset": true, "cut-off": true, "garbage": true, "timeout": true}
	f.Fuzz(func(t *testing.T, b []byte) {
		ours, theirs := net.Pipe()
		c := newConn(ours, &Dialer{Limit: 16, Read: 4096})
		var running sync.WaitGroup
		running.Go(func() { _, _ = io.Copy(io.Discard, theirs) })
		running.Go(func() { _, _ = theirs.Write(b); _ = theirs.Close() })
		if err := c.begin(); err == nil {
			a := c.exchange(message{block: head(":method", "GET"), body: []byte("x")})
			if !a.Whole() && (!words[a.Status] && a.Status != "unreachable" || a.Err == nil) || len(a.Body) > 16 {
				t.Errorf("%q: %+v", b, a)
			}
		}
		c.close()
		running.Wait()
	})
}
