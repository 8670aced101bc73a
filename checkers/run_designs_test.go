package checkers_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/inject"
)

// design is a sound way to take an order once: what a copy is told while the
// first runs, and after it.
type design struct {
	effect  func(string)
	wait    bool // a copy waits for the first; else it is told busy
	busy    int
	again   int // the status of a repeat
	content func(order string) string

	mu    sync.Mutex
	state map[string]chan struct{} // closed when it is done
}

func (d *design) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	order := string(body)
	d.mu.Lock()
	done, known := d.state[order]
	if !known {
		done = make(chan struct{})
		d.state[order] = done
	}
	d.mu.Unlock()
	status := http.StatusCreated
	switch {
	case !known:
		d.effect(order)
		close(done)
	case d.wait:
		<-done
		status = d.again
	default:
		select {
		case <-done:
			status = d.again
		default:
			status = d.busy
		}
	}
	if status == http.StatusConflict || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "0")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status != http.StatusNoContent {
		_, _ = io.WriteString(w, d.content(order))
	}
}

// TestSoundDesigns accuses none of the ways in which services are made, by rules
// that a test would name or by all.
func TestSoundDesigns(t *testing.T) {
	id := func(order string) string { return `{"id":"ch_` + order + `"}` }
	none := func(string) string { return "" }
	var made atomic.Int64
	for name, d := range map[string]*design{
		"waits and replays":           {wait: true, again: 201, content: id},
		"waits, and says ok":          {wait: true, again: 200, content: id},
		"waits, and says no content":  {wait: true, again: 204, content: none},
		"busy, then replays":          {busy: 409, again: 201, content: id},
		"busy, then a conflict":       {busy: 409, again: 409, content: id},
		"too many, then replays":      {busy: 429, again: 200, content: id},
		"locked, then ok":             {busy: 423, again: 200, content: id},
		"come again, then ok":         {busy: 503, again: 200, content: id},
		"accepted":                    {wait: true, again: 202, content: none},
		"accepted while it runs":      {busy: 202, again: 200, content: none},
		"an answer without any names": {wait: true, again: 200, content: func(string) string { return `{"ok":true}` }},
		"a number for each answer":    {wait: true, again: 200, content: func(o string) string { return fmt.Sprintf(`{"id":%q,"n":%d}`, o, made.Add(1)) }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, rules := range [][]checkers.Rule{nil, {checkers.ExactlyOnce}, {checkers.ExactlyOnce, checkers.SameAnswer}} {
				for _, orders := range []int{4, 20} {
					text := payAll(t, orders, func(r *inject.Run) http.Handler {
						d.effect, d.state = r.Effect, map[string]chan struct{}{}
						return d
					}, rules...)
					if text != "" {
						t.Errorf("%d rules, %d orders: %s", len(rules), orders, text)
					}
				}
			}
		})
	}
}
