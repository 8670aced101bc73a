package inject

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

// draw asks a schedule from 64 clients at once and puts the answers in order.
func draw(s Schedule) string {
	const clients, each = 64, 20
	lines := make([]string, clients*each*2)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := range each {
				for attempt := range 2 {
					n := c*each + i
					lines[n*2+attempt] = fmt.Sprint(s(Site{Name: SiteRequest, Number: n, Attempt: attempt + 1}))
				}
			}
		})
	}
	all.Wait()
	return strings.Join(lines, "\n")
}

func TestSeededIsPure(t *testing.T) {
	faults := []Fault{LoseAnswer, Repeat, Overlap, {"delay", "5ms"}}
	want := draw(Seeded(1, 0.3, faults...))
	for range 50 {
		if draw(Seeded(1, 0.3, faults...)) != want {
			t.Fatal("the same seed gave another schedule")
		}
	}
	for seed := range uint64(50) {
		if seed != 1 && draw(Seeded(seed, 0.3, faults...)) == want {
			t.Fatalf("seed %d gives the schedule of seed 1", seed)
		}
	}
	changed := slices.Clone(faults)
	s := Seeded(1, 1, changed...)
	changed[0], changed[1], changed[2], changed[3] = Late, Late, Late, Late
	if s(Site{}); slices.Equal(s(Site{}), []Fault{Late}) {
		t.Error("the schedule changed with the caller's slice")
	}
}

func TestSeededMeetsItsShare(t *testing.T) {
	const draws = 100_000
	for _, share := range []float64{0, 0.01, 0.3, 0.5, 0.99, 1} {
		struck := map[string]int{}
		for seed := range uint64(10) {
			s := Seeded(seed, share, LoseAnswer, Repeat, Overlap)
			for n := range draws / 10 {
				for _, f := range s(Site{Name: "provider/card", Number: n / 2, Attempt: n%2 + 1}) {
					struck[f.Name]++
				}
			}
		}
		total := 0
		for name, n := range struck {
			total += n
			if sigma := math.Sqrt(draws * share / 3); math.Abs(float64(n)-draws*share/3) > 6*sigma {
				t.Errorf("share %v: %s struck %d times", share, name, n)
			}
		}
		if sigma := math.Sqrt(draws * share * (1 - share)); math.Abs(float64(total)-draws*share) > 6*sigma {
			t.Errorf("share %v: %d of %d were struck", share, total, draws)
		}
	}
	if f := Seeded(1, 1)(Site{}); f != nil {
		t.Errorf("no faults: got %v", f)
	}
}

// Sites that differ in one thing only are independent.
func TestSeededTellsSitesApart(t *testing.T) {
	s := Seeded(7, 0.5, LoseAnswer)
	same := [3]int{}
	for n := range 10_000 {
		base := len(s(Site{"request", n, 1}))
		for i, other := range []Site{{"request", n, 2}, {"request", n + 1, 1}, {"provider/card", n, 1}} {
			if len(s(other)) == base {
				same[i]++
			}
		}
	}
	for i, n := range same {
		if n < 4700 || n > 5300 {
			t.Errorf("difference %d: %d of 10000 sites agree", i, n)
		}
	}
}
