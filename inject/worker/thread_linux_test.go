package worker

import (
	"runtime"
	"testing"
)

// TestThreadEnds: the thread that asked for a start ends, and the worker lives
// on: the signal for the death of its parent is bound to a thread.
func TestThreadEnds(t *testing.T) {
	addr := address(t)
	w := New(with(command("serve", addr), Ready{Addr: addr}), nil)
	t.Cleanup(func() { must(t, w.Kill()) })
	for range 10 {
		failed := make(chan error)
		go func() {
			runtime.LockOSThread() // never given back: the thread ends with the goroutine
			failed <- w.Start(t.Context())
		}()
		must(t, <-failed)
		for range 50 {
			must(t, get(t.Context(), "http://"+addr))
		}
		must(t, w.Kill())
	}
}
