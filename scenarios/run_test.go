package scenarios

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
)

func TestSoundShopPasses(t *testing.T) {
	for name, s := range map[string]*shop{"at once": {}, "effects 700 ms late": {late: 700 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, s.system(), Options{}, func(r checkers.Report, h history.History, err error) {
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range r.Cases {
					if c.Verdict != checkers.Pass && c.Skipped == "" {
						t.Errorf("%s: %s", c.Name, c.Verdict)
					}
				}
				if t.Failed() {
					t.Log(reasons(r))
				}
			})
		})
	}
}

func TestForgetfulShopFails(t *testing.T) {
	inBubble(t, (&shop{twice: true}).system(), Options{}, func(r checkers.Report, _ history.History, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]checkers.Verdict{
			"plain/order": checkers.Pass, "repeat/order": checkers.Fail, "lost-answer/order": checkers.Fail,
			"overlap/order": checkers.Fail, "lost-request/order": checkers.Pass,
		} {
			if got := verdictOf(r, name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		if want := "Order r-"; !strings.Contains(reasons(r), want) {
			t.Errorf("the reasons do not name the order:\n%s", reasons(r))
		}
	})
}

func TestStopAtFail(t *testing.T) {
	inBubble(t, (&shop{twice: true}).system(), Options{StopAtFail: true}, func(r checkers.Report, _ history.History, err error) {
		if got := verdictOf(r, "repeat/order"); err != nil || got != checkers.Fail {
			t.Errorf("repeat: %s, %v", got, err)
		}
		if i := slices.IndexFunc(r.Cases, func(c checkers.Case) bool { return c.Name == "overlap/order" }); r.Cases[i].Skipped == "" {
			t.Error("overlap ran after a case had failed")
		}
	})
}

// A service that never recovers is retried to the bound, and the run ends.
func TestRetryEndsAtItsBound(t *testing.T) {
	for name, claim := range map[string]time.Duration{"30 s": 0, "5 s, the claim is short": 2 * time.Second, "1 m, the claim is long": time.Minute} {
		t.Run(name, func(t *testing.T) {
			s := &shop{answer: func(n int) *inject.Answer {
				if n > 3 {
					return &inject.Answer{Status: "503"}
				}
				return nil
			}}
			sys := s.system()
			sys.Contract = named
			sys.Contract.Claim = claim
			begin, end := int64(0), int64(0)
			inBubble(t, sys, Options{Plans: scenario(t, "lost-answer")}, func(r checkers.Report, h history.History, err error) {
				if err != nil || r.Verdict() == checkers.Pass {
					t.Fatalf("verdict %s, error %v", r.Verdict(), err)
				}
				for _, e := range h.Events {
					if e.Case == "lost-answer/order" && e.Kind == history.Invoke {
						if begin == 0 {
							begin = e.At
						}
						end = e.At
					}
				}
				bound := max(claim*11/10, 5*time.Second)
				if claim == 0 {
					bound = 30 * time.Second
				}
				if took := time.Duration(end - begin); took < bound || took > bound+mostGap+time.Second {
					t.Errorf("retried for %v, the bound is %v", took, bound)
				}
			})
		})
	}
}

// A try that hangs past the claim is followed by another, which can tell whether
// the key is still blocked.
func TestRetryTriesOnceMoreAfterAHang(t *testing.T) {
	s := &shop{hangs: 4}
	sys := s.system()
	sys.Contract = named
	inBubble(t, sys, Options{Plans: scenario(t, "lost-answer")}, func(r checkers.Report, _ history.History, err error) {
		if err != nil || verdictOf(r, "lost-answer/order") != checkers.Fail {
			t.Errorf("verdict %s, error %v\n%s", r.Verdict(), err, reasons(r))
		}
	})
}

// One seed and one run id send the same bytes under the same ids, whatever the timing.
func TestSameSeedSameSchedule(t *testing.T) {
	sent := func() []string {
		s := &shop{}
		inBubble(t, s.system(), Options{}, func(_ checkers.Report, _ history.History, err error) {
			if err != nil {
				t.Fatal(err)
			}
		})
		slices.Sort(s.sent) // cases run side by side
		return s.sent
	}
	first := sent()
	if again := sent(); !slices.Equal(first, again) {
		t.Errorf("two runs differ:\n%q\n%q", first, again)
	}
	if len(first) < 50 {
		t.Errorf("only %d attempts", len(first))
	}
}

func TestFirstAnswerDecides(t *testing.T) {
	for status, check := range map[string]func(error) bool{
		"unreachable": func(err error) bool { return errors.As(err, new(*UnreachableError)) },
		"timeout":     func(err error) bool { return errors.As(err, new(*UnreachableError)) },
		"reset":       func(err error) bool { return errors.As(err, new(*UnreachableError)) },
		"302":         func(err error) bool { return errors.As(err, new(*configurationError)) },
		"garbage":     func(err error) bool { return err == nil },
		"401":         func(err error) bool { return err == nil },
	} {
		t.Run(status, func(t *testing.T) {
			s := &shop{answer: func(int) *inject.Answer { return &inject.Answer{Status: status, Err: errors.New("because")} }}
			inBubble(t, s.system(), Options{Plans: scenario(t, "plain")}, func(r checkers.Report, h history.History, err error) {
				if !check(err) {
					t.Errorf("error %v", err)
				}
				if err == nil && r.Verdict() != checkers.Inconclusive {
					t.Errorf("verdict %s, want inconclusive\n%s", r.Verdict(), reasons(r))
				}
			})
		})
	}
}

func TestLimitsEndTheRun(t *testing.T) {
	s := &shop{}
	sys := s.system()
	sys.Limits.Attempts = 10
	inBubble(t, sys, Options{}, func(r checkers.Report, h history.History, err error) {
		if err != nil || r.Verdict() == checkers.Pass {
			t.Errorf("verdict %s, error %v", r.Verdict(), err)
		}
		if n := len(s.sent); n > 12 {
			t.Errorf("%d attempts were made, the limit is 10", n)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "-1": 0, "99999": 30 * time.Second, "soon": 0,
		"Sun, 01 Mar 2026 12:00:07 GMT": 7 * time.Second, "Sun, 01 Mar 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("Retry-After %q: %v, want %v", text, got, want)
		}
	}
}
