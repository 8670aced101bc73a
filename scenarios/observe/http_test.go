package observe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemcheck/idemcheck/internal/template"
)

// api is an HTTP observer of a server with this handler.
func api(t *testing.T, request, pointer string, handler http.HandlerFunc) *HTTP {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL + "/api/")
	if err != nil {
		t.Fatal(err)
	}
	method, path, _ := strings.Cut(request, " ")
	u, err := template.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	h := &HTTP{Method: method, URL: u, Base: base, Count: pointer, Agent: "idemcheck/test run/r"}
	t.Cleanup(func() { h.Close() })
	return h
}

func TestHTTPRead(t *testing.T) {
	for _, c := range []struct {
		name, pointer, body string
		status, want        int
	}{
		{"array", "/data", `{"data":[{},{}]}`, 200, 2},
		{"whole array", "", `[1]`, 200, 1},
		{"number", "/a~1b/0/n", `{"a/b":[{"n":3}]}`, 200, 3},
		{"whole decimal", "", `2.0`, 200, 2},
		{"null", "/data", `{"data":null}`, 200, 0},
		{"absent", "/data/3/x", `{"data":[]}`, 200, 0},
		{"inside a text", "/data/x", `{"data":"y"}`, 200, 0},
		{"not found", "/data", `nope`, 404, 0},
		{"no content", "/data", ``, 204, 0},
	} {
		h := api(t, "GET /charges?order=${id}", c.pointer, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/charges" || r.URL.Query().Get("order") != "o 1&x=/" || r.UserAgent() != "idemcheck/test run/r" {
				t.Errorf("%s: asked for %s as %s", c.name, r.URL, r.UserAgent())
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		})
		var want []Count
		if c.want > 0 {
			want = []Count{{ID: "o 1&x=/", N: c.want}}
		}
		if d := cmp.Diff(want, read(t, h, Query{IDs: []string{"o 1&x=/"}, Keys: []string{"k"}})); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestHTTPByKey(t *testing.T) {
	h := api(t, "POST /seen/${key}", "", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" || r.Header.Get("Authorization") != "Bearer k/1" || r.URL.EscapedPath() != "/api/seen/k%2F1" {
			t.Errorf("got %s %s %v", r.Method, r.URL, r.Header)
		}
		fmt.Fprint(w, 2)
	})
	value, err := template.Parse("Bearer ${key}")
	if err != nil {
		t.Fatal(err)
	}
	h.Headers = []Header{{"Authorization", value}}
	if d := cmp.Diff([]Count{{Key: "k/1", N: 2}}, read(t, h, Query{IDs: []string{"o"}, Keys: []string{"k/1", "k/1"}})); d != "" || h.By() != "key" {
		t.Errorf("by %s: %s", h.By(), d)
	}
}

func TestHTTPErrors(t *testing.T) {
	for _, c := range []struct {
		pointer, want string
		handler       http.HandlerFunc
	}{
		{"/data", "answered 500: \"oh no\"", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oh\nno", 500) }},
		{"/data", "may need headers", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }},
		{"/data", `redirects to "http://127.0.0.1:1/" (302), which is not followed`, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}},
		{"/data", "answer is not JSON", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }},
		{"/data", "more than one value", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{} {}") }},
		{"/data", "the answer at /data is an object, want an array or a number", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":{}}`) }},
		{"", "the answer is 1.5, want a whole number", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `1.5`) }},
		{"", "the answer is x, want an array or a number", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `"x"`) }},
		{"data", "no JSON pointer", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }},
		{"/data", "unexpected EOF", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			fmt.Fprint(w, `{}`)
		}},
		{"", "more than 16 MiB", func(w http.ResponseWriter, _ *http.Request) {
			block := []byte(strings.Repeat(" ", 1<<20))
			for range 18 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}},
	} {
		h := api(t, "GET /c?o=${id}", c.pointer, c.handler)
		_, err := h.Read(t.Context(), Query{IDs: []string{"o1"}})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "/api/c?o=o1") {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	h := api(t, "GET http://u:s3cret@127.0.0.1:1/${id}", "", nil)
	if _, err := h.Read(t.Context(), Query{IDs: []string{"o1"}}); err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}

// Four requests are in flight at a time, each id is asked for once, and the
// order of the answers does not matter.
func TestHTTPParallel(t *testing.T) {
	var now, most atomic.Int32
	var four sync.WaitGroup
	four.Add(parallel)
	var asked atomic.Int32
	h := api(t, "GET /${id}", "", func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		if asked.Add(1) <= parallel {
			four.Done()
			four.Wait()
		}
		now.Add(-1)
		fmt.Fprint(w, strings.TrimPrefix(r.URL.Path, "/api/"))
	})
	var ids []string
	var want []Count
	for i := range 50 {
		ids = append(ids, fmt.Sprint(i+1))
		want = append(want, Count{ID: ids[i], N: i + 1})
	}
	if d := cmp.Diff(want, read(t, h, Query{IDs: append(ids, ids...)})); d != "" {
		t.Error(d)
	}
	if most.Load() > parallel || asked.Load() != 50 {
		t.Errorf("%d at a time, %d in all", most.Load(), asked.Load())
	}
}

// The end of the context ends a read that no answer comes to, and says why.
func TestHTTPNoAnswer(t *testing.T) {
	over := errors.New("the run is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	h := api(t, "GET /${id}", "", func(_ http.ResponseWriter, r *http.Request) {
		cancel(over)
		<-r.Context().Done()
	})
	if _, err := h.Read(ctx, Query{IDs: []string{"a", "b"}}); !errors.Is(err, over) {
		t.Errorf("got %v", err)
	}
}
