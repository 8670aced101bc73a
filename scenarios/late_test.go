package scenarios

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idemcheck/idemcheck/history"
)

// What an earlier run left is worked off while nothing is sent: that is no poller.
func TestIdleTimeBeginsWhenNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec, err := history.NewRecorder(nil, history.Header{}, history.Redactor{})
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Close()
		r := &runner{rec: rec}
		r.board = newBoard(func(history.Event) {})
		go func() {
			time.Sleep(idleTime / 2)
			r.board.play("card", "POST /v1/charges", 1, 1)
			r.rec.Add(history.Event{Kind: history.Effect, Name: "card", Actor: "provider/card"}, nil)
			time.Sleep(idleTime)
			r.board.play("db", "DELETE keys", 1, 1)
		}()
		if err := r.learnIdle(t.Context(), idleTime); err != nil {
			t.Fatal(err)
		}
		if got := r.board.leftOut(); !slices.Equal(got, []string{"db DELETE keys"}) {
			t.Errorf("left out %q", got)
		}
	})
}
