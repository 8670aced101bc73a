package checkers

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestInBubble judges and searches where time stands still: no step of it waits
// for a clock.
func TestInBubble(t *testing.T) {
	searching := Register
	searching.bounds = nil
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		Verify(&plainT{}, failures1["twice"].tell(), AtMostOnce)
		to := &plainT{}
		Model(to, storeHistory("w a: 201", "w b: timeout", "r a: 200", "r b: 200", "r a: 200"), searching, readAccess)
		if to.Len() == 0 {
			t.Error("not found in a bubble")
		}
		if time.Since(begin) > 0 {
			t.Errorf("it took %v", time.Since(begin))
		}
	})
}
