package proxy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

func TestPasses(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Method+" "+r.RequestURI+" "+string(b))
	}))
	defer service.Close()
	p, err := proxy.Start(t.Context(), proxy.Options{Settings: settings.Settings{
		Listen: []settings.Listen{{Address: "127.0.0.1:0"}}, To: []settings.Upstream{{URL: service.URL}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	resp, err := http.Post(p.URLs()[0]+"/charges?a=1;b", "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "POST /charges?a=1;b hello" {
		t.Errorf("the caller got %q", b)
	}
}
