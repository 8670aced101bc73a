package inject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// service is an http.RoundTripper that stands for a whole service.
type service struct {
	mu     sync.Mutex
	bodies []string
	serve  func(n int, r *http.Request) (*http.Response, error)
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil || r.GetBody != nil {
		return nil, fmt.Errorf("body %v, GetBody %v", err, r.GetBody != nil)
	}
	s.mu.Lock()
	s.bodies = append(s.bodies, string(b))
	n := len(s.bodies)
	s.mu.Unlock()
	if s.serve != nil {
		return s.serve(n, r)
	}
	return answerWith(201, fmt.Sprintf(`{"id":"ch_%d"}`, n)), nil
}

func answerWith(code int, body string) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{"X-A": {"b"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// always is a schedule that strikes the first attempt of each operation.
func always(faults ...Fault) Schedule {
	return func(s Site) []Fault {
		if s.Attempt == 1 {
			return faults
		}
		return nil
	}
}

// lines are the events of a transport, one a line.
func (n *notes) lines() (ls []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, e := range n.events {
		l := string(e.Kind)
		switch e.Kind {
		case history.Fault:
			l += " " + e.Name + " " + e.Attrs[history.AttrArg]
		case history.Invoke:
			l += fmt.Sprintf(" %d %s %s", e.Attempt, e.Attrs[history.AttrFault], n.bodies[i])
		default:
			l += fmt.Sprintf(" %d %s %s%s", e.Attempt, e.Status, n.bodies[i], e.Hidden)
		}
		ls = append(ls, strings.Join(strings.Fields(l), " "))
	}
	return ls
}

func TestTransportFaults(t *testing.T) {
	const body, other, again = `{"amount":5,"order":"o1"}`, `{"amount":6,"order":"o1"}`, `{"order" : "\u006f1" , "amount" : 5}`
	for name, test := range map[string]struct {
		faults []Fault
		sent   []string
		sees   string // status and body, or the error
		lines  []string
	}{
		"none": {nil, []string{body}, `201 {"id":"ch_1"}`, []string{"invoke 1 " + body, `ok 1 201 {"id":"ch_1"}`}},
		"lose-request": {[]Fault{LoseRequest}, nil, "connection reset by peer (made by the fault lose-request)",
			[]string{"invoke 1 lose-request " + body, "fault lose-request", "unknown 1 reset"}},
		"lose-answer": {[]Fault{LoseAnswer}, []string{body}, "connection reset by peer (made by the fault lose-answer)",
			[]string{"invoke 1 lose-answer " + body, "fault lose-answer", `unknown 1 reset 201 {"id":"ch_1"}`}},
		"replace-answer": {[]Fault{ReplaceAnswer}, []string{body}, "502 ",
			[]string{"invoke 1 replace-answer " + body, "fault replace-answer", `unknown 1 502 201 {"id":"ch_1"}`}},
		"replace by 409": {[]Fault{{"replace-answer", "409"}}, []string{body}, "409 ",
			[]string{"invoke 1 replace-answer " + body, "fault replace-answer 409", `refused 1 409 201 {"id":"ch_1"}`}},
		"delay": {[]Fault{{"delay", "2s"}}, []string{body}, `201 {"id":"ch_1"}`,
			[]string{"fault delay 2s", "invoke 1 delay " + body, `ok 1 201 {"id":"ch_1"}`}},
		"repeat": {[]Fault{Repeat}, []string{body, body}, `201 {"id":"ch_1"}`,
			[]string{"invoke 1 " + body, `ok 1 201 {"id":"ch_1"}`, "invoke 2 repeat " + body, `ok 2 201 {"id":"ch_2"}`, "fault repeat"}},
		"change-payload": {[]Fault{ChangePayload}, []string{body, other}, `201 {"id":"ch_1"}`,
			[]string{"invoke 1 " + body, `ok 1 201 {"id":"ch_1"}`, "invoke 2 change-payload " + other, `ok 2 201 {"id":"ch_2"}`, "fault change-payload"}},
		"reencode": {[]Fault{Reencode}, []string{body, again}, `201 {"id":"ch_1"}`,
			[]string{"invoke 1 " + body, `ok 1 201 {"id":"ch_1"}`, "invoke 2 reencode " + again, `ok 2 201 {"id":"ch_2"}`, "fault reencode"}},
		"late": {[]Fault{Late}, []string{body, body}, `201 {"id":"ch_1"}`,
			[]string{"invoke 1 " + body, `ok 1 201 {"id":"ch_1"}`, "invoke 2 late " + body, `ok 2 201 {"id":"ch_2"}`, "fault late"}},
		"lost and repeated": {[]Fault{LoseAnswer, Repeat}, []string{body, body}, "connection reset by peer (made by the fault lose-answer)",
			[]string{"invoke 1 lose-answer " + body, "fault lose-answer", `unknown 1 reset 201 {"id":"ch_1"}`, "invoke 2 repeat " + body, `ok 2 201 {"id":"ch_2"}`, "fault repeat"}},
		"nothing to change": {[]Fault{{"change-payload", "/none"}}, nil, "fault change-payload: /none: the body of POST /charges has nothing to change", nil},
		"not carried":       {[]Fault{CutClient}, nil, "fault cut-client cannot be carried by Transport", nil},
		"unknown":           {[]Fault{{"explode", ""}}, nil, `unknown fault "explode"`, nil},
	} {
		for _, recorded := range []bool{true, false} {
			t.Run(fmt.Sprint(name, recorded), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var n notes
					s := &service{}
					rt := Transport(s, always(test.faults...), nil)
					if recorded {
						rt = Transport(s, always(test.faults...), n.add)
					}
					client := &http.Client{Transport: rt}
					sees := do(client, post(t, "http://shop/charges", body))
					client.CloseIdleConnections()
					if !strings.Contains(sees, test.sees) {
						t.Errorf("the caller sees %q, want %q", sees, test.sees)
					}
					if !slices.Equal(s.bodies, test.sent) {
						t.Errorf("sent %q, want %q", s.bodies, test.sent)
					}
					if got := n.lines(); recorded && !slices.Equal(got, test.lines) {
						t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.lines, "\n"))
					}
					if again := do(client, post(t, "http://shop/charges", body)); !strings.HasPrefix(again, "201 ") {
						t.Errorf("the second attempt is struck too: %s", again)
					}
				})
			})
		}
	}
}

func do(client *http.Client, r *http.Request) string {
	resp, err := client.Do(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Sprintf("%d %s then %v", resp.StatusCode, b, err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, b)
}

// Both copies are in the service at once, and the caller gets the good answer
// whichever of them it belongs to.
func TestTransportOverlap(t *testing.T) {
	for _, good := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			both := make(chan struct{})
			s := &service{serve: func(n int, r *http.Request) (*http.Response, error) {
				if n == 2 {
					close(both)
				}
				<-both // a copy that waited for the other's end would deadlock here
				if n == good {
					return answerWith(201, "good"), nil
				}
				return answerWith(409, "busy"), nil
			}}
			var n notes
			client := &http.Client{Transport: Transport(s, always(Overlap), n.add)}
			if got := do(client, post(t, "http://shop/charges", "{}")); got != "201 good" {
				t.Errorf("the caller sees %s", got)
			}
			if f := n.of(history.Fault); len(f) != 1 || f[0].Name != "overlap" || len(n.of(history.Invoke)) != 2 {
				t.Errorf("recorded %v", n.lines())
			}
		})
	}
}

func TestTransportTrouble(t *testing.T) {
	broken := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	for name, test := range map[string]struct {
		serve func(int, *http.Request) (*http.Response, error)
		line  string
		sees  string
	}{
		"reset":    {func(int, *http.Request) (*http.Response, error) { return nil, broken }, "unknown 1 reset", "connection reset"},
		"EOF":      {func(int, *http.Request) (*http.Response, error) { return nil, io.EOF }, "unknown 1 reset", "EOF"},
		"time-out": {func(int, *http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }, "unknown 1 timeout", "deadline"},
		"nobody there": {func(int, *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}, "refused 1 unreachable", "refused"},
		"garbage": {func(int, *http.Request) (*http.Response, error) { return nil, errors.New("malformed HTTP response") }, "unknown 1 garbage", "malformed"},
		"cut off": {func(int, *http.Request) (*http.Response, error) {
			resp := answerWith(201, "")
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("he"), failing{io.ErrUnexpectedEOF}))
			return resp, nil
		}, "unknown 1 cut-off he", "201 he then unexpected EOF"},
		"redirect": {func(int, *http.Request) (*http.Response, error) { return answerWith(304, ""), nil }, "unknown 1 304", "304"},
	} {
		t.Run(name, func(t *testing.T) {
			var n notes
			client := &http.Client{Transport: Transport(&service{serve: test.serve}, always(LoseAnswer), n.add)}
			if name != "cut off" && name != "redirect" {
				if got := do(client, post(t, "http://shop/charges", "{}")); !strings.Contains(got, test.sees) {
					t.Errorf("struck: the caller sees %s", got)
				}
				if len(n.of(history.Fault)) != 0 {
					t.Errorf("a fault fired though there was no answer to lose: %v", n.lines())
				}
				n.events, n.bodies = nil, nil
			}
			client.Transport = Transport(&service{serve: test.serve}, nil, n.add)
			if got := do(client, post(t, "http://shop/charges", "{}")); !strings.Contains(got, test.sees) {
				t.Errorf("the caller sees %s", got)
			}
			if got := n.lines(); len(got) != 2 || got[1] != test.line {
				t.Errorf("recorded %q, want %q", got, test.line)
			}
		})
	}
}

// The number of an operation comes from the context, else from the key, else
// from what is sent; attempts are counted for each.
func TestTransportNumbers(t *testing.T) {
	var mu sync.Mutex
	var sites []Site
	s := func(s Site) []Fault {
		mu.Lock()
		defer mu.Unlock()
		sites = append(sites, s)
		return nil
	}
	var n notes
	client := &http.Client{Transport: Transport(&service{}, s, n.add)}
	send := func(number int, key, body string) {
		r := post(t, "http://shop/charges", body)
		r.Header.Del("Idempotency-Key")
		if key != "" {
			r.Header.Set("Idempotency-Key", key)
		}
		if number >= 0 {
			r = r.WithContext(Numbered(r.Context(), number))
		}
		do(client, r)
	}
	send(7, "k1", "a")
	send(7, "k2", "b")
	send(-1, "k1", "a")
	send(-1, "k1", "b")
	send(-1, "", "a")
	send(-1, "", "a")
	send(-1, "", "b")
	var got []string
	for i, site := range sites {
		got = append(got, fmt.Sprint(site.Attempt, slices.IndexFunc(sites, func(s Site) bool { return s.Number == site.Number }) == i-site.Attempt+1))
	}
	if want := "1 true 2 true 1 true 2 true 1 true 2 true 1 true"; strings.Join(got, " ") != want || sites[0].Number != 7 {
		t.Errorf("got %v of %v", got, sites)
	}
	for i, e := range n.of(history.Invoke) {
		want := []string{"7", "7", "k1", "k1", "POST /charges#", "POST /charges#", "POST /charges#"}[i]
		if !strings.HasPrefix(e.Op, want) || e.Attempt != sites[i].Attempt || e.Attrs[history.AttrRequest] != "POST /charges" || (e.Key == "") != (e.Attrs[history.AttrKeyless] == "none") {
			t.Errorf("invoke %d: %+v", i, e)
		}
	}
}

// net/http sends a POST with a key again by itself when a kept connection
// breaks; behind Transport it does not, with a body or without.
func TestTransportIsNotSentAgain(t *testing.T) {
	for name, body := range map[string]string{"body": "{}", "no body": ""} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			var mu sync.Mutex
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				mu.Lock()
				defer mu.Unlock()
				calls = append(calls, r.URL.Path)
				if r.URL.Path == "/break" {
					breakOff(w)
				}
			}))
			defer s.Close()
			try := func(rt http.RoundTripper) (n int) {
				mu.Lock()
				calls = nil
				mu.Unlock()
				client := &http.Client{Transport: rt}
				defer client.CloseIdleConnections()
				for _, path := range []string{"/keep", "/break"} {
					r, err := http.NewRequest("POST", s.URL+path, nil)
					if body != "" {
						r, err = http.NewRequest("POST", s.URL+path, strings.NewReader(body))
					}
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("Idempotency-Key", "k1")
					do(client, r)
				}
				mu.Lock()
				defer mu.Unlock()
				return len(calls)
			}
			if got := try(Transport(&http.Transport{}, nil, nil)); got != 2 {
				t.Errorf("behind Transport the server got %d calls", got)
			}
			if got := try(&http.Transport{}); got != 3 {
				t.Logf("net/http alone no longer sends again: %d calls", got)
			}
		})
	}
}

// One seed strikes the same operations, however the clients interleave.
func TestTransportIsRepeatable(t *testing.T) {
	run := func(seed uint64) (struck []string) {
		var n notes
		client := &http.Client{Transport: Transport(&service{}, Seeded(seed, 0.4, LoseAnswer, Repeat, Delay), n.add)}
		var all sync.WaitGroup
		for c := range 64 {
			all.Go(func() {
				for attempt := 0; attempt < 3; attempt++ {
					r := post(t, "http://shop/charges", fmt.Sprint(c))
					do(client, r.WithContext(Numbered(r.Context(), c)))
				}
			})
		}
		all.Wait()
		for _, e := range n.of(history.Fault) {
			struck = append(struck, e.Op+" "+e.Name)
		}
		slices.Sort(struck)
		return struck
	}
	synctest.Test(t, func(t *testing.T) {
		first := run(1)
		for range 5 {
			if !slices.Equal(run(1), first) {
				t.Fatal("the same seed struck others")
			}
		}
		if len(first) == 0 || slices.Equal(run(2), first) {
			t.Errorf("%d faults; another seed strikes the same", len(first))
		}
	})
}

// A caller that gives up during a delay has sent nothing, and a late copy does
// not die with its caller's context.
func TestTransportContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s := &service{}
		client := &http.Client{Transport: Transport(s, always(Fault{"delay", "1h"}), nil)}
		if got := do(client, post(t, "http://shop/charges", "{}").WithContext(ctx)); !strings.Contains(got, "deadline exceeded") || len(s.bodies) != 0 {
			t.Errorf("got %s, sent %q", got, s.bodies)
		}
		ctx, cancel = context.WithCancel(t.Context())
		s.serve = func(_ int, r *http.Request) (*http.Response, error) { return answerWith(200, ""), r.Context().Err() }
		client.Transport = Transport(s, always(Fault{"late", "1h"}), nil)
		do(client, post(t, "http://shop/charges", "{}").WithContext(ctx))
		cancel()
		begin := time.Now()
		if client.CloseIdleConnections(); time.Since(begin) != time.Hour || len(s.bodies) != 2 {
			t.Errorf("after %v %d copies were sent", time.Since(begin), len(s.bodies))
		}
	})
}

func TestTransportLongAnswers(t *testing.T) {
	long := strings.Repeat("x", mostRead+10)
	var n notes
	client := &http.Client{Transport: Transport(&service{serve: func(int, *http.Request) (*http.Response, error) { return answerWith(200, long), nil }}, nil, n.add)}
	if got := do(client, post(t, "http://shop/charges", "{}")); got != "200 "+long {
		t.Errorf("the caller got %d bytes", len(got))
	}
	if e := n.events[1]; len(n.bodies[1]) != mostKept || e.Attrs[history.AttrCut] != "true" || e.Attrs[history.AttrHeader+"x-a"] != "b" {
		t.Errorf("kept %d bytes, %+v", len(n.bodies[1]), e)
	}
}
