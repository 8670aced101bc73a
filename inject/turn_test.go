package inject

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idemcheck/idemcheck/history"
)

func TestEachFaultHasATurn(t *testing.T) {
	faults := []Fault{Repeat, Overlap, LoseAnswer, {"delay", "1ms"}, Fail}
	for seed := range uint64(200) {
		s := (&Options{Faults: faults, Provider: []Fault{LoseAnswer}}).inTurn(seed)
		got := map[string]int{}
		for n := 1; n <= 5; n++ { // one more than strike requests
			for _, f := range s(Site{SiteRequest, n, 1}) {
				got["request "+f.String()]++
			}
			if fs := s(Site{SiteRequest, n, 2}); len(fs) > 0 {
				t.Fatalf("a second attempt is struck by %v", fs)
			}
		}
		for n := 1; n <= 3; n++ {
			for _, f := range s(Site{"provider/card", n, 1}) {
				got["provider "+f.String()]++
			}
		}
		want := map[string]int{"request repeat": 1, "request overlap": 1, "request lose-answer": 1, "request delay: 1ms": 1, "provider fail": 1, "provider lose-answer": 1}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// scheduleOf is what struck whom in a run of many clients at once.
func scheduleOf(t *testing.T, clients int) string {
	run := Start(t, Repeat, Overlap, LoseAnswer, Late, LoseRequest)
	client := run.Client(newShop(true, run.Effect))
	var all sync.WaitGroup
	ids := slices.Collect(run.IDs(4 * clients))
	for c := range clients {
		all.Go(func() {
			for i := range 4 {
				if err := order(client, ids[c*4+i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var struck []string
	for _, e := range run.History().Events {
		if e.Kind == history.Fault {
			struck = append(struck, e.Op+" "+e.Name)
		}
	}
	slices.Sort(struck)
	return strings.Join(struck, "\n")
}

func TestOneSeedOneSchedule(t *testing.T) {
	t.Setenv(seedVariable, "1")
	want := scheduleOf(t, 64)
	if n := strings.Count(want, "\n") + 1; n < 200 {
		t.Fatalf("%d faults only", n)
	}
	for range 5 {
		if got := scheduleOf(t, 64); got != want {
			t.Fatalf("one seed gave two schedules:\n%s\n\n%s", got, want)
		}
	}
	t.Setenv(seedVariable, "2")
	if scheduleOf(t, 64) == want {
		t.Error("two seeds gave one schedule")
	}
}

func TestTape(t *testing.T) {
	strikes := map[Site][]Fault{{SiteRequest, 1, 2}: {Overlap, LoseAnswer}}
	s := Tape(strikes)
	strikes[Site{SiteRequest, 1, 2}][0] = Repeat // too late
	if got := fmt.Sprint(s(Site{SiteRequest, 1, 1}), s(Site{SiteRequest, 1, 2}), s(Site{SiteMessage, 1, 2}), s(Site{SiteRequest, 2, 2})); got != "[] [overlap lose-answer] [] []" {
		t.Error(got)
	}
}
