package inject

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestServeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(24 * time.Hour)
			_, _ = io.Copy(w, r.Body)
		}))
		begin := time.Now()
		resp, err := client.Post("http://anywhere/", "text/plain", strings.NewReader("a day"))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(resp.Body); string(b) != "a day" || err != nil || time.Since(begin) != 24*time.Hour {
			t.Errorf("%q, %v after %v", b, err, time.Since(begin))
		}
		_ = resp.Body.Close()
	})
}

func TestServedAfterItsEnd(t *testing.T) {
	var client *http.Client
	t.Run("inner", func(t *testing.T) {
		client = Serve(t, http.NotFoundHandler())
		resp, err := client.Get("http://anywhere/")
		if err != nil {
			t.Fatal(err)
		}
		drop(resp)
	})
	if _, err := client.Get("http://anywhere/"); err == nil {
		t.Error("no error")
	}
}

// A run over a real server and client: attempts still meet, though their
// goroutines are not known.
func TestRequestsOverAServer(t *testing.T) {
	for where, in := range map[string]func(t *testing.T, f func(*testing.T)){"a bubble": synctest.Test, "none": func(t *testing.T, f func(*testing.T)) { f(t) }} {
		for i := range samples() / 5 {
			in(t, func(t *testing.T) {
				run := struckBy(t, Overlap)
				l := &ledger{paid: map[string]bool{}}
				client := Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !l.has("order-1") {
						run.Effect("order-1")
						l.put("order-1")
					}
				}))
				client.Transport = run.Requests(client.Transport)
				for id := range run.IDs(1) {
					if err := order(client, id); err != nil {
						t.Fatal(err)
					}
				}
				if n := effectsOf(run.History()); n["order-1"] != 2 {
					t.Fatalf("in %s, try %d: %v", where, i, n)
				}
			})
		}
	}
}

func TestAnswersInMemory(t *testing.T) {
	run := Start(t)
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/trailer":
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.WriteString(w, "{}")
			w.Header().Set("X-Sum", "7")
			w.Header().Set(http.TrailerPrefix+"X-More", "8")
			w.Header().Set("X-Late", "never")
		case "/empty":
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusNoContent)
			if _, err := w.Write([]byte("x")); err != http.ErrBodyNotAllowed {
				t.Error(err)
			}
		case "/created":
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, "<html>")
		case "/request":
			_, _ = io.WriteString(w, r.Method+" "+r.RequestURI+" "+r.Host+" "+r.URL.Host+" "+r.Proto)
		case "/redirect":
			http.Redirect(w, r, "/request", http.StatusSeeOther)
		}
	}))
	get := func(method, path string) (*http.Response, string) {
		q, _ := http.NewRequest(method, "http://shop"+path, nil)
		resp, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		return resp, string(b)
	}
	if resp, b := get("GET", "/trailer"); b != "{}" || resp.Trailer.Get("X-Sum") != "7" || resp.Trailer.Get("X-More") != "8" || resp.Header.Get("X-Late") != "" || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%q %v %v", b, resp.Header, resp.Trailer)
	}
	if resp, b := get("GET", "/empty"); b != "" || resp.StatusCode != 204 {
		t.Errorf("%d %q", resp.StatusCode, b)
	}
	if resp, b := get("GET", "/created"); b != "<html>" || resp.StatusCode != 201 || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %q %v", resp.StatusCode, b, resp.Header)
	}
	if resp, b := get("HEAD", "/request"); b != "" || resp.StatusCode != 200 {
		t.Errorf("%d %q", resp.StatusCode, b)
	}
	for _, path := range []string{"/request", "/redirect"} {
		if _, b := get("GET", path); b != "GET /request shop  HTTP/1.1" {
			t.Errorf("%q", b)
		}
	}
}
