package checkers_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// keyed is a sound API: it keeps the answer of each key, compares what is asked
// for again with what was asked first, and does all that under a lock.
type keyed struct {
	effect func(string)
	mu     sync.Mutex
	asked  map[string]string
	answer map[string]string
}

func (k *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var order struct {
		Order  string
		Amount int
	}
	if err != nil || json.Unmarshal(body, &order) != nil {
		http.Error(w, "no order", http.StatusBadRequest)
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		key = order.Order
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if was, ok := k.asked[key]; ok && was != fmt.Sprint(order) {
		http.Error(w, "another order has this key", http.StatusUnprocessableEntity)
		return
	} else if !ok {
		k.effect(order.Order)
		k.asked[key] = fmt.Sprint(order)
		k.answer[key] = fmt.Sprintf(`{"id":"ch_%d","at":%q}`, len(k.asked), time.Now().Format(time.RFC3339Nano))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, k.answer[key])
}

// TestSoundUnderEveryFault accuses a sound service of nothing, whatever strikes it.
func TestSoundUnderEveryFault(t *testing.T) {
	for _, withKey := range []bool{false, true} {
		for _, f := range []inject.Fault{inject.LoseRequest, inject.LoseAnswer, inject.ReplaceAnswer, inject.Repeat, inject.Overlap, inject.Late, inject.ChangePayload, inject.Reencode} {
			t.Run(fmt.Sprintf("%s key=%v", f.Name, withKey), func(t *testing.T) {
				for _, rules := range [][]checkers.Rule{nil, {checkers.ExactlyOnce}} {
					run := inject.Start(t, f)
					client := run.Client(&keyed{effect: run.Effect, asked: map[string]string{}, answer: map[string]string{}})
					for id := range run.IDs(9) {
						payJSON(t, client, id, withKey)
					}
					checkers.Verify(t, run.History(), rules...)
				}
			})
		}
	}
}

func payJSON(t *testing.T, client *http.Client, id string, withKey bool) {
	t.Helper()
	for range 4 {
		r, err := http.NewRequest(http.MethodPost, "http://shop/charges", strings.NewReader(`{"order":"`+id+`","amount":5}`))
		if err != nil {
			t.Fatal(err)
		}
		if withKey {
			r.Header.Set("Idempotency-Key", "key-of-"+id)
		}
		resp, err := client.Do(r)
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode < 500 {
			return
		}
	}
	t.Errorf("%s was never answered", id)
}
