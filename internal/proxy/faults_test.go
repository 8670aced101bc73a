package proxy_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/internal/proxy"
	"github.com/idemcheck/idemcheck/internal/proxy/settings"
)

// Each fault that sends a copy: the caller gets the answer to the original, and
// the service sees the same request twice.
func TestCopies(t *testing.T) {
	for _, f := range []string{"repeat", "repeat: before-answer", "overlap", "late: 1ms"} {
		t.Run(f, func(t *testing.T) {
			s := newShop(t, false)
			p := begin(t, s.URL, fault(f))
			_, answer, err := post(t, client(t), p.URLs()[0]+"/charges?x=1", "k1", `{"amount":5}`)
			if err != nil || !strings.Contains(answer, `"ch_000001"`) {
				t.Fatal(answer, err)
			}
			s.await(t, 2)
			finish(t, p)
			got := s.seen()
			if len(got) != 2 {
				t.Fatalf("the service saw %d requests: %+v", len(got), got)
			}
			if got[0].uri != got[1].uri || got[0].body != got[1].body || got[0].header.Get("Idempotency-Key") != "k1" || got[1].header.Get("Idempotency-Key") != "k1" {
				t.Errorf("the copy is another request: %+v", got)
			}
		})
	}
}

// Overlapping copies are both in the service before either is answered.
func TestOverlapMeets(t *testing.T) {
	s := newShop(t, false)
	var both sync.WaitGroup
	both.Add(2)
	s.hook = func(*http.Request) { both.Done(); both.Wait() }
	for _, f := range []string{"overlap", "repeat: before-answer"} {
		p := begin(t, s.URL, fault(f))
		if _, _, err := post(t, client(t), p.URLs()[0]+"/charges", "k", "{}"); err != nil {
			t.Fatal(err)
		}
		finish(t, p)
		both.Add(2)
	}
}

func TestChangedCopies(t *testing.T) {
	for f, check := range map[string]func(a, b received) bool{
		"reencode": func(a, b received) bool {
			return a.body == `{"a":1,"b":"x"}` && b.body != a.body && strings.Contains(b.body, "b")
		},
		"drop-key": func(a, b received) bool {
			return a.header.Get("Idempotency-Key") == "k1" && b.header.Get("Idempotency-Key") == "" && a.body == b.body
		},
	} {
		t.Run(f, func(t *testing.T) {
			s := newShop(t, false)
			p := begin(t, s.URL, fault(f))
			if _, _, err := post(t, client(t), p.URLs()[0]+"/charges", "k1", `{"a":1,"b":"x"}`); err != nil {
				t.Fatal(err)
			}
			finish(t, p)
			if got := s.seen(); len(got) != 2 || !check(got[0], got[1]) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The answer is lost or replaced; the caller sends again, and that is the repeat.
func TestHiddenAnswers(t *testing.T) {
	for _, f := range []string{"lose-answer", "replace-answer: 503"} {
		t.Run(f, func(t *testing.T) {
			s := newShop(t, false)
			p := begin(t, s.URL, fault(f), rules(settings.Rule{Share: settings.Share{First: 1}}))
			c := client(t)
			status, answer, err := post(t, c, p.URLs()[0]+"/charges", "k1", "{}")
			if f == "lose-answer" && err == nil {
				t.Errorf("the caller got %d %q", status, answer)
			}
			if f != "lose-answer" && (status != 503 || strings.Contains(answer, "ch_")) {
				t.Errorf("the caller got %d %q, %v", status, answer, err)
			}
			if status, answer, err = post(t, c, p.URLs()[0]+"/charges", "k1", "{}"); err != nil || !strings.Contains(answer, "ch_000001") {
				t.Errorf("the retry got %d %q, %v", status, answer, err)
			}
			finish(t, p)
			if got := s.seen(); len(got) != 2 {
				t.Errorf("the service saw %d requests", len(got))
			}
			if n := p.Report().Repeats; n != 1 {
				t.Errorf("%d repeats were learned", n)
			}
			if all := p.Report().Callers; len(all.Findings) > 0 || all.Retries > 0 {
				t.Errorf("what the proxy made the caller do is told as its own: %+v", all)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	for _, broken := range []bool{false, true} {
		s := newShop(t, broken)
		p := begin(t, s.URL, func(o *proxy.Options) { o.Dir = t.TempDir() })
		c := client(t)
		for i := range 20 {
			if _, _, err := post(t, c, p.URLs()[0]+"/charges", string(rune('a'+i)), "{}"); err != nil {
				t.Fatal(err)
			}
		}
		finish(t, p)
		r := p.Report()
		t.Logf("broken %v: %s, %d requests, %d repeats, %v", broken, r.Verdict, r.Requests, r.Repeats, r.Notes)
		if len(s.seen()) != 40 {
			t.Errorf("%d requests", len(s.seen()))
		}
	}
}

// A late copy that is not due when the proxy ends is not sent: it would be another
// fault; and that is told.
func TestLateCopiesAtTheEnd(t *testing.T) {
	s := newShop(t, true)
	p := begin(t, s.URL, fault("late: 1h"))
	if _, _, err := post(t, client(t), p.URLs()[0]+"/charges", "k1", "{}"); err != nil {
		t.Fatal(err)
	}
	finish(t, p)
	if r := p.Report(); len(s.seen()) != 1 || r.Repeats != 0 || r.State.Skipped != 1 {
		t.Errorf("%d requests, %d repeats, %v", len(s.seen()), r.Repeats, r.Notes)
	}
}
