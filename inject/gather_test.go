package inject

import (
	"testing"
	"time"
)

// A machine that stands still for a while takes no time from who is waited for.
func TestGatherOnABusyMachine(t *testing.T) {
	for range samples() {
		run := Start(t)
		op := run.know("a", 0)
		waits, comes := run.enter(op, nil), run.enter(op, nil)
		changed := make(chan struct{})
		<-run.on(waits, func() {
			run.mu.Lock()
			w := run.watch(op, false)
			run.mu.Unlock()
			w.begin = w.begin.Add(-time.Second)
			came := run.on(comes, func() {
				select { // as SQLite's driver, which looks whether its file is free
				case <-time.After(time.Millisecond):
					close(changed)
				case <-t.Context().Done():
				}
			})
			if !w.wait(changed) {
				t.Error("it went on alone")
			}
			<-came
		})
	}
}
