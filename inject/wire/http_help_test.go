package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
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
		if handle != nil {
			handle(out, r)
		}
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
