package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/history"
	"github.com/idemcheck/idemcheck/inject"
	"github.com/idemcheck/idemcheck/scenarios/target"
)

// hasty is a shop whose copies do not overlap in the first rounds.
type hasty struct {
	*shop
	misses, rounds int
}

func (h *hasty) Together(ctx context.Context, ms []target.Message, offset time.Duration, done func(int, inject.Answer)) (time.Duration, bool) {
	h.rounds++
	spread, _ := h.shop.Together(ctx, ms, offset, done)
	return spread, h.rounds > h.misses
}

// Rounds whose copies did not overlap are made up for by a few more, no more than are needed.
func TestSpareRounds(t *testing.T) {
	for _, test := range []struct {
		misses, rounds int
		verdict        checkers.Verdict
	}{{0, 4, checkers.Pass}, {1, 4, checkers.Pass}, {3, 6, checkers.Pass}, {5, 7, checkers.Inconclusive}} {
		h := &hasty{shop: &shop{}, misses: test.misses}
		sys := h.system()
		sys.Target = h
		inBubble(t, sys, Options{Plans: scenario(t, "overlap-three")}, func(r checkers.Report, _ history.History, err error) {
			if got := verdictOf(r, "overlap-three/order"); err != nil || got != test.verdict || h.rounds != test.rounds {
				t.Errorf("%d misses: %s after %d rounds, want %s after %d (%v)\n%s", test.misses, got, h.rounds, test.verdict, test.rounds, err, reasons(r))
			}
		})
	}
}
