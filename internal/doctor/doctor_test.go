package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/internal/config"
	"github.com/idemcheck/idemcheck/scenarios"
)

// TestSettings: limits that do not fit what was measured are problems, others are none.
func TestSettings(t *testing.T) {
	slow := checkers.Calibration{Handler: 2 * time.Second, Latency: 3 * time.Second}
	for _, c := range []struct {
		limits scenarios.Limits
		claim  time.Duration
		seen   checkers.Calibration
		want   []string
	}{
		{scenarios.Limits{}, time.Minute, checkers.Calibration{Handler: 5 * time.Millisecond}, nil},
		{scenarios.Limits{}, time.Minute, slow, nil},
		{scenarios.Limits{Attempt: 3 * time.Second}, time.Minute, slow, []string{"limits.attempt is 3s and an operation takes 2s"}},
		{scenarios.Limits{Settle: 4 * time.Second}, time.Minute, slow, []string{"settle.bound is 4s and an effect showed 3s after the answer"}},
		{scenarios.Limits{}, time.Second, slow, []string{"contract.claim is 1s and an operation takes 2s"}},
	} {
		x := &examination{
			file: &config.File{Limits: c.limits}, sys: scenarios.System{Contract: contract.Contract{Name: "stated", Claim: c.claim}},
			learned: map[string]checkers.Calibration{"charge": c.seen},
		}
		x.settings()
		if len(x.Problems) != len(c.want) {
			t.Errorf("%+v: %q, want %q", c.limits, x.Problems, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(x.Problems[i], want) {
				t.Errorf("%q, want %q", x.Problems[i], want)
			}
		}
	}
}

func TestBegins(t *testing.T) {
	for in, want := range map[string]string{"": "", " a\nb\x1b ": "a b", "abcdefg": "abcd…"} {
		if got := begins(in, 4); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
