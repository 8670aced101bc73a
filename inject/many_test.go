package inject

import (
	"net/http"
	"slices"
	"sync"
	"testing"
)

// Many clients that overlap, all of them at one lock, do not hold each other up
// for longer and longer.
func TestManyClientsAtOneLock(t *testing.T) {
	const clients, each = 32, 4
	run := Options{Schedule: func(s Site) []Fault {
		if s.Attempt == 1 {
			return []Fault{Overlap}
		}
		return nil
	}}.Start(t)
	service := newShop(true, run.Effect)
	var lock sync.Mutex
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		service.ServeHTTP(w, r)
	}))
	ids := slices.Collect(run.IDs(clients * each))
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := range each {
				if err := order(client, ids[c*each+i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for id, n := range effectsOf(run.History()) {
		if n != 1 {
			t.Errorf("%s had %d effects", id, n)
		}
	}
}
