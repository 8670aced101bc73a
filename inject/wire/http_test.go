package wire

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

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
	w := openWeb(t, nil)
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
	w := openWeb(t, nil)
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

// HTTP has no way to say that nothing can be written.
func TestHTTPReadOnlyPasses(t *testing.T) {
	w := openWeb(t, nil)
	w.link.Watch(func(Step) Action { return ReadOnly })
	if status, _, err := w.do(t, "POST", "/charges", ""); status != 200 || err != nil {
		t.Errorf("%d %v", status, err)
	}
}

func TestHTTPNames(t *testing.T) {
	for target, want := range map[string]string{
		"/":                      "/",
		"*":                      "*",
		"/v1/charges?order=12":   "/v1/charges",
		"/v1/charges/":           "/v1/charges/",
		"http://card:80/v1/x?y":  "/v1/x",
		"http://card":            "/",
		"/r?to=http://x/y":       "/r",
		"/orders/r7k2m9-12/pay":  "/orders/*/pay",
		"/orders/42":             "/orders/*",
		"/k4/k5":                 "/*/*",
		"/v1beta2/v10.2/version": "/v1beta2/v10.2/version",
		"/customers/alice@x.org": "/customers/*",
		"/x/3f1c2a9e-7d7b-4c0e-9d6b-0a1b2c3d4e5f": "/x/*",
		"/x/pi_QwErTyUiOpAsDfGhJk":                "/x/*",
		"/x/PaymentIntentsController":             "/x/PaymentIntentsController",
		"/x/dead-letter-configuration":            "/x/dead-letter-configuration",
	} {
		if got := stablePath(pathOf(target)); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}
