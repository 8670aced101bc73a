package target

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/inject"
)

func TestSend(t *testing.T) {
	type seen struct{ method, url, host, key, agent, body string }
	got := make(chan seen, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- seen{r.Method, r.URL.String(), r.Host, r.Header.Get("Idempotency-Key"), r.UserAgent(), string(b)}
		http.Redirect(w, r, "/elsewhere", http.StatusSeeOther)
	}))
	defer server.Close()
	op := charge(t)
	op.Headers = append(op.Headers, Header{Name: "Host", Value: text(t, "shop.example")})
	h := target(t, server.URL+"/api", op)
	for _, c := range []struct {
		fault  inject.Fault
		status string
		fired  bool
	}{
		{inject.Fault{}, "303", false},
		{inject.ChangeKey, "303", true},
		{inject.ChangePayload, "303", true},
		{inject.LoseAnswer, "reset", true},
	} {
		m := render(t, h, attempt(), c.fault)
		a := h.Send(t.Context(), m)
		if a.Status != c.status || a.Fired != c.fired {
			t.Errorf("%v: got %+v", c.fault, a)
		}
		want := seen{"POST", "/api/charges?to=c%201", "shop.example", m.Key, "idemcheck/test run/r7", string(m.Body)}
		if s := <-got; s != want {
			t.Errorf("%v: got %+v, want %+v", c.fault, s, want)
		}
	}
}

// A payload fault of a message that was never sent did not fire.
func TestSendUnreachable(t *testing.T) {
	h := target(t, "http://127.0.0.1:1", charge(t))
	if a := h.Send(t.Context(), render(t, h, attempt(), inject.ChangeKey)); a.Status != "unreachable" || a.Fired {
		t.Errorf("got %+v", a)
	}
	if a := h.Send(t.Context(), Message{Method: "a b"}); a.Status != "unreachable" || a.Err == nil {
		t.Errorf("got %+v", a)
	}
}

// The service answers only when it has all copies: they do overlap.
func TestTogether(t *testing.T) {
	const copies = 5
	var all sync.WaitGroup
	all.Add(copies)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			t.Error(err)
		}
		all.Done()
		all.Wait()
		w.WriteHeader(http.StatusCreated)
	}))
	defer server.Close()
	h := target(t, server.URL, charge(t))
	ms := make([]Message, copies)
	for i := range ms {
		ms[i] = render(t, h, attempt(), inject.Fault{})
	}
	ms[1] = render(t, h, attempt(), inject.ChangePayload)
	answers := make([]inject.Answer, copies)
	h.Together(t.Context(), ms, 0, func(i int, a inject.Answer) { answers[i] = a })
	for i, a := range answers {
		if a.Status != "201" || a.Fired != (i == 1) {
			t.Errorf("copy %d: got %+v", i, a)
		}
	}
}
